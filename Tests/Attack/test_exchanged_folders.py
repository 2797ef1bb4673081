"""A process exchanges a folder of a site with a link that leads outside, while clients request files in the folder."""

import ssl
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.keys import association
from support.server import Server
from support.wire import Wire

HOST = "site.test"
INSIDE, OUTSIDE = b"small steps inside", b"the secret outside"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
BATCH = 50
# The server closes a connection after 10,000 requests.
BATCHES = 190
CLIENTS = 4
# Exchanges two names of a folder until standard input ends. Python has no function for renameat2(2).
EXCHANGER = """
import ctypes, os, select, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
exchange, names, count = ctypes.CDLL(None, use_errno=True).renameat2, (b"folder", b"link"), 0
while not (count % 1000 == 0 and select.select([0], [], [], 0)[0]):
    if exchange(folder, names[0], folder, names[1], 2):
        raise OSError(ctypes.get_errno(), "renameat2")
    count += 1
print(count)
"""


def target(number: int) -> str:
    """Returns a path of the file that no other number has, so that no response comes from the cache of paths."""
    name = "".join(f"%{ord(letter):02x}" if number >> at & 1 else letter for at, letter in enumerate(LETTERS))
    return f"/folder/{name}.txt"


class Client(threading.Thread):
    """Requests the file under different paths, and counts the statuses."""

    def __init__(self, server: Server, context: ssl.SSLContext, numbers: range) -> None:
        super().__init__()
        self.server, self.context, self.numbers = server, context, numbers
        self.statuses = {status: 0 for status in (200, 404)}
        self.failures: list[str] = []
        self.start()

    def run(self) -> None:
        for start in range(0, len(self.numbers), BATCH * BATCHES):
            with self.server.connect(HOST, self.context) as wire:
                for at in range(start, min(start + BATCH * BATCHES, len(self.numbers)), BATCH):
                    self.ask(wire, self.numbers[at : at + BATCH])

    def ask(self, wire: Wire, numbers: range) -> None:
        wire.send(b"".join(f"GET {target(number)} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode() for number in numbers))
        for number in numbers:
            answer = wire.answer()
            if answer.status not in self.statuses or answer.content == OUTSIDE:
                self.failures.append(f"{target(number)}: {answer.status} {answer.content!r}")
            elif answer.status == 200 and answer.content != INSIDE:
                self.failures.append(f"{target(number)}: {answer.content!r}")
            else:
                self.statuses[answer.status] += 1


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("requests", [40_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_no_response_contains_a_file_from_outside(start: Callable[..., Any], tmp_path: Path, requests: int) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside"
    for folder, content in ((site / "folder", INSIDE), (outside, OUTSIDE)):
        folder.mkdir(parents=True)
        (folder / f"{LETTERS}.txt").write_bytes(content)
    (site / "apple-app-site-association").write_bytes(association())
    (site / "link").symlink_to(outside)
    server = start("--site", f"{HOST}={site}", "--log-level", "warning")
    exchanger = subprocess.Popen(
        [sys.executable, "-c", EXCHANGER, str(site)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        share = requests // CLIENTS
        numbers = [range(share * number, share * (number + 1)) for number in range(CLIENTS)]
        clients = [Client(server, server.context, part) for part in numbers]
        for client in clients:
            client.join()
    finally:
        exchanges, _ = exchanger.communicate("", timeout=60)
    statuses = {status: sum(client.statuses[status] for client in clients) for status in (200, 404)}
    failures = [failure for client in clients for failure in client.failures]
    print(f"{statuses}, {len(failures)} failures, {exchanges.strip()} exchanges")
    assert not failures, f"{len(failures)} of {requests} responses; first: {failures[0]}"
    assert sum(statuses.values()) == requests
    assert statuses[200] and statuses[404], "the folder and the link were not both requested"

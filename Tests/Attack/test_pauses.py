"""Clients that stop (SIGSTOP) while they receive or send: the server closes their connections and serves others."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from attackers.memory import wait_until
from support.server import Server
from support.wire import NAME, request

LIMIT = 90.0
# Larger than the socket buffers of both sides together.
SIZE = 32 << 20
CLIENT = """
import os, socket, ssl, sys
port, authority, head, step = int(sys.argv[1]), sys.argv[2], sys.argv[3].encode(), sys.argv[4]
context = ssl.create_default_context(cafile=authority)
stream = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname=sys.argv[5])
stream.sendall(head.replace(b"|", b"\\r\\n"))
if step == "read":
    assert stream.recv(1000)
print("ready", flush=True)
try:
    while stream.recv(1 << 16):
        pass
except OSError:
    pass
print("ended", flush=True)
"""


@contextmanager
def client(server: Server, head: bytes, step: str) -> Iterator[subprocess.Popen[str]]:
    """Runs a client in its own process until it has sent `head`, and has read a part of the response if required."""
    text = head.decode().replace("\r\n", "|")
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(server.port), str(server.authority), text, step, NAME],
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait(LIMIT)
        assert process.stdout
        process.stdout.close()


def test_clients_that_are_stopped_lose_their_connections(
    start: Callable[..., Server], attack: Callable[..., Any]
) -> None:
    server = start("--echo", "--write-timeout", "2", "--content-timeout", "2", "--head-timeout", "2")
    (server.home / "public" / "large.bin").write_bytes(bytes(SIZE))
    download = (request("/large.bin"), "read")
    unfinished = [
        (request("/echo", "Content-Length: 1000", method="POST") + b"part", "send"),
        (request("/digits.txt")[:-2], "send"),
    ]
    with attack(server=server) as under, ExitStack() as stack:
        before = server.descriptors
        clients = [stack.enter_context(client(server, *kind)) for kind in [*unfinished, download] * 2]
        for process in clients:
            process.send_signal(signal.SIGSTOP)
        under.bystander.wait_for_requests(10)
        # The stopped clients cannot close their connections, so the server must.
        assert wait_until(lambda: server.descriptors <= before + 4, server, LIMIT), server.descriptors
        for process in clients:
            process.send_signal(signal.SIGCONT)
        # How a client learns that a download ended depends on its system.
        for process in clients[0::3] + clients[1::3]:
            assert process.stdout
            assert process.stdout.readline() == "ended\n"
        under.bystander.wait_for_requests(4)

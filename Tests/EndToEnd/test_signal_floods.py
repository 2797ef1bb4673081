"""Many SIGHUPs: the server reloads at most once more, and a later stop does not wait for them."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from support.keys import OTHER_APP, association
from support.server import Server

WELL_KNOWN = "/.well-known/apple-app-site-association"
DRAIN = 8
# The reload in progress at the mark, one for all earlier signals, and one for signals that the server reads later.
MOST = 3
# Sends signals from another process. The system merges equal signals that arrive before the server runs.
FLOOD = """
import os, signal, sys, time
for _ in range(int(sys.argv[2])):
    os.kill(int(sys.argv[1]), signal.SIGHUP)
    time.sleep(0.0002)
"""

Start = Callable[..., Server]


def flood(server: Server, count: int) -> None:
    subprocess.run([sys.executable, "-c", FLOOD, str(server.process.pid), str(count)], check=True, timeout=60)


def slow_to_load(folder: Path) -> list[str]:
    """Returns the options of a server whose reload takes long, because it has many hosts."""
    (folder / "site").mkdir()
    (folder / "site/apple-app-site-association").write_bytes(association())
    return [word for number in range(40) for word in ("--site", f"s{number}.test={folder / 'site'}")]


def mark(server: Server) -> None:
    """Writes a line to the log. Unlike the number of lines read so far, it separates earlier from later reloads."""
    with server.connect() as wire:
        wire.ask("/digits.txt?mark")


def reloads(server: Server) -> int:
    """Returns the number of reloads that the log shows after the mark."""
    return server.err.text.partition("?mark")[2].count("reloaded")


def test_a_stop_takes_precedence_over_3000_reloads(start: Start, tmp_path: Path) -> None:
    server = start("--drain", str(DRAIN), *slow_to_load(tmp_path))
    flood(server, 3_000)
    mark(server)
    server.signal(signal.SIGTERM)
    server.err.wait_for(lambda line: "shutting down" in line, limit=60)
    assert server.wait(DRAIN) == 0
    assert reloads(server) <= MOST


def test_signals_during_a_reload_cause_one_more_reload(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "association.json"
    file.write_bytes(association())
    server = start("--association", str(file), *slow_to_load(tmp_path))
    flood(server, 3_000)
    mark(server)
    file.write_bytes(association(OTHER_APP))
    server.signal(signal.SIGHUP)
    with server.connect() as wire:
        while OTHER_APP not in wire.ask(WELL_KNOWN).text:
            pass
        # No other reload follows.
        for _ in range(2_000):
            assert wire.ask(WELL_KNOWN).status == 200
            assert reloads(server) <= MOST

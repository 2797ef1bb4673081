"""A server without free connection slots or descriptors: it refuses connections, uses little CPU time, and recovers."""

import os
import resource
import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.fixtures import Start
from support.people import JSON
from support.server import Server
from support.waiting import LIMIT, wait_until
from support.wire import ADDRESS, NAME, request

TICKS = os.sysconf("SC_CLK_TCK")
# The server stops accepting for half a second (http.md).
PAUSE = 0.5


def dial(server: Server, source: str = ADDRESS) -> socket.socket:
    """Opens a TCP connection from a local address. The system completes the connection before the server accepts it."""
    dialled = socket.create_connection((ADDRESS, server.port), timeout=LIMIT, source_address=(source, 0))
    dialled.setblocking(True)
    dialled.settimeout(LIMIT)
    return dialled


def is_closed(dialled: socket.socket) -> bool:
    """Waits for the server's first byte or its close. A server that waits for a handshake sends neither."""
    try:
        return dialled.recv(1) == b""
    except ConnectionResetError:
        return True


def processor_seconds(server: Server) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def pauses(server: Server, since: int = 0) -> list[str]:
    return [line for line in server.err.lines[since:] if "no new connections for" in line]


def serves_again(server: Server) -> None:
    """Waits until the server serves a new connection."""

    def serves() -> bool:
        try:
            with server.connect() as wire:
                return wire.ask("/digits.txt").status == 200
        except OSError:
            return False

    wait_until(serves, "the server serves again")


@pytest.mark.parametrize("poller", ["epoll", "sources"])
def test_a_server_without_descriptors_uses_little_cpu_time_and_recovers(
    start: Start, opened: ExitStack, poller: str
) -> None:
    server = start("--poller", poller, "--loops", "1", "--idle-timeout", "600", "--handshake-timeout", "600")
    wire = opened.enter_context(server.connect())
    assert wire.ask("/digits.txt").status == 200
    soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    # Below the server's own connection limit, so that the system's limit applies.
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (server.descriptors + 4, hard))
    before = len(server.err.lines)
    for _ in range(40):
        opened.enter_context(dial(server))
    server.err.wait_for(lambda line: "no new connections for" in line, since=before)
    began, used = time.monotonic(), processor_seconds(server)
    for number in range(2, 6):
        server.err.wait_for(lambda line, wanted=number: len(pauses(server, before)) >= wanted, since=before)
    passed, worked = time.monotonic() - began, processor_seconds(server) - used
    # Each attempt logs a line and costs little CPU time. A busy loop would exceed both limits.
    assert len(pauses(server, before)) <= passed / PAUSE + 3, f"{len(pauses(server, before))} pauses in {passed:.1f} s"
    assert worked < passed / 4, f"{worked:.2f} s of CPU time in {passed:.2f} s"
    assert "ulimit -n" in pauses(server, before)[0]
    assert server.process.poll() is None
    opened.close()
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
    serves_again(server)


def test_a_live_connection_is_served_while_descriptors_are_short(start: Start, opened: ExitStack) -> None:
    server = start("--loops", "1")
    wire = opened.enter_context(server.connect())
    assert wire.ask("/digits.txt").status == 200
    soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    message = request("/api/signin", JSON, method="POST", content=b"{}")
    # The connection is in the middle of a request, so the server does not evict it as idle. A running handler would
    # also protect it, but no handler runs before the content is complete.
    wire.send(message[:-1], settled=True)
    before = len(server.err.lines)
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (server.descriptors, hard))
    opened.enter_context(dial(server))
    server.err.wait_for(lambda line: "no new connections for" in line, since=before)
    wire.send(message[-1:])
    assert wire.answer().status == 400
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
    serves_again(server)


def test_one_address_gets_a_quarter_of_the_connections(start: Start, opened: ExitStack) -> None:
    server = start("--max-connections", "8", "--loops", "1")
    wires = [opened.enter_context(server.connect()) for _ in range(2)]
    for wire in wires:
        assert wire.ask("/digits.txt").status == 200
    with dial(server) as third:
        assert is_closed(third)
    line = server.err.wait_for(lambda line: " refused: " in line)
    for part in ("127.0.0.1", "8", "2"):
        assert part in line
    with server.context.wrap_socket(dial(server, "127.0.0.2"), server_hostname=NAME) as tls:
        tls.sendall(request("/digits.txt", "Connection: close"))
        assert tls.recv(64).startswith(b"HTTP/1.1 200 ")
    assert wires[0].ask("/digits.txt").status == 200
    wires[1].abort()
    serves_again(server)

"""Faults of the system and the network: the server stays up, recovers automatically, and leaks nothing."""

import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest

from attackers.crowd import Crowd, sources
from attackers.faults import FakeClock, failing, stopped, was_injected
from support.people import JSON, PASSWORD, App
from support.server import Server
from support.wire import Wire, request

ASSOCIATION = "/.well-known/apple-app-site-association"
GET = request("/digits.txt")
LIMIT = 20.0


@pytest.mark.parametrize("error", ["EMFILE", "ENFILE", "ENOMEM"])
def test_the_server_accepts_again_after_accept_failed(
    start: Callable[..., Server], recovered: Callable[..., Any], error: str
) -> None:
    server = start("--echo")
    with recovered(server), Crowd(server, sources(1)) as crowd, server.connect() as busy:
        # To free descriptors, the server closes idle connections of the client with the most connections.
        crowd.join(20, GET)
        busy.send(request("/echo", "Content-Length: 10", method="POST"), b"first")
        with failing(server, "accept4", error) as record, ExitStack() as stack:
            for _ in range(10):
                stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            server.err.wait_for(lambda line: "accept" in line and "no new connections" in line)
            assert was_injected(record)
            busy.send(b" last")
            assert busy.answer().status == 200
        with server.connect() as wire:
            assert wire.ask("/digits.txt").status == 200


@pytest.mark.parametrize("error", ["ECONNABORTED", "EINTR"])
def test_the_server_keeps_accepting_after_a_client_gave_up(start: Callable[..., Server], error: str) -> None:
    server = start()
    with failing(server, "accept4", error, when="1..20"):
        for _ in range(30):
            with server.connect() as wire:
                assert wire.ask("/digits.txt", "Connection: close").status == 200


# The system calls that SQLite uses to write to its WAL and to the disk.
DATABASE = [("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fdatasync,fsync", "EIO")]


@pytest.mark.parametrize(("calls", "error"), DATABASE, ids=[f"{error} of {calls}" for calls, error in DATABASE])
def test_a_database_that_cannot_write_is_503_until_it_can(
    start: Callable[..., Server], recovered: Callable[..., Any], calls: str, error: str
) -> None:
    server = start()
    with App(server) as app:
        token = app.sign_up("Before")
        with recovered(server):
            with failing(server, calls, error, server.database.with_name(server.database.name + "-wal")) as record:
                answer = app.call("/api/signup", {"username": "During", "password": PASSWORD})
                assert was_injected(record)
                assert answer.status == 503, (answer.status, answer.text)
                assert int(answer.field("Retry-After")) >= 1
                assert app.send("GET", ASSOCIATION).status == 200
            app.sign_up("After")
            assert app.sign_in("Before").status == 200
            assert app.is_signed_in(token)


@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EPIPE"])
def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path, error: str) -> None:
    log = tmp_path / "log"
    server = Server(tmp_path, wrapper=("sh", "-c", f'exec "$0" "$@" 2>>"{log}"'))
    try:
        with failing(server, "write,writev", error, log) as record:
            for _ in range(20):
                with server.connect() as wire:
                    assert wire.ask("/digits.txt", "Connection: close").status == 200
            assert was_injected(record)
        size = log.stat().st_size
        with server.connect() as wire:
            assert wire.ask("/long.txt", "Connection: close").status == 200
    finally:
        server.stop()
    assert "/long.txt" in log.read_bytes()[size:].decode(), "the log does not continue after the fault"


@pytest.mark.parametrize("error", ["EMFILE", "ENFILE", "EIO"])
def test_a_file_that_cannot_be_opened_is_an_error_of_that_request(
    start: Callable[..., Server], recovered: Callable[..., Any], error: str
) -> None:
    server = start()
    with recovered(server), server.connect() as wire:
        assert wire.ask("/digits.txt").status == 200
        with failing(server, "openat,openat2", error) as record:
            assert wire.ask("/long.txt").status in (500, 503)
            assert was_injected(record)
            assert wire.ask(ASSOCIATION).status == 200
        assert wire.ask("/long.txt").status == 200


def survive_a_stop(server: Server, recovered: Callable[..., Any], seconds: float) -> None:
    """Requests before and during the stop are served after it, or end at a deadline that passed during the stop."""
    with recovered(server):
        with Crowd(server, sources(2)) as crowd, Crowd(server, sources(2)) as late:
            idle = crowd.join(20, GET)
            crowd.join(20, GET[:-2])
            crowd.join(20, request("/api/signin", JSON, "Content-Length: 100", method="POST") + b"{")
            assert crowd.drive(lambda: crowd.statuses[200] == len(idle), LIMIT)
            with stopped(server):
                newcomers = [late.add(GET) for _ in range(50)]
                # The duration of the stop is the fault. The clients continue.
                late.drive(lambda: False, seconds)
            assert late.drive(lambda: late.statuses[200] == len(newcomers), LIMIT), (
                f"{late.statuses} for {len(newcomers)} connections opened during the stop"
            )
            for member in crowd.open:
                member.send(GET)
                crowd.update(member)
            # Idle connections are served or already closed. The other connections end with 400, 401 or 408.
            crowd.drive(lambda: all(one.is_closed or len(one.statuses) >= 2 for one in idle), LIMIT)
            assert all(one.is_closed or one.statuses == [200, 200] for one in idle)
        with server.connect() as wire:
            assert wire.ask("/digits.txt").status == 200


def test_a_server_that_is_stopped_and_continued_serves_again(
    start: Callable[..., Server], recovered: Callable[..., Any]
) -> None:
    survive_a_stop(start(), recovered, 3.0)


@pytest.mark.full
@pytest.mark.timeout(240)
def test_a_server_that_is_stopped_for_a_minute_serves_again(
    start: Callable[..., Server], recovered: Callable[..., Any]
) -> None:
    survive_a_stop(start(), recovered, 60.0)


YEAR = 365 * 86_400


def wait_for_date(wire: Wire, seconds: int) -> None:
    """Waits until responses contain a Date that differs by `seconds` from the real time."""
    deadline = time.monotonic() + LIMIT
    while True:
        answer = wire.ask("/digits.txt")
        assert answer.status == 200
        expected = datetime.now(UTC) + timedelta(seconds=seconds)
        shown = parsedate_to_datetime(answer.field("Date"))
        if abs(shown - expected) < timedelta(seconds=30):
            return
        assert time.monotonic() < deadline, f"{shown} instead of {expected}: the clock did not jump"


def test_clock_jumps_do_not_affect_clients(
    tmp_path: Path, start: Callable[..., Server], attack: Callable[..., Any], recovered: Callable[..., Any]
) -> None:
    """Jumps a year ahead, a year back and an hour each way. Connections, sign-ins and throttles survive."""
    clock = FakeClock(tmp_path)
    server = start(wrapper=clock.WRAPPER, variables=clock.variables)
    clock.remove(server)
    with App(server) as app, attack(server=server) as under:
        app.sign_up("Traveller")
        app.sign_in("Traveller", "wrong horse 1 staple")
        with recovered(server, spare=4), server.connect() as kept:
            for seconds in (3_600, -3_600, YEAR, 0, -YEAR, 0):
                clock.set(seconds)
                wait_for_date(kept, seconds)
                assert app.sign_in("Traveller").status == 200
                under.bystander.wait_for_requests(4)


class Connections:
    """Connections in each state, for the client to end."""

    def __init__(self, server: Server, stack: ExitStack) -> None:
        self._server = server
        self._stack = stack
        self._context = server.context
        large = server.home / "public" / "large.bin"
        if not large.exists():
            large.write_bytes(b"\xa5" * (8 << 20))

    def _wire(self, message: bytes = b"") -> Wire:
        wire = self._stack.enter_context(self._server.connect(context=self._context))
        wire.send(message)
        return wire

    def in_handshake(self) -> Wire:
        wire = self._stack.enter_context(Wire(self._server.port))
        wire.send(b"\x16\x03\x01\x02\x00\x01")
        return wire

    def idle(self) -> Wire:
        wire = self._wire(GET)
        assert wire.answer().status == 200
        return wire

    def in_head(self) -> Wire:
        return self._wire(GET[:-5])

    def in_content(self) -> Wire:
        return self._wire(request("/echo", "Content-Length: 1000", method="POST") + b"part")

    def in_discarded_content(self) -> Wire:
        return self._wire(request("/digits.txt", "Content-Length: 1000") + b"part")

    def while_a_handler_works(self) -> Wire:
        content = b'{"username": "nobody", "password": "wrong horse 1 staple"}'
        return self._wire(request("/api/signin", JSON, method="POST", content=content))

    def while_writing(self) -> Wire:
        return self._wire(request("/large.bin"))

    def lingering(self) -> Wire:
        wire = self._wire(b"broken\r\n\r\n")
        assert wire.answer().status == 400
        return wire

    @property
    def states(self) -> list[Callable[[], Wire]]:
        return [
            self.in_handshake,
            self.idle,
            self.in_head,
            self.in_content,
            self.in_discarded_content,
            self.while_a_handler_works,
            self.while_writing,
            self.lingering,
        ]


def half_close(wire: Wire) -> None:
    """Sends FIN without close_notify. The other direction stays open."""
    socket.socket.shutdown(wire._socket, socket.SHUT_WR)


ENDINGS = {"closed after close_notify": Wire.finish, "half-closed": half_close, "reset": Wire.abort}
EACH = 8


@pytest.mark.parametrize("end", ENDINGS.values(), ids=ENDINGS.keys())
def test_connections_that_end_in_any_state_release_everything(
    attack: Callable[..., Any], recovered: Callable[..., Any], end: Callable[[Wire], None]
) -> None:
    # A slow hash that needs only 4 MiB. The allocator may keep the memory for two hashes.
    options = ("--echo", "--scrypt", "15,1,16", "--write-timeout", "2", "--handshake-timeout", "3")
    with attack(*options, interval=0.1) as under:
        # The first round fills caches and pools.
        end_in_each_state(under.server, end)
        with recovered(under.server, spare=4):
            end_in_each_state(under.server, end)


def end_in_each_state(server: Server, end: Callable[[Wire], None]) -> None:
    with ExitStack() as stack:
        connections = Connections(server, stack)
        for state in connections.states:
            for wire in [state() for _ in range(EACH)]:
                end(wire)
        if end is not Wire.abort:
            # The connections stay open on this side: the server must end them within its deadlines.
            assert_server_ends(server, EACH)


def assert_server_ends(server: Server, spare: int) -> None:
    """Waits until the server has at most `spare` open connections."""
    from attackers.memory import wait_until

    def held() -> int:
        port = f":{server.port:04X}"
        with open("/proc/self/net/tcp") as table:
            rows = [line.split() for line in table]
        return sum(1 for row in rows if row[1].endswith(port) and row[3] != "0A" and row[9] != "0")

    assert wait_until(lambda: held() <= spare, server), f"the server still has {held()} connections"


def test_a_client_that_never_reads_costs_no_memory(attack: Callable[..., Any], recovered: Callable[..., Any]) -> None:
    with attack("--write-timeout", "3") as under, recovered(under.server):
        (under.server.home / "public" / "large.bin").write_bytes(b"\xa5" * (8 << 20))
        with Crowd(under.server, sources(4)) as crowd:
            for member in crowd.join(100):
                member.reads = False
                member.send(request("/large.bin") * 50)
                crowd.update(member)
            under.bystander.wait_for_requests(20)
            under.memory.hold(100_000_000)


def test_a_server_under_load_stops_cleanly(start: Callable[..., Server]) -> None:
    """After SIGTERM with connections in each state, the server exits with code 0 within the drain time."""
    server = start("--echo", "--drain", "2")
    with ExitStack() as stack:
        connections = Connections(server, stack)
        for state in connections.states:
            state()
        server.signal(signal.SIGTERM)
        assert server.wait() == 0

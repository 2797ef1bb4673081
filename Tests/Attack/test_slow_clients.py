"""Connections of clients that send or read too slowly end in bounded time. Also tests clients that read very fast."""

import itertools
import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from attackers.crowd import Crowd, sources
from attackers.trickle import End, read_slowly, trickle
from support.fixtures import Start
from support.people import FORM, JSON, together
from support.server import Server
from support.wire import Ending, Wire, request

# The specification's limit for every kind of trickle, in seconds.
ENDS_WITHIN = 45.0
OCTETS = "Content-Type: application/octet-stream"
KIB, MIB = 1 << 10, 1 << 20

Pieces = Iterable[tuple[float, bytes]]


def steady(pause: float, size: int) -> Callable[[], Pieces]:
    return lambda: ((pause, b"a" * size) for _ in itertools.count())


def burst_then_stall(size: int) -> Callable[[], Pieces]:
    return lambda: [(0.0, b"a" * size)]


def burst_then_trickle(size: int) -> Callable[[], Pieces]:
    return lambda: itertools.chain([(0.0, b"a" * size)], ((5.0, b"a") for _ in itertools.count()))


# Name, target, field, Content-Length, pieces, and the specified time until the end, in seconds. The rate covers the
# last 10 s, so a burst delays the end by 10 s.
TRICKLES = [
    ("1 byte in 5 s", "/api/signin", JSON, 16 * KIB, steady(5.0, 1), 15),
    ("400 bytes a second", "/echo", OCTETS, MIB, steady(0.25, 100), 20),
    ("400 bytes a second of a form", "/signin", FORM, 16 * KIB, steady(0.25, 100), 20),
    ("a burst, then nothing", "/echo", OCTETS, MIB, burst_then_stall(200 * KIB), 25),
    ("a burst, then 1 byte in 5 s", "/echo", OCTETS, MIB, burst_then_trickle(200 * KIB), 25),
    ("a burst to /check, then 1 byte in 5 s", "/check", FORM, 512 * KIB, burst_then_trickle(100 * KIB), 25),
    ("a page with GET, 1 byte in 5 s", "/", OCTETS, 200 * KIB, steady(5.0, 1), 40),
]
# Fast enough for the rate limit, but not for the time limit for the whole content.
ENDLESS = ("1,000 bytes a second without end", "/echo", OCTETS, MIB, steady(0.25, 250), 65)


def run(server: Server, rows: list[Any], limit: float) -> dict[str, End]:
    """Runs all trickles at the same time, each on its own connection."""

    def one(index: int) -> End:
        name, target, field, length, pieces, _ = rows[index]
        method = "GET" if "GET" in name else "POST"
        head = request(target, field, f"Content-Length: {length}", method=method)
        with server.connect(source=f"127.0.0.{10 + index}") as wire:
            return trickle(wire, head, pieces(), limit)

    ends = together(len(rows), one)
    return {row[0]: end for row, end in zip(rows, ends, strict=True)}


def hold(rows: list[Any], ends: dict[str, End], within: float) -> None:
    print("\n".join(f"{name}: {end}" for name, end in ends.items()))
    wrong = []
    for name, _, _, _, _, seconds in rows:
        end = ends[name]
        status = end.answer.status if end.answer else None
        # The server sends a page before the request's content is complete. Only the connection must end.
        expected = (200, 408) if "GET" in name else (408,)
        if end.ending is Ending.OPEN or end.seconds > min(within, seconds + 5) or status not in expected:
            wrong.append(f"{name}: {end}; expected {expected} within {min(within, seconds + 5):.0f} s")
    assert not wrong, "\n".join(wrong)


@pytest.mark.timeout(180)
def test_trickled_content_ends(attack: Callable[..., Any]) -> None:
    with attack("--echo", interval=0.5) as under:
        hold(TRICKLES, run(under.server, TRICKLES, ENDS_WITHIN), ENDS_WITHIN)


@pytest.mark.full
@pytest.mark.timeout(240)
def test_content_has_a_deadline_as_a_whole(attack: Callable[..., Any]) -> None:
    with attack("--echo", interval=0.5) as under:
        hold([ENDLESS], run(under.server, [ENDLESS], 90.0), 90.0)


@pytest.mark.full
@pytest.mark.timeout(240)
def test_a_hundred_trickles_of_each_kind_end(attack: Callable[..., Any]) -> None:
    rows = [(f"{row[0]} #{number}", *row[1:]) for row in TRICKLES[:5] for number in range(40)]
    with attack("--echo", interval=0.5) as under:
        hold(rows, run(under.server, rows, ENDS_WITHIN + 10), ENDS_WITHIN)


def large_response(server: Server, size: int) -> bytes:
    (server.home / "public" / "large.bin").write_bytes(b"\xa5" * size)
    return request("/large.bin")


def slow_reader(server: Server, opened: ExitStack, source: str) -> Wire:
    return opened.enter_context(server.connect(source=source))


def test_a_client_that_does_not_read_is_closed(attack: Callable[..., Any], opened: ExitStack) -> None:
    with attack("--write-timeout", "2", interval=0.2) as under:
        message = large_response(under.server, 64 * MIB)
        wires = [slow_reader(under.server, opened, address) for address in sources(20)]
        for wire in wires:
            wire.send(message)
        ends = together(len(wires), lambda index: read_slowly(wires[index], 0, 20.0))
        print("closed after", sorted(round(end, 1) for end in ends if end is not None))
        assert all(end is not None for end in ends), f"{ends.count(None)} of {len(ends)} connections are still open"


@pytest.mark.full
@pytest.mark.timeout(240)
def test_a_client_that_reads_too_slowly_is_closed(attack: Callable[..., Any], opened: ExitStack) -> None:
    """The client reads less than 500 bytes per second over the last 30 s, or makes no progress for 30 s."""
    rates = [0, 100, 400]
    with attack(interval=0.5) as under:
        message = large_response(under.server, 64 * MIB)
        wires = [slow_reader(under.server, opened, address) for address in sources(len(rates))]
        for wire in wires:
            wire.send(message)
        ends = together(len(rates), lambda index: read_slowly(wires[index], rates[index], 90.0))
        print("closed after", dict(zip(rates, ends, strict=True)))
        assert all(end is not None and end < 75 for end in ends), ends


@pytest.mark.full
@pytest.mark.timeout(240)
def test_pipelined_style_sheets_that_are_read_slowly_are_closed(attack: Callable[..., Any], opened: ExitStack) -> None:
    with attack(interval=0.5) as under:
        (under.server.home / "public" / "style.css").write_text("a { color: red }\n" * 4_000)
        wire = slow_reader(under.server, opened, "127.0.0.2")
        wire.send(request("/style.css") * 400)
        end = read_slowly(wire, 200, 90.0)
        assert end is not None and end < 75, end


@pytest.mark.full
@pytest.mark.timeout(240)
def test_fast_downloads_do_not_hold_the_loop(attack: Callable[..., Any], start: Start, tmp_path: Path) -> None:
    """The loop must not keep writing to one client while that client can receive more data."""
    (tmp_path / "digits.txt").write_text("0123456789" * 10)
    (tmp_path / "large.bin").write_bytes(bytes(60 * MIB))
    server = start("--loops", "1", public=tmp_path)
    with attack(server=server, interval=0.005) as under:
        downloads = together(4, lambda _: server.curl("/large.bin?[1-20]", "--output", os.devnull, limit=60))
        assert [download.returncode for download in downloads] == [0] * 4, downloads[0].stderr
        under.hold(latency=100, most=150 * MIB)


def test_slow_heads_end(attack: Callable[..., Any]) -> None:
    """Slowloris: many connections that each add a field line to the head now and then."""
    with attack("--head-timeout", "3", interval=0.1) as under, Crowd(under.server, sources(4)) as crowd:
        members = crowd.join(200, request("/digits.txt")[:-2])
        assert len(crowd.open) == len(members)
        for member in members:
            member.send(b"X-Slow: 1\r\n")
            crowd.update(member)
        assert crowd.drive(lambda: not crowd.open, 15.0), f"{len(crowd.open)} of {len(members)} are still open"
        assert set(crowd.statuses) <= {408}, crowd.statuses


@pytest.mark.full
@pytest.mark.timeout(240)
def test_a_thousand_slow_heads_end(attack: Callable[..., Any]) -> None:
    with attack(interval=0.1) as under, Crowd(under.server, sources(4)) as crowd:
        members = crowd.join(1_000, request("/digits.txt")[:-2])
        number = 0
        while crowd.open and number < 30:
            number += 1
            for member in crowd.open:
                member.send(b"X-Slow: 1\r\n")
                crowd.update(member)
            crowd.drive(lambda: not crowd.open, 1.0)
        assert not crowd.open, f"{len(crowd.open)} of {len(members)} connections are still open after {number} s"

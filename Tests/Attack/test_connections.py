"""Near the connection limit, every request of a well-behaved client succeeds."""

import multiprocessing
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from attackers.bystander import Bystander
from attackers.crowd import Crowd, Member, sources
from attackers.memory import MemoryWatch
from support.server import Server
from support.waiting import LIMIT
from support.wire import request

GET = request("/digits.txt")
MOST = 256
# The maximum number of new connections that stay open during the attack.
PRESENT = 800


def small(attack: Callable[..., Any], **settings: Any) -> Any:
    return attack("--max-connections", str(MOST), "--loops", "2", **settings)


def test_idle_connections_make_room(attack: Callable[..., Any]) -> None:
    with small(attack) as under, Crowd(under.server, sources(8)) as crowd:
        crowd.join(MOST, GET)
        assert crowd.drive(lambda: crowd.statuses[200] >= MOST // 2, LIMIT)
        served = crowd.statuses[200]
        crowd.join(2 * MOST, GET)
        assert crowd.drive(lambda: crowd.statuses[200] > served, LIMIT), "idle connections do not make room"
        assert len(crowd.open) <= MOST


def test_idle_clients_exclude_no_new_client(start: Callable[..., Server], opened: ExitStack) -> None:
    """Each client has one connection, so only its age and its state decide which one makes room."""
    server = start("--max-connections", "64", "--loops", "1")
    for address in sources(64):
        assert opened.enter_context(server.connect(source=address)).ask("/digits.txt").status == 200
    for number in range(10):
        wire = opened.enter_context(server.connect(source=f"127.0.1.{number + 1}"))
        wire.send(GET[:9], settled=True)
        opened.enter_context(server.connect(source=f"127.0.2.{number + 1}"))
        wire.send(GET[9:])
        assert wire.answer().status == 200


def test_handshakes_that_never_end_make_room(attack: Callable[..., Any]) -> None:
    """Eight addresses, which together could hold more than all slots, send no bytes."""
    with small(attack) as under, Crowd(under.server, sources(8), tls=False) as crowd:
        crowd.join(2 * MOST)
        under.bystander.wait_for_requests(20)
        crowd.join(MOST)
        assert crowd.drive(lambda: len(crowd.open) < MOST, LIMIT), "the server closes no handshake"


def test_handshakes_that_never_end_make_room_for_many_clients(attack: Callable[..., Any], opened: ExitStack) -> None:
    """The flood continues while the server serves five clients at five addresses."""
    with small(attack) as under, Crowd(under.server, sources(8), tls=False) as crowd:
        crowd.join(2 * MOST, b"\x16\x03\x01")
        others = [
            opened.enter_context(Bystander(under.server, 0.1, source=address)) for address in sources(5, first=60)
        ]
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline and len(others[-1].so_far().services) < 10:
            crowd.join(50, b"\x16\x03\x01")
        for other in others:
            report = other.stop()
            assert not report.failures, f"{report}; first failure: {report.failures[0]}"


def test_one_address_takes_a_quarter_at_most(attack: Callable[..., Any]) -> None:
    with small(attack) as under, Crowd(under.server, sources(1)) as crowd:
        crowd.join(MOST, GET)
        assert len(crowd.open) <= MOST // 4


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("finished", [True, False], ids=["connections", "unfinished handshakes"])
def test_18750_idle_connections_and_1000_new_ones_a_second(attack: Callable[..., Any], finished: bool) -> None:
    idle, rate, seconds = 18_750, 1_000, 20
    # By default, the memory of all connections is enough for 13,000 idle connections over TLS.
    options = ("--idle-timeout", "600", "--max-memory", str(1 << 29))
    with attack(*options) as under, Crowd(under.server, sources(8)) as crowd:
        began = time.monotonic()
        for _ in range(idle // 750):
            for member in crowd.join(750, GET):
                member.release_tls()
        print(f"{len(crowd.open)} idle connections after {time.monotonic() - began:.0f} s")
        assert len(crowd.open) > idle * 0.95, "raise the descriptor limit (ulimit -n) to 20000"
        # The idle connections alone exceed the memory limit for an attack. The limit applies to additional memory.
        under.memory = MemoryWatch(under.server)
        achieved = pour_in(under.server, rate, seconds, finished)
        print(f"{achieved:.0f} new connections per second")
        under.hold(requests=100)
        assert achieved > 0.8 * rate, f"the attack reached {achieved:.0f} of {rate} new connections per second"


def pour_in(server: Server, rate: int, seconds: float, finished: bool) -> float:
    """Opens new connections at a rate from two processes. One process cannot perform 1,000 handshakes per second.

    Returns the number of opened connections per second.
    """
    context = multiprocessing.get_context("fork")
    rates: multiprocessing.Queue[float] = context.Queue()

    def pour(first_source: int) -> None:
        rates.put(pour_alone(server, rate / 2, seconds, finished, first_source))

    processes = [context.Process(target=pour, args=(first,), daemon=True) for first in (20, 30)]
    for process in processes:
        process.start()
    total = sum(rates.get(timeout=seconds + 60) for _ in processes)
    for process in processes:
        process.join(60)
    return total


def pour_alone(server: Server, rate: float, seconds: float, finished: bool, first_source: int) -> float:
    """Opens new connections at a rate from this process. Returns the number of opened connections per second."""
    opened = 0
    # The oldest new connections close, so that this process stays below its own descriptor limit.
    present: deque[Member] = deque()
    with Crowd(server, sources(10, first=first_source), tls=finished) as comers:
        began = time.monotonic()
        while (passed := time.monotonic() - began) < seconds:
            for _ in range(max(0, min(int(passed * rate) - opened, 64))):
                if len(present) >= PRESENT:
                    oldest = present.popleft()
                    oldest.abort()
                    comers.update(oldest)
                    comers.members.remove(oldest)
                present.append(comers.add(GET if finished else b"\x16\x03\x01"))
                opened += 1
            comers.turn(time.monotonic() + 0.01)
        return opened / (time.monotonic() - began)

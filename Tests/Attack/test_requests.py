"""Many, large and strange requests: memory is bounded, responses are complete, and other clients are served."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from attackers.crowd import Crowd, sources
from attackers.flood import Flood
from support.wire import NAME, request

GET = request("/digits.txt")
REQUESTS = 10_000


def test_ten_thousand_pipelined_requests_without_reading(attack: Callable[..., Any], opened: ExitStack) -> None:
    with attack() as under, Crowd(under.server, sources(1)) as crowd:
        (under.server.home / "public" / "page.bin").write_bytes(b"\xa5" * 4_000)
        member = crowd.join(1)[0]
        member.reads = False
        member.send(request("/page.bin") * REQUESTS)
        crowd.update(member)
        # The server stops reading when the client does not read its output.
        under.bystander.wait_for_requests(20)
        crowd.drive(lambda: False, 1.0)
        under.memory.hold(30_000_000)
        member.reads = True
        crowd.update(member)
        assert crowd.drive(lambda: len(member.statuses) >= REQUESTS or member.is_closed, 60.0)
        assert member.statuses == [200] * REQUESTS, f"{len(member.statuses)} responses, {member.fault}"


MANY_RANGES = "Range: bytes=" + ",".join(f"{number}-{number}" for number in range(0, 4000, 2))
OVERLAPPING = "Range: bytes=" + ",".join("0-" for _ in range(3000))


@pytest.mark.parametrize("field", [MANY_RANGES[:16000], OVERLAPPING], ids=["many", "overlapping"])
def test_many_ranges_cost_no_more_than_the_file(attack: Callable[..., Any], field: str) -> None:
    field = field.rstrip(",-") + ("-" if field.endswith("-") else "")
    with attack() as under:
        size = len((under.server.home / "public" / "long.txt").read_bytes())
        with under.server.connect() as wire:
            answer = wire.ask("/long.txt", field)
            assert answer.status in (200, 206, 416, 431), answer.status
            assert len(answer.content) <= size
        message = request("/long.txt", field)
        with Flood(under.server, sources(2), lambda _: message, connections=20, rate=1_000) as flood:
            flood.wait_for(lambda: flood.statuses.total() >= 500)
        assert set(flood.statuses) <= {200, 206, 416, 431}, flood.statuses


FIELDS = {
    "101 field lines": "\r\n".join(f"X-{number}: 1" for number in range(101)),
    "a field of 20 KiB": "X-Long: " + "a" * (20 << 10),
    "10,000 empty fields": "\r\n".join("X:" for _ in range(10_000)),
    "cookies of 20 KiB": "Cookie: " + "; ".join(f"c{number}=1" for number in range(2_500)),
}


@pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS.keys())
def test_too_many_fields_are_refused(attack: Callable[..., Any], fields: str) -> None:
    message = f"GET / HTTP/1.1\r\nHost: {NAME}\r\n{fields}\r\n\r\n".encode()
    with attack() as under, Crowd(under.server, sources(4)) as crowd:
        crowd.join(100, message)
        assert crowd.drive(lambda: not crowd.open, 15.0), f"{len(crowd.open)} connections are still open"
        assert set(crowd.statuses) == {431}, crowd.statuses
        assert crowd.statuses[431] == 100

"""Request content without an end: memory is bounded, and the server serves other clients."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from attackers.crowd import Crowd, sources
from support.people import FORM, JSON
from support.wire import NAME

KIB, MIB = 1 << 10, 1 << 20
# The server may respond early and ignore the rest of the content.
PATIENCE = 90.0


def head(method: str, target: str, *field_lines: str) -> bytes:
    return "\r\n".join([f"{method} {target} HTTP/1.1", f"Host: {NAME}", *field_lines, "", ""]).encode()


@dataclass(frozen=True)
class Unfinished:
    """Requests whose content lacks its last byte: the method, the target, and the announced length."""

    name: str
    method: str
    target: str
    field: str
    length: int
    chunked: bool = False

    @property
    def message(self) -> bytes:
        content = b"a" * (self.length - 1)
        if self.chunked:
            chunk = f"{self.length:x}\r\n".encode() + content
            return head(self.method, self.target, self.field, "Transfer-Encoding: chunked") + chunk
        return head(self.method, self.target, self.field, f"Content-Length: {self.length}") + content


OCTETS = "Content-Type: application/octet-stream"
LARGE = [
    Unfinished("sign-in call", "POST", "/api/signin", JSON, MIB),
    Unfinished("check form", "POST", "/check", FORM, MIB),
    Unfinished("echo", "POST", "/echo", OCTETS, MIB),
    Unfinished("page with GET", "GET", "/", OCTETS, MIB),
    Unfinished("chunked sign-in call", "POST", "/api/signin", JSON, MIB, chunked=True),
    Unfinished("chunked echo", "POST", "/echo", OCTETS, MIB, chunked=True),
]
BELOW_LIMIT = [
    Unfinished("forms just below 16 KiB", "POST", "/signin", FORM, 16 * KIB),
    Unfinished("checks just below 512 KiB", "POST", "/check", FORM, 512 * KIB),
    Unfinished("echoes just below 1 MiB", "POST", "/echo", OCTETS, MIB),
]


def bombard(attack: Callable[..., Any], addresses: list[str], kinds: list[Unfinished], count: int) -> None:
    with attack("--echo") as under, Crowd(under.server, addresses) as crowd:
        messages = [kind.message for kind in kinds]
        for number, message in enumerate(messages):
            share = count // len(kinds) + (number < count % len(kinds))
            crowd.join(share, message, limit=PATIENCE)
        crowd.drive(lambda: not any(member.out for member in crowd.members if not member.is_closed), limit=PATIENCE)
        print(f"{len(crowd.open)} of {count} connections are open, responses {dict(crowd.statuses)}")
        sent = sum(member.sent for member in crowd.members)
        print(f"{sent / 1e6:.0f} MB sent")
        under.hold()


@pytest.mark.parametrize("kind", [LARGE[0], LARGE[3], LARGE[5]], ids=lambda kind: kind.name)
def test_unfinished_content_of_one_address(attack: Callable[..., Any], kind: Unfinished) -> None:
    bombard(attack, sources(1), [kind], 250)


def test_unfinished_content_below_the_limit_of_many_addresses(attack: Callable[..., Any]) -> None:
    bombard(attack, sources(20), BELOW_LIMIT[2:], 240)


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", LARGE, ids=lambda kind: kind.name)
def test_1500_unfinished_contents_of_one_address(attack: Callable[..., Any], kind: Unfinished) -> None:
    bombard(attack, sources(1), [kind], 1_500)


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", BELOW_LIMIT, ids=lambda kind: kind.name)
def test_1500_unfinished_contents_below_the_limit_of_forty_addresses(
    attack: Callable[..., Any], kind: Unfinished
) -> None:
    bombard(attack, sources(40), [kind], 1_500)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_1500_unfinished_contents_of_every_kind(attack: Callable[..., Any]) -> None:
    bombard(attack, sources(1), LARGE, 1_500)

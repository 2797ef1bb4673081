"""Content over a route's limit is refused as soon as the head arrives. Other routes discard content."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from support.people import FORM, JSON
from support.server import Server
from support.wire import NAME, Ending, Wire, request

KIB, MIB = 1 << 10, 1 << 20
# Far below 15 s, the time without data after which a server stops waiting for content.
IMMEDIATELY = 5.0
OCTETS = "Content-Type: application/octet-stream"
# The maximum number of bytes that the server reads and discards after a response, before it closes.
UNREAD = 256 * KIB


@dataclass(frozen=True)
class Route:
    """A route that accepts content, and the maximum size of its content."""

    method: str
    target: str
    field: str
    limit: int

    def __str__(self) -> str:
        return f"{self.method} {self.target}"


ROUTES = [
    *(Route("POST", f"/api/{call}", JSON, 16 * KIB) for call in ("signup", "signin", "update", "signout")),
    Route("DELETE", "/api/account", JSON, 16 * KIB),
    *(Route("POST", f"/ultra_motivator/api/{call}.py", JSON, 16 * KIB) for call in ("signup", "signin", "update")),
    *(Route("POST", target, FORM, 16 * KIB) for target in ("/signup", "/signin", "/update", "/account/delete")),
    *(Route("POST", f"/ultra_motivator/web/{page}.py", FORM, 16 * KIB) for page in ("signup", "signin", "update")),
    Route("POST", "/check", FORM, 512 * KIB),
    Route("POST", "/echo", OCTETS, MIB),
]
DISCARDING = ["/", "/digits.txt", "/.well-known/apple-app-site-association", "/signin", "/check", "/docs", "/missing"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    running = Server(tmp_path_factory.mktemp("limits"), "--echo")
    yield running
    running.stop()


def send_head(server: Server, route: Route, *framing: str) -> Wire:
    wire = server.connect()
    wire.send(request(route.target, route.field, *framing, method=route.method))
    return wire


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_a_length_over_the_limit_is_refused_before_any_content(server: Server, route: Route) -> None:
    with send_head(server, route, f"Content-Length: {route.limit + 1}") as wire:
        answer = wire.answer(limit=IMMEDIATELY)
        assert answer.status == 413, answer
        assert answer.closes


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_chunks_over_the_limit_are_refused_when_the_count_exceeds_it(server: Server, route: Route) -> None:
    with send_head(server, route, "Transfer-Encoding: chunked") as wire:
        wire.send(f"{route.limit:x}\r\n".encode() + b"a" * route.limit + b"\r\n", b"1\r\na\r\n")
        answer = wire.answer(limit=IMMEDIATELY)
        assert answer.status == 413, answer
        assert answer.closes


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_content_at_the_limit_is_read(server: Server, route: Route) -> None:
    with send_head(server, route, f"Content-Length: {route.limit}") as wire:
        wire.send(b"a" * route.limit)
        assert wire.answer().status not in (408, 413, 503)


@pytest.mark.parametrize("target", DISCARDING)
def test_other_routes_discard_content_and_keep_the_connection(server: Server, target: str) -> None:
    with server.connect() as wire:
        wire.send(request(target, OCTETS, f"Content-Length: {UNREAD}"))
        first = wire.answer(limit=IMMEDIATELY)
        assert first.status in (200, 404), first
        wire.send(b"a" * UNREAD)
        assert wire.ask("/digits.txt").content == b"0123456789" * 10


@pytest.mark.parametrize("target", DISCARDING)
def test_other_routes_respond_at_once_and_close_when_the_content_is_too_long(server: Server, target: str) -> None:
    with server.connect() as wire:
        wire.send(request(target, OCTETS, f"Content-Length: {10 * MIB}"))
        answer = wire.answer(limit=IMMEDIATELY)
        assert answer.status in (200, 404, 413), answer
        wire.send(b"a" * MIB)
        assert wire.wait_for_end() is not Ending.OPEN


def test_the_error_after_a_head_request_has_its_content(server: Server) -> None:
    """After a HEAD request, the response to a malformed request has content."""
    for broken in (b"GET /\x01 HTTP/1.1\r\n\r\n", b"\0\0\0\0\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"):
        with server.connect() as wire:
            assert wire.ask("/missing", method="HEAD").status == 404
            wire.send(broken)
            answer = wire.answer()
            assert answer.status == 400, answer
            assert answer.closes
            assert len(answer.content) == int(answer.field("Content-Length")) > 0
            assert wire.wait_for_end() is not Ending.OPEN


def test_the_error_of_a_pipelined_request_after_a_head_request_has_its_content(server: Server) -> None:
    with server.connect() as wire:
        wire.send(request("/missing", method="HEAD") + b"G\x01T / HTTP/1.1\r\n\r\n")
        assert wire.answer("HEAD").status == 404
        answer = wire.answer()
        assert answer.status == 400
        assert answer.content


def test_the_error_for_a_head_that_is_too_slow_has_its_content_after_a_head_request(
    start: Callable[..., Server], opened: ExitStack
) -> None:
    wire = opened.enter_context(start("--head-timeout", "1").connect())
    assert wire.ask("/missing", method="HEAD").status == 404
    wire.send(f"GET / HTTP/1.1\r\nHost: {NAME}\r\n".encode())
    answer = wire.answer()
    assert answer.status == 408
    assert answer.content

"""The hosts of `serve --faults` with broken responses: their bytes show only the named fault."""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from support.faulty import (
    APP,
    HTTP_GROUP,
    OTHER_APP,
    PATHS,
    RIGHT,
    ROOT_PATH,
    WELL_KNOWN,
    FaultyServer,
    Received,
    run_openssl,
)
from support.server import Server
from support.wire import Ending, request

JSON, SIGNED, PAGE = "application/json", "application/pkcs7-mime", "text/html; charset=utf-8"
ONLY_OTHER = {"webcredentials": {"apps": [OTHER_APP]}}
Start = Callable[..., Server]


@dataclass(frozen=True)
class Case:
    """The expected response to a path. `extract` returns the content without the fault."""

    name: str
    status: int = 200
    type: str | None = "right"
    fields: tuple[tuple[str, str], ...] = ()
    extract: Callable[[Received], bytes] | None = None
    expected: tuple[object, object] | None = (RIGHT, RIGHT)


def whole(received: Received) -> bytes:
    assert received.field("Content-Length") == str(len(received.content))
    assert received.ending is Ending.ORDERLY
    return received.content


def longer_than_announced(received: Received) -> bytes:
    length = received.field("Content-Length")
    assert length and int(length) == len(received.content) // 2
    return received.content


def from_chunks(received: Received) -> bytes:
    assert received.field("Transfer-Encoding") == "chunked"
    assert received.field("Content-Length") is None
    content, rest = b"", received.content
    while True:
        size, _, rest = rest.partition(b"\r\n")
        chunk, rest = rest[: int(size, 16)], rest[int(size, 16) :]
        assert rest.startswith(b"\r\n")
        content, rest = content + chunk, rest[2:]
        if not chunk:
            assert rest == b""
            return content


def from_gzip(received: Received) -> bytes:
    assert received.field("Content-Encoding") == "gzip"
    return gzip.decompress(whole(received))


def status(code: int, *fields: tuple[str, str]) -> Case:
    return Case(f"status-{code}", code, None, fields, expected=None)


def page(name: str, *fields: tuple[str, str]) -> Case:
    return Case(name, 200, PAGE, fields, expected=None)


CASES = [
    status(401, ("WWW-Authenticate", 'Basic realm="test"')),
    *(status(code) for code in (304, 403, 404, 410, 418, 429, 451, 204, 500, 502, 504, 599)),
    status(503, ("Retry-After", "120")),
    Case("slow-content", extract=whole),
    Case("short-length", extract=longer_than_announced),
    Case("chunked", extract=from_chunks),
    Case("gzip", extract=from_gzip),
    Case("no-content-type", type=None, extract=whole),
    Case("type-html", type="text/html", extract=whole),
    Case("type-octet-stream", type="application/octet-stream", extract=whole),
    page("html-page"),
    page("cookie-wall", ("Set-Cookie", "seen=1; Secure; HttpOnly")),
    Case("paths-differ", extract=whole, expected=(ONLY_OTHER, RIGHT)),
    Case("paths-differ-reversed", extract=whole, expected=(RIGHT, ONLY_OTHER)),
]
SAME_HOST = (301, 302, 307, 308)
OTHERS = {
    *(f"redirect-{code}" for code in SAME_HOST),
    *("redirect-http", "redirect-loop", "redirect-other-host", "flaky-503"),
    *("stall-head", "stall-content", "truncated", "only-root", "only-well-known"),
}


def file_in(faulty: FaultyServer, content: bytes, path: str) -> object:
    """Returns the JSON value of a file. At the root path, it must have a valid signature."""
    if path == ROOT_PATH:
        done = run_openssl(
            *("cms", "-verify", "-inform", "DER", "-purpose", "sslserver", "-CAfile", faulty.server.authority),
            given=content,
        )
        assert done.code == 0, done.err
        content = done.out
    return json.loads(content)


def is_right(faulty: FaultyServer, name: str, path: str, target: str | None = None) -> bool:
    received = faulty.fetch(name, target or path)
    return received.status == 200 and file_in(faulty, whole(received), path) == RIGHT


def test_every_host_of_the_group_has_a_case(faulty: FaultyServer) -> None:
    assert sorted([*(case.name for case in CASES), *OTHERS]) == sorted(faulty.names(HTTP_GROUP))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_response_has_exactly_one_fault(faulty: FaultyServer, case: Case) -> None:
    for path, expected in zip(PATHS, case.expected or (None, None), strict=True):
        received = faulty.fetch(case.name, path)
        assert received.status == case.status
        for name in ("WWW-Authenticate", "Retry-After", "Set-Cookie", "Location", "Content-Encoding"):
            if name != "Content-Encoding" or case.name != "gzip":
                assert received.field(name) == dict(case.fields).get(name)
        if case.extract:
            right = SIGNED if path == ROOT_PATH else JSON
            assert received.field("Content-Type") == (right if case.type == "right" else case.type)
            assert file_in(faulty, case.extract(received), path) == expected
        else:
            assert APP.encode() not in received.content
            if case.type:
                assert received.field("Content-Type") == case.type
            if case.status in (204, 304):
                assert received.content == b""


@pytest.mark.parametrize("code", SAME_HOST)
def test_a_redirect_leads_to_the_right_file_of_the_same_host(faulty: FaultyServer, code: int) -> None:
    for path in PATHS:
        received = faulty.fetch(f"redirect-{code}", path)
        target = received.field("Location")
        assert received.status == code
        assert target and target.startswith("/") and target != path
        assert is_right(faulty, f"redirect-{code}", path, target)


def test_a_redirect_leads_to_an_http_url(faulty: FaultyServer) -> None:
    for path in PATHS:
        received = faulty.fetch("redirect-http", path)
        assert received.status == 302
        assert (received.field("Location") or "").startswith(f"http://{faulty.host('redirect-http')}/")


def test_redirects_lead_to_themselves(faulty: FaultyServer) -> None:
    for path in PATHS:
        target: str | None = path
        for _ in range(3):
            received = faulty.fetch("redirect-loop", target or "")
            assert received.status == 302
            target = received.field("Location")
            assert target == path


def test_a_redirect_leads_to_another_host_that_has_the_file(faulty: FaultyServer) -> None:
    domain = faulty.list["suffix"].removeprefix(".faults.")
    for path in PATHS:
        received = faulty.fetch("redirect-other-host", path)
        assert received.status == 301
        assert received.field("Location") == f"https://{domain}:{faulty.server.port}{path}"
    with faulty.server.connect(domain) as wire:
        assert APP in json.loads(wire.ask(WELL_KNOWN, host=domain).content)["webcredentials"]["apps"]


def test_a_host_without_one_path_serves_the_other(faulty: FaultyServer) -> None:
    for name, present, absent in (("only-root", ROOT_PATH, WELL_KNOWN), ("only-well-known", WELL_KNOWN, ROOT_PATH)):
        assert faulty.fetch(name, absent).status == 404
        assert is_right(faulty, name, present)


def test_a_cookie_opens_the_wall(faulty: FaultyServer) -> None:
    for path in PATHS:
        received = faulty.fetch("cookie-wall", path, "Cookie: seen=1")
        assert file_in(faulty, whole(received), path) == RIGHT


def test_a_truncated_response_ends_before_its_length(faulty: FaultyServer) -> None:
    for path in PATHS:
        received = faulty.fetch("truncated", path)
        length = received.field("Content-Length")
        assert received.status == 200
        assert length and int(length) // 2 == len(received.content)
        assert received.ending in (Ending.ORDERLY, Ending.RAGGED)


def test_no_status_line_comes(faulty: FaultyServer) -> None:
    for path in PATHS:
        assert faulty.silent_after("stall-head", path, lambda data: True) == b""


def test_the_content_stops_halfway(faulty: FaultyServer) -> None:
    def has_half(data: bytes) -> bool:
        received = Received(data, Ending.OPEN)
        return b"\r\n\r\n" in data and len(received.content) >= int(received.field("Content-Length") or "0") // 2

    for path in PATHS:
        data = faulty.silent_after("stall-content", path, has_half)
        assert Received(data, Ending.OPEN).status == 200


def test_slow_content_comes_in_two_parts(faulty: FaultyServer) -> None:
    """The second part arrives later than the time limit for a silent host."""
    data = faulty.silent_after("slow-content", WELL_KNOWN, lambda data: b"webcredentials" in data)
    with pytest.raises(json.JSONDecodeError):
        json.loads(Received(data, Ending.OPEN).content)


def test_the_flaky_host_recovers_after_two_requests_of_each_client(start: Start) -> None:
    faulty = FaultyServer.of(start("--faults"))

    def statuses(count: int, source: str) -> list[int]:
        message = request(WELL_KNOWN, "Connection: close", host=faulty.host("flaky-503"))
        found = []
        for _ in range(count):
            with faulty.server.connect(faulty.host("flaky-503"), source=source) as wire:
                wire.send(message)
                found.append(wire.answer().status)
        return found

    assert statuses(4, "127.0.0.1") == [503, 503, 200, 200]
    assert statuses(1, "127.0.0.2") == [503]
    assert is_right(faulty, "flaky-503", WELL_KNOWN)
    with faulty.server.connect() as wire:
        answer = wire.ask("/faults/reset", method="POST")
    assert (answer.status, answer.field("Location")) == (303, "/faults")
    assert statuses(3, "127.0.0.1") == [503, 503, 200]
    # The counts for the other client do not change.
    assert statuses(2, "127.0.0.2") == [503, 200]

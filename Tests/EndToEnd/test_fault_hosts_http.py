"""The hosts of `serve --faults` with broken responses: their bytes show only the named fault."""

import json
import time
from collections.abc import Callable

import pytest

from support.faulty import PATHS, RIGHT, ROOT_PATH, WELL_KNOWN, FaultyServer, Received, run_openssl
from support.fixtures import Start
from support.wire import Ending, request

JSON, SIGNED = "application/json", "application/pkcs7-mime"


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


@pytest.mark.parametrize(("name", "extract"), [("short-length", longer_than_announced), ("chunked", from_chunks)])
def test_the_response_has_exactly_one_fault(
    faulty: FaultyServer, name: str, extract: Callable[[Received], bytes]
) -> None:
    """Without the fault in its framing, the response is right. The unit tests have the other faults."""
    for path in PATHS:
        received = faulty.fetch(name, path)
        assert received.status == 200
        assert received.field("Content-Type") == (SIGNED if path == ROOT_PATH else JSON)
        for field in ("WWW-Authenticate", "Retry-After", "Set-Cookie", "Location", "Content-Encoding"):
            assert received.field(field) is None
        assert file_in(faulty, extract(received), path) == RIGHT


def test_the_content_stops_halfway(faulty: FaultyServer) -> None:
    def has_half(data: bytes) -> bool:
        received = Received(data, Ending.OPEN)
        return b"\r\n\r\n" in data and len(received.content) >= int(received.field("Content-Length") or "0") // 2

    for path in PATHS:
        data = faulty.silent_after("stall-content", path, has_half)
        assert Received(data, Ending.OPEN).status == 200


def test_slow_content_takes_3_seconds(faulty: FaultyServer) -> None:
    began = time.monotonic()
    assert is_right(faulty, "slow-content", WELL_KNOWN)
    assert time.monotonic() - began >= 3


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

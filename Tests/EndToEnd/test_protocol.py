"""HTTP/1.1 byte by byte over TLS: a case for each kind of response. `HTTPTests` contains all rules of the parser."""

import ssl
from dataclasses import dataclass

import pytest

from support.server import Server
from support.wire import NAME, Delivery, Ending, Wire, request

HOST = f"Host: {NAME}\r\n".encode()
GET = b"GET /digits.txt HTTP/1.1\r\n" + HOST
OK = GET + b"\r\n"
POST = b"POST /echo HTTP/1.1\r\n" + HOST
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
FRAMED_TWICE = POST + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n"
PROBE = request("/digits.txt", "Connection: close")


@dataclass(frozen=True)
class Case:
    """Bytes to send on a new connection, the status of each response, and whether the server closes (None: either)."""

    name: str
    sent: bytes
    statuses: tuple[int, ...]
    closes: bool | None = True
    methods: tuple[str, ...] = ()


def line(first: bytes) -> bytes:
    """Returns a request with this request line."""
    return first + b"\r\n" + HOST + b"\r\n"


CASES = [
    Case("a request", b"\r\n" + OK, (200,), closes=False),
    Case("asterisk form", line(b"OPTIONS * HTTP/1.1"), (204,), closes=False),
    Case("Connection: close", GET + b"Connection: , X-Test ,CLOSE,\r\n\r\n", (200,)),
    Case("content by length", POST + b"Content-Length: 5\r\n\r\n12345", (200,), closes=False),
    Case("chunks with a trailer", CHUNKED + b"3;a=b\r\nabc\r\n0\r\nX-Test: value\r\n\r\n", (200,), closes=False),
    Case("three requests", OK * 3, (200, 200, 200), closes=False),
    Case("HEAD, then GET", OK.replace(b"GET", b"HEAD") + OK, (200, 200), closes=False, methods=("HEAD", "GET")),
    Case("a malformed request after two others", OK + OK + b"GET\r\n\r\n" + OK, (200, 200, 400)),
    Case("a request after two framings", FRAMED_TWICE + b"0\r\n\r\n" + OK, (400,)),
    Case("a method that is not allowed", line(b"DELETE /digits.txt HTTP/1.1"), (405,), closes=False),
    Case("content over 1 MiB", POST + b"Content-Length: 1048577\r\n\r\n", (413,)),
    Case("an unknown expectation", POST + b"Expect: cake\r\nContent-Length: 1\r\n\r\nx", (417,), closes=None),
    Case("an unknown host", OK.replace(NAME.encode(), b"other.test"), (421,), closes=None),
    Case("an unknown method", line(b"BREW / HTTP/1.1"), (501,), closes=False),
    Case("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (505,)),
]


@pytest.mark.parametrize("delivery", Delivery, ids=lambda delivery: delivery.value)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_request_gets_its_responses(
    server: Server, context: ssl.SSLContext, case: Case, delivery: Delivery
) -> None:
    with Wire(server.port, context) as wire:
        wire.deliver(case.sent, delivery)
        if not case.closes:
            wire.send(PROBE)
        answers = wire.answers(case.methods)
        closed, stayed = [*case.statuses], [*case.statuses, 200]
        expected = {True: [closed], False: [stayed], None: [closed, stayed]}[case.closes]
        assert [answer.status for answer in answers] in expected, answers
        assert wire.ending is Ending.ORDERLY
    for answer in answers[:-1]:
        assert not answer.closes
    assert answers[-1].closes
    for answer in answers:
        if answer.status >= 400 and answer.content:
            assert len(answer.text.split()) > 3, "the response has no sentence with a fix"


def test_an_incomplete_request_gets_no_response(server: Server, context: ssl.SSLContext) -> None:
    with Wire(server.port, context) as wire:
        wire.send(POST + b"Content-Length: 10\r\n\r\n12345")
        wire.finish()
        assert wire.wait_for_end() is Ending.ORDERLY

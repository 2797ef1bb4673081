"""HTTP/1.1 byte by byte: every rule in one piece, one byte at a time, and split in the middle."""

import base64
import json
import ssl

import pytest

from support.cases import CASES, CHUNKED, GET, LIMITS, OK, POST, Case
from support.server import Server
from support.wire import Delivery, Ending, Wire, request

KNOWN = ("GET", "HEAD", "OPTIONS")
MESSAGE = CHUNKED + b"5;name=value\r\nhello\r\n1\r\n!\r\n0\r\nX-Test: value\r\n\r\n"
PROBE = request("/digits.txt", "Connection: close")


def hold(wire: Wire, case: Case, delivery: Delivery) -> None:
    """Sends the bytes of a case, and asserts the expected responses."""
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
    assert answers[-1].closes or case.sent.startswith(b"GET /digits.txt HTTP/1.0")
    for answer in answers:
        if answer.status >= 400 and answer.content:
            assert len(answer.text.split()) > 3, "the response has no sentence with a fix"


@pytest.mark.parametrize("delivery", Delivery, ids=lambda delivery: delivery.value)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_over_tls(server: Server, context: ssl.SSLContext, case: Case, delivery: Delivery) -> None:
    with Wire(server.port, context) as wire:
        hold(wire, case, delivery)


@pytest.mark.parametrize("cut", range(1, len(MESSAGE)))
def test_a_message_may_be_cut_anywhere(server: Server, context: ssl.SSLContext, cut: int) -> None:
    with Wire(server.port, context) as wire:
        wire.send(MESSAGE[:cut], MESSAGE[cut:], settled=True)
        assert base64.b64decode(json.loads(wire.answer().content)["content"]) == b"hello!"


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"GET /digi", id="half a request line"),
        pytest.param(GET, id="half a head"),
        pytest.param(GET + b"\r", id="one byte missing"),
        pytest.param(POST + b"Content-Length: 10\r\n\r\n12345", id="half the content"),
        pytest.param(CHUNKED + b"5\r\nhel", id="half a chunk"),
        pytest.param(CHUNKED + b"5\r\nhello\r\n0\r\n", id="chunks without their end"),
    ],
)
def test_half_a_message_is_not_answered(server: Server, context: ssl.SSLContext, sent: bytes) -> None:
    with Wire(server.port, context) as wire:
        wire.send(sent)
        wire.finish()
        assert wire.wait_for_end() is Ending.ORDERLY


def test_a_whole_message_before_the_end_of_input_is_answered(server: Server, context: ssl.SSLContext) -> None:
    with Wire(server.port, context) as wire:
        wire.send(OK)
        wire.finish()
        assert [answer.status for answer in wire.answers()] == [200]


def test_chunked_content_arrives_as_it_was_sent(server: Server, context: ssl.SSLContext) -> None:
    content = bytes(range(256)) * 64
    chunks = [content[at : at + 1000] for at in range(0, len(content), 1000)]
    with Wire(server.port, context) as wire:
        wire.send(CHUNKED, *(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks), b"0\r\n\r\n")
        assert base64.b64decode(json.loads(wire.answer().content)["content"]) == content


def test_content_of_exactly_the_limit_is_taken(server: Server, context: ssl.SSLContext) -> None:
    with Wire(server.port, context) as wire:
        wire.send(request("/echo", method="POST", content=b"x" * (1 << 20)))
        assert json.loads(wire.answer().content)["content_length"] == 1 << 20


def test_chunks_over_the_limit_are_refused(server: Server, context: ssl.SSLContext) -> None:
    with Wire(server.port, context) as wire:
        wire.send(CHUNKED, *[b"10000\r\n" + b"x" * 65536 + b"\r\n"] * 17, b"0\r\n\r\n")
        assert [answer.status for answer in wire.answers()] == [413]


def test_content_follows_100_continue(server: Server, context: ssl.SSLContext) -> None:
    with Wire(server.port, context) as wire:
        wire.send(POST + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        assert wire.answer().status == 100
        wire.send(b"hello")
        assert base64.b64decode(json.loads(wire.answer().content)["content"]) == b"hello"


def test_content_that_will_be_refused_is_not_asked_for(server: Server, context: ssl.SSLContext) -> None:
    with Wire(server.port, context) as wire:
        wire.send(POST + b"Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n")
        assert [answer.status for answer in wire.answers()] == [413]


def test_an_expectation_in_http_1_0_is_ignored(server: Server, context: ssl.SSLContext) -> None:
    with Wire(server.port, context) as wire:
        wire.send(b"POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello")
        assert [answer.status for answer in wire.answers()] == [200]


def test_a_method_that_is_not_allowed_is_told_which_are(server: Server, context: ssl.SSLContext) -> None:
    with Wire(server.port, context) as wire:
        answer = wire.ask("/digits.txt", method="DELETE")
    assert answer.status == 405
    assert [*KNOWN] == sorted(method.strip() for method in answer.field("Allow").split(","))


def test_no_answer_tells_more_of_the_server_than_its_name(server: Server, context: ssl.SSLContext) -> None:
    with Wire(server.port, context) as wire:
        for target in ("/", "/digits.txt", "/nowhere"):
            for value in wire.ask(target).values("Server"):
                assert not any(character.isdigit() for character in value)


def test_plain_http_on_the_tls_port_is_told_so(server: Server) -> None:
    with Wire(server.port) as wire:
        wire.send(OK)
        answers = wire.answers()
    assert [answer.status for answer in answers] == [400]
    assert "https" in answers[0].text.lower()


@pytest.mark.parametrize("delivery", Delivery, ids=lambda delivery: delivery.value)
@pytest.mark.parametrize("case", [case for case in LIMITS if case.closes], ids=lambda case: case.label)
def test_limits_hold_without_tls(server: Server, case: Case, delivery: Delivery) -> None:
    with server.connect_plain() as wire:
        wire.deliver(case.sent, delivery)
        assert [answer.status for answer in wire.answers()] == [*case.statuses]

"""Tests the strict response parser of the tests: it must reject invalid responses."""

import pytest

from support.answers import AnswerReader, FramingFault

HEAD = b"HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 05:47:09 GMT\r\n"
TYPE = b"Content-Type: text/plain\r\n"
CHUNKED = HEAD + TYPE + b"Transfer-Encoding: chunked\r\n\r\n"

FAULTS = {
    "no status line": b"hello\r\n\r\n",
    "HTTP/1.0 in the answer": b"HTTP/1.0" + HEAD[8:] + b"Content-Length: 0\r\n\r\n",
    "a status of two digits": b"HTTP/1.1 20 OK\r\n\r\n",
    "bare LF after the status line": HEAD.replace(b"OK\r\n", b"OK\n") + b"Content-Length: 0\r\n\r\n",
    "no Date": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "a day of one digit": HEAD.replace(b" 21 Nov", b" 1 Nov") + b"Content-Length: 0\r\n\r\n",
    "a space before the colon": HEAD + b"Content-Length : 0\r\n\r\n",
    "a folded line": HEAD + b"X-Test: a\r\n b\r\nContent-Length: 0\r\n\r\n",
    "a control byte in a value": HEAD + b"X-Test: a\x01\r\nContent-Length: 0\r\n\r\n",
    "two lengths": HEAD + b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
    "length and coding": HEAD + b"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a length with a sign": HEAD + b"Content-Length: +0\r\n\r\n",
    "content without a type": HEAD + b"Content-Length: 1\r\n\r\nx",
    "content cut short": HEAD + TYPE + b"Content-Length: 2\r\n\r\nx",
    "a head cut short": HEAD,
    "no framing and no close": HEAD + b"\r\n",
    "204 with a length": HEAD.replace(b"200", b"204") + b"Content-Length: 0\r\n\r\n",
    "a chunk size that is none": CHUNKED + b"x\r\n",
    "a chunk that is longer than its size": CHUNKED + b"1\r\nab\r\n0\r\n\r\n",
    "chunks cut short": CHUNKED + b"1\r\na\r\n",
}


@pytest.mark.parametrize("sent", FAULTS.values(), ids=FAULTS)
def test_a_malformed_response_is_rejected(sent: bytes) -> None:
    reader = AnswerReader()
    reader.feed(sent)
    reader.end()
    with pytest.raises(FramingFault):
        reader.next()


def test_valid_responses_are_read_regardless_of_segmentation() -> None:
    sent = (
        b"HTTP/1.1 100 Continue\r\n\r\n"
        + (HEAD + TYPE + b"Content-Length: 5\r\n\r\nhello")
        + (CHUNKED + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        + (HEAD + TYPE + b"Connection: close\r\n\r\nrest")
    )
    reader, got = AnswerReader(), []
    for byte in sent:
        reader.feed(bytes([byte]))
        if answer := reader.next():
            got.append(answer.content)
    reader.end()
    last = reader.next()
    assert last and last.closes
    assert [*got, last.content] == [b"", b"hello", b"abcde", b"rest"]

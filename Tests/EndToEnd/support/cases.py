"""The rules of HTTP/1.1 as a table: the bytes to send, and the required server behavior."""

from dataclasses import dataclass

from support.wire import NAME

HOST = f"Host: {NAME}\r\n".encode()
GET = b"GET /digits.txt HTTP/1.1\r\n" + HOST
OK = GET + b"\r\n"
POST = b"POST /echo HTTP/1.1\r\n" + HOST
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True)
class Case:
    """Bytes to send on a new connection, the status of each response, and whether the server closes (None: either)."""

    name: str
    source: str
    sent: bytes
    statuses: tuple[int, ...]
    closes: bool | None = True
    methods: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.name} ({self.source})"


def refused(name: str, source: str, sent: bytes, status: int = 400) -> Case:
    return Case(name, source, sent, (status,))


def served(name: str, source: str, sent: bytes, *statuses: int) -> Case:
    return Case(name, source, sent, statuses or (200,), closes=False)


def line(first: bytes) -> bytes:
    """Returns a request with this request line."""
    return first + b"\r\n" + HOST + b"\r\n"


def with_field(field: bytes) -> bytes:
    return GET + field + b"\r\n\r\n"


def with_expectation(value: bytes) -> bytes:
    return POST + b"Expect: " + value + b"\r\nContent-Length: 1\r\n\r\nx"


def with_length(value: bytes, content: bytes = b"12345") -> bytes:
    return POST + b"Content-Length:" + value + b"\r\n\r\n" + content


def with_coding(value: bytes, content: bytes = b"0\r\n\r\n") -> bytes:
    return POST + b"Transfer-Encoding:" + value + b"\r\n\r\n" + content


REQUEST_LINE = [
    served("a request in the common form", "9112 3", OK),
    served("one empty line before the request line", "9112 2.2", b"\r\n" + OK),
    refused("bare LF after the request line", "9112 2.2", b"GET / HTTP/1.1\n" + HOST + b"\r\n"),
    refused("bare CR in the request line", "9112 2.2", line(b"GET /\r HTTP/1.1")),
    refused("NUL in the target", "9112 3.2", line(b"GET /\0 HTTP/1.1")),
    refused("TAB as a separator", "9112 3", line(b"GET\t/ HTTP/1.1")),
    refused("two spaces after the method", "9112 3", line(b"GET  / HTTP/1.1")),
    refused("two spaces before the version", "9112 3", line(b"GET /  HTTP/1.1")),
    refused("a space in front", "9112 3", line(b" GET / HTTP/1.1")),
    refused("a space at the end", "9112 3", line(b"GET / HTTP/1.1 ")),
    refused("no version", "9112 3", line(b"GET /")),
    refused("no target", "9112 3", line(b"GET HTTP/1.1")),
    refused("no token as a method", "9110 9.1", line(b"G(T / HTTP/1.1")),
    Case("an unknown method", "9110 9.1", line(b"BREW / HTTP/1.1"), (501,), closes=False),
    Case("a method in lower case", "9110 9.1", line(b"get / HTTP/1.1"), (501,), closes=False),
    Case(
        "a method that is not allowed here", "9110 15.5.6", line(b"DELETE /digits.txt HTTP/1.1"), (405,), closes=False
    ),
    refused("the preface of HTTP/2", "9113 3.4", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    served("a later minor version", "9110 2.5", line(b"GET /digits.txt HTTP/1.2")),
    refused("another major version", "9110 2.5", line(b"GET / HTTP/2.0"), 505),
    refused("HTTP/0.9", "9112 2.3", b"GET /\r\n\r\n"),
    refused("the version in lower case", "9112 2.3", line(b"GET / http/1.1")),
    refused("a version without its minor number", "9112 2.3", line(b"GET / HTTP/1")),
    refused("a version with a leading zero", "9112 2.3", line(b"GET / HTTP/01.1")),
    refused("a version with two digits", "9112 2.3", line(b"GET / HTTP/1.10")),
    served("the absolute form", "9112 3.2.2", line(f"GET https://{NAME}/digits.txt HTTP/1.1".encode())),
    Case("a foreign host in the target", "9112 3.2.2", line(b"GET https://other.test/ HTTP/1.1"), (421,), closes=None),
    served("the asterisk form with OPTIONS", "9112 3.2.4", line(b"OPTIONS * HTTP/1.1"), 204),
    refused("the asterisk form with GET", "9112 3.2.4", line(b"GET * HTTP/1.1")),
    refused("a target without a slash", "9112 3.2", line(b"GET digits.txt HTTP/1.1")),
    refused("a fragment in the target", "9112 3.2", line(b"GET /#top HTTP/1.1")),
    refused("a backslash in the target", "9112 3.2", line(b"GET /a\\b HTTP/1.1")),
    refused("a byte over 0x7F in the target", "9112 3.2", line(b"GET /\xc3\xa9 HTTP/1.1")),
    refused("a control byte in the target", "9112 3.2", line(b"GET /\x01 HTTP/1.1")),
    refused("half a percent escape", "3986 2.1", line(b"GET /%4 HTTP/1.1")),
    refused("no hex in a percent escape", "3986 2.1", line(b"GET /%zz HTTP/1.1")),
    refused("an escaped NUL", "3986 7.3", line(b"GET /%00 HTTP/1.1")),
]

HOSTS = [
    refused("no Host", "9112 3.2", b"GET / HTTP/1.1\r\n\r\n"),
    refused("two Hosts", "9112 3.2", GET + HOST.replace(b"ultra", b"mega") + b"\r\n"),
    refused("two equal Hosts", "9112 3.2", GET + HOST + b"\r\n"),
    refused("an empty Host", "9112 3.2", b"GET / HTTP/1.1\r\nHost:\r\n\r\n"),
    refused("a Host with user information", "9110 7.2", b"GET / HTTP/1.1\r\nHost: me@ultra-motivator.test\r\n\r\n"),
    refused("a Host with a path", "9110 7.2", b"GET / HTTP/1.1\r\nHost: ultra-motivator.test/x\r\n\r\n"),
    refused("a Host with a malformed port", "9110 7.2", b"GET / HTTP/1.1\r\nHost: ultra-motivator.test:x\r\n\r\n"),
    Case("a foreign Host", "9110 15.5.20", b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n", (421,), closes=None),
    served("a Host in capitals", "3986 3.2.2", b"GET /digits.txt HTTP/1.1\r\nHost: ULTRA-Motivator.TEST\r\n\r\n"),
    Case("no Host in HTTP/1.0", "9112 3.2", b"GET /digits.txt HTTP/1.0\r\n\r\n", (200,)),
]

FIELDS = [
    served("blanks around a value", "9112 5.1", with_field(b"X-Test: \t value \t ")),
    served("an empty value", "9112 5.1", with_field(b"X-Test:")),
    served("bytes over 0x7F in a value", "9110 5.5", with_field(b"X-Test: caf\xe9")),
    refused("a space before the colon", "9112 5.1", with_field(b"X-Test : value")),
    refused("an empty name", "9112 5", with_field(b": value")),
    refused("no colon", "9112 5", with_field(b"X-Test")),
    refused("no token as a name", "9110 5.1", with_field(b"X(Test: value")),
    refused("a byte over 0x7F in a name", "9110 5.1", with_field(b"X-T\xe9st: value")),
    refused("a folded line", "9112 5.2", with_field(b"X-Test: value\r\n more")),
    refused("white space before the first field line", "9112 2.2", b"GET / HTTP/1.1\r\n " + HOST + b"\r\n"),
    refused("NUL in a value", "9110 5.5", with_field(b"X-Test: a\0b")),
    refused("bare CR in a value", "9112 2.2", with_field(b"X-Test: a\rb")),
    refused("bare LF after a field line", "9112 2.2", GET + b"X-Test: value\n\r\n"),
    refused("a control byte in a value", "9110 5.5", with_field(b"X-Test: a\x07b")),
    refused("VT where only blanks may stand", "9112 5.1", with_field(b"X-Test:\x0bvalue")),
    Case("an unknown expectation", "9110 10.1.1", with_expectation(b"cake"), (417,), closes=None),
    served("an upgrade is ignored", "9110 7.8", with_field(b"Connection: upgrade\r\nUpgrade: websocket")),
    Case("close is honoured", "9112 9.6", with_field(b"Connection: close"), (200,)),
    Case("close among others, in capitals", "9110 7.6.1", with_field(b"Connection: , X-Test ,CLOSE,"), (200,)),
]

FRAMING = [
    served("content by length", "9112 6.2", with_length(b" 5")),
    served("leading zeros in a length", "9110 8.6", with_length(b" 005")),
    *(
        refused(f"Content-Length {value!r}", "9110 8.6", with_length(b" " + value))
        for value in (b"+5", b"-5", b"5 5", b"5,5", b"5, 5", b"0x5", b"5_0", b"", b"five", b"5;", b"9" * 30, b"5\x0b")
    ),
    refused("a length over Int64", "9110 8.6", with_length(b" 9223372036854775808")),
    refused("two equal lengths", "9112 6.3", POST + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\n12345"),
    refused("two lengths", "9112 6.3", POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345"),
    refused(
        "length and coding", "9112 6.1", POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    refused(
        "coding and length", "9112 6.1", POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
    ),
    refused(
        "a coding in HTTP/1.0",
        "9112 6.1",
        b"POST /echo HTTP/1.0\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ),
    refused("another coding", "9112 6.1", with_coding(b" gzip"), 501),
    refused("identity", "9112 7", with_coding(b" identity"), 501),
    refused("chunked twice", "9112 6.1", with_coding(b" chunked, chunked")),
    refused("chunked not last", "9112 6.1", with_coding(b" chunked, gzip")),
    refused("chunked in two field lines", "9112 6.1", with_coding(b" chunked\r\nTransfer-Encoding: chunked")),
    refused("chunked with a parameter", "9112 7", with_coding(b" chunked;q=1")),
    refused("chunked in quotes", "9112 7", with_coding(b' "chunked"')),
    refused("chunked padded with VT", "9112 5.1", with_coding(b" \x0bchunked")),
    refused("chunked padded with NUL", "9112 5.1", with_coding(b" chunked\0")),
    served("chunked in capitals", "9112 7", with_coding(b" CHUNKED")),
    served("content with GET is framed", "9110 9.3.1", GET + b"Content-Length: 5\r\n\r\n12345"),
    served(
        "content with GET is no request", "9112 6", GET + b"Content-Length: %d\r\n\r\n" % len(OK) + OK + OK, 200, 200
    ),
]

CHUNKS = [
    served("two chunks", "9112 7.1", CHUNKED + b"3\r\nabc\r\n0002\r\nde\r\n0\r\n\r\n"),
    served("a valid extension", "9112 7.1.1", CHUNKED + b'3;name=value;other="a;b"\r\nabc\r\n0\r\n\r\n'),
    served("a trailer", "9112 7.1.2", CHUNKED + b"3\r\nabc\r\n0\r\nX-Test: value\r\n\r\n"),
    *(
        refused(f"chunks {content!r}", "9112 7.1", CHUNKED + content)
        for content in (
            b"0x3\r\nabc\r\n0\r\n\r\n",
            b"+3\r\nabc\r\n0\r\n\r\n",
            b"-3\r\nabc\r\n0\r\n\r\n",
            b"3_0\r\nabc\r\n0\r\n\r\n",
            b" 3\r\nabc\r\n0\r\n\r\n",
            b"3 \r\nabc\r\n0\r\n\r\n",
            b"\r\nabc\r\n0\r\n\r\n",
            b"g\r\nabc\r\n0\r\n\r\n",
            b"3\nabc\r\n0\r\n\r\n",
            b"3\r\nabc\n0\r\n\r\n",
            b"3\r\nabcd\r\n0\r\n\r\n",
            b"3\r\nabcX\r\n0\r\n\r\n",
            b"3\rXabc\r\n0\r\n\r\n",
            b"10000000000000000\r\nabc",
            b"3;bad extension\r\nabc\r\n0\r\n\r\n",
            b"3;name=\x01\r\nabc\r\n0\r\n\r\n",
            b"3;a\nb\r\nabc\r\n0\r\n\r\n",
            b"0\r\nno colon\r\n\r\n",
            b"0\r\nX-Test : value\r\n\r\n",
            b"0\r\n folded: line\r\n\r\n",
            b"3;" + b"x" * 5000 + b"\r\nabc\r\n0\r\n\r\n",
        )
    ),
]

LIMITS = [
    refused("a request line over 8 KiB", "9110 15.5.15", line(b"GET /" + b"a" * 8192 + b" HTTP/1.1"), 414),
    Case("a method of 33 bytes", "9112 3", line(b"M" * 33 + b" / HTTP/1.1"), (501,), closes=None),
    refused("101 field lines", "6585 5", GET + b"".join(b"X-%d: a\r\n" % n for n in range(100)) + b"\r\n", 431),
    served("100 field lines", "6585 5", GET + b"".join(b"X-%d: a\r\n" % n for n in range(99)) + b"\r\n"),
    refused("field lines over 16 KiB", "6585 5", GET + (b"X-Test: " + b"a" * 1000 + b"\r\n") * 17 + b"\r\n", 431),
    refused("a length over 1 MiB", "9110 15.5.14", with_length(b" 1048577", b""), 413),
]

PIPELINES = [
    served("three requests", "9112 9.3.2", OK * 3, 200, 200, 200),
    Case("requests before a malformed one are answered", "9112 9.3.2", OK + OK + b"GET\r\n\r\n" + OK, (200, 200, 400)),
    Case("nothing after close is answered", "9112 9.6", OK + with_field(b"Connection: close") + OK, (200, 200)),
    Case(
        "HEAD among others",
        "9110 9.3.2",
        OK.replace(b"GET", b"HEAD") + OK,
        (200, 200),
        closes=False,
        methods=("HEAD", "GET"),
    ),
    refused(
        "a hidden request behind two framings",
        "9112 11.2",
        POST + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + OK,
    ),
    refused("a hidden request behind a bare LF chunk", "9112 7.1", CHUNKED + b"0\n\n" + OK),
    refused("a hidden request behind a padded coding", "9112 11.2", with_coding(b"\x0bchunked", b"0\r\n\r\n" + OK)),
]

CASES = [*REQUEST_LINE, *HOSTS, *FIELDS, *FRAMING, *CHUNKS, *LIMITS, *PIPELINES]

"""A strict parser of HTTP responses. It raises an exception for every framing fault, and repairs nothing."""

import re
from dataclasses import dataclass

STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5][0-9]{2}) ([\t \x21-\x7e\x80-\xff]*)")
FIELD_LINE = re.compile(
    rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*"
    rb"((?:[\x21-\x7e\x80-\xff](?:[\t \x21-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?)[ \t]*"
)
CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})\r\n")
DATE = re.compile(
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT"
)
MOST_HEAD = 64 << 10
ONCE = ("content-length", "content-type", "date", "etag", "last-modified", "location", "server", "transfer-encoding")


class FramingFault(AssertionError):
    """A response that a strict recipient must reject."""


@dataclass(frozen=True)
class Answer:
    """A response, which may be an interim one (1xx)."""

    status: int
    reason: str
    fields: tuple[tuple[str, str], ...]
    content: bytes = b""

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def field(self, name: str) -> str:
        values = self.values(name)
        assert len(values) == 1, f"{len(values)} field lines {name} in {self.status}: {self.fields}"
        return values[0]

    @property
    def members(self) -> set[str]:
        """Returns the members of the Connection field in lowercase."""
        return {member.strip().lower() for value in self.values("Connection") for member in value.split(",")}

    @property
    def closes(self) -> bool:
        return "close" in self.members

    @property
    def text(self) -> str:
        return self.content.decode()


class AnswerReader:
    """Collects received bytes, and returns each response when it is complete."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._ended = False

    def feed(self, data: bytes) -> None:
        if data and self._ended:
            raise FramingFault("bytes after the end")
        self._buffer += data

    def end(self) -> None:
        self._ended = True

    @property
    def empty(self) -> bool:
        return not self._buffer

    def next(self, method: str = "GET") -> Answer | None:
        """Returns the next response to a request with this method, or None if more bytes are needed."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MOST_HEAD:
                raise FramingFault(f"no end of the head in {len(self._buffer)} bytes: {bytes(self._buffer[:200])!r}")
            if self._ended and self._buffer:
                raise FramingFault(f"cut short in the head: {bytes(self._buffer)!r}")
            return None
        head = _head(bytes(self._buffer[:end]))
        framed = self._content(head, method, end + 4)
        if framed is None:
            if self._ended:
                raise FramingFault(f"cut short in the content of {head.status}: {bytes(self._buffer[-200:])!r}")
            return None
        content, length = framed
        del self._buffer[:length]
        if content and not head.values("Content-Type"):
            raise FramingFault(f"{head.status} has content but no Content-Type")
        return Answer(head.status, head.reason, head.fields, content)

    def _content(self, head: Answer, method: str, start: int) -> tuple[bytes, int] | None:
        lengths, codings = head.values("Content-Length"), head.values("Transfer-Encoding")
        if lengths and codings:
            raise FramingFault("both Content-Length and Transfer-Encoding")
        if head.status < 200 or head.status == 204:
            if lengths or codings:
                raise FramingFault(f"{head.status} with framing")
            return b"", start
        if lengths and not re.fullmatch("0|[1-9][0-9]*", lengths[0]):
            raise FramingFault(f"Content-Length: {lengths[0]!r}")
        if codings and codings[0].lower() != "chunked":
            raise FramingFault(f"Transfer-Encoding: {codings[0]!r}")
        if head.status == 304 or method == "HEAD":
            return b"", start
        if codings:
            return self._chunked(start)
        if lengths:
            end = start + int(lengths[0])
            return (bytes(self._buffer[start:end]), end) if len(self._buffer) >= end else None
        if not head.closes:
            raise FramingFault(f"{head.status} without framing on a connection that stays")
        return (bytes(self._buffer[start:]), len(self._buffer)) if self._ended else None

    def _chunked(self, at: int) -> tuple[bytes, int] | None:
        content = bytearray()
        while True:
            line_end = self._buffer.find(b"\r\n", at)
            if line_end < 0:
                return None
            size_line = CHUNK_SIZE.fullmatch(self._buffer[at : line_end + 2])
            if not size_line:
                raise FramingFault(f"chunk size {bytes(self._buffer[at:line_end])!r}")
            size, at = int(size_line[1], 16), line_end + 2
            if len(self._buffer) < at + size + 2:
                return None
            if self._buffer[at + size : at + size + 2] != b"\r\n":
                raise FramingFault("no CRLF after a chunk, or a trailer")
            content += self._buffer[at : at + size]
            at += size + 2
            if size == 0:
                return bytes(content), at


def _head(head: bytes) -> Answer:
    first, *lines = head.split(b"\r\n")
    status_line = STATUS_LINE.fullmatch(first)
    if not status_line:
        raise FramingFault(f"status line {first!r}")
    fields = []
    for line in lines:
        field_line = FIELD_LINE.fullmatch(line)
        if not field_line:
            raise FramingFault(f"field line {line!r}")
        fields.append((field_line[1].decode("ascii"), field_line[2].decode("latin-1")))
    answer = Answer(int(status_line[1]), status_line[2].decode("latin-1"), tuple(fields))
    for name in ONCE:
        if len(answer.values(name)) > 1:
            raise FramingFault(f"{name} more than once: {fields}")
    if answer.status >= 200 and not any(DATE.fullmatch(date) for date in answer.values("Date")):
        raise FramingFault(f"{answer.status} without a valid Date: {fields}")
    return answer

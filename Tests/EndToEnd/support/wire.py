"""A client that controls the bytes of each write, with or without TLS, and reads until the server closes."""

import contextlib
import os
import select
import socket
import ssl
from collections.abc import Iterable
from enum import Enum
from types import TracebackType
from typing import Self

from support.answers import Answer, AnswerReader
from support.waiting import LIMIT, Patience

ADDRESS = "127.0.0.1"
NAME = "ultra-motivator.test"


class Ending(Enum):
    """How the server closed its side of the connection."""

    OPEN = "still open"
    ORDERLY = "close_notify and FIN"
    RAGGED = "FIN without close_notify"
    RESET = "RST"


class Delivery(Enum):
    """How a message is split into writes (and TLS records)."""

    WHOLE = "whole"
    BYTEWISE = "bytewise"
    SPLIT = "split"

    def pieces(self, message: bytes) -> list[bytes]:
        match self:
            case Delivery.WHOLE:
                return [message]
            case Delivery.BYTEWISE:
                return [message[at : at + 1] for at in range(len(message))]
            case Delivery.SPLIT:
                return [message[: len(message) // 2], message[len(message) // 2 :]]


class Wire:
    """A connection. A wait raises TimeoutError when nothing arrives before its limit."""

    def __init__(
        self, port: int, context: ssl.SSLContext | None = None, name: str | None = NAME, source: str | None = None
    ) -> None:
        self.port = port
        self.ending = Ending.OPEN
        self.reader = AnswerReader()
        self.received = 0
        self._broken = False
        self._socket = socket.create_connection(
            (ADDRESS, port), timeout=LIMIT, source_address=(source, 0) if source else None
        )
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setblocking(False)
        self._poll = select.poll()
        self.tls: ssl.SSLObject | None = None
        if context:
            self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
            self.tls = context.wrap_bio(self._in, self._out, server_hostname=name)
            try:
                self._shake_hands()
            except BaseException:
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def descriptor(self) -> int:
        return self._socket.fileno()

    @property
    def local_port(self) -> int:
        return self._socket.getsockname()[1]

    def close(self) -> None:
        self._socket.close()

    def abort(self) -> None:
        """Closes the connection with RST."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self._socket.close()

    def send(self, *pieces: bytes, settled: bool = False) -> None:
        """Sends each piece in a separate write (and TLS record).

        With `settled`, waits after each piece until the server has read it from its socket. Stops without an error if
        the server has closed. The earlier responses remain readable.
        """
        for piece in pieces:
            if self._broken:
                return
            if self.tls:
                self.tls.write(piece)
                piece = self._out.read()
            self._write(piece)
            if settled:
                self._settle()

    def deliver(self, message: bytes, delivery: Delivery) -> None:
        self.send(*delivery.pieces(message), settled=delivery is Delivery.SPLIT)

    def finish(self) -> None:
        """Closes this direction with close_notify, then FIN. The other direction stays open."""
        if self.tls:
            with contextlib.suppress(ssl.SSLWantReadError):
                self.tls.unwrap()
            self._write(self._out.read())
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def answer(self, method: str = "GET", limit: float = LIMIT) -> Answer:
        """Returns the next response, which must arrive before the server closes."""
        answer = self._next(method, limit)
        assert answer, f"the server closed ({self.ending.value}) without a response"
        return answer

    def answers(self, methods: Iterable[str] = (), limit: float = LIMIT) -> list[Answer]:
        """Returns all responses until the server closes. `methods` are the methods of the requests, by default GET."""
        remaining = iter(methods)
        got: list[Answer] = []
        method = next(remaining, "GET")
        while answer := self._next(method, limit):
            got.append(answer)
            if answer.status >= 200:
                method = next(remaining, "GET")
        return got

    def ask(self, target: str, *field_lines: str, method: str = "GET", host: str = NAME) -> Answer:
        """Sends a request without content on a persistent connection, and returns the response."""
        self.send(request(target, *field_lines, method=method, host=host))
        return self.answer(method)

    def take(self) -> Answer | None:
        """Reads the available bytes without blocking. Returns the next response to a GET if it is complete."""
        self._read()
        return self.reader.next()

    def wait_for_end(self, limit: float = LIMIT) -> Ending:
        """Waits until the server closes. The server must not send anything before the close."""
        answer = self._next("GET", limit)
        assert answer is None, f"a response without a request: {answer}"
        return self.ending

    def _next(self, method: str, limit: float) -> Answer | None:
        patience = Patience(limit)
        while True:
            answer = self.reader.next(method)
            if answer or self.ending is not Ending.OPEN:
                return answer
            self._wait(select.POLLIN, patience)
            self._read()

    def _shake_hands(self) -> None:
        assert self.tls
        patience = Patience()
        while True:
            try:
                self.tls.do_handshake()
                self._write(self._out.read())
                return
            except ssl.SSLWantReadError:
                self._write(self._out.read())
            except ssl.SSLError:
                self._write(self._out.read())
                raise
            self._wait(select.POLLIN, patience)
            if not self._receive():
                raise ConnectionError(f"the server closed during the handshake ({self.ending.value})")

    def _write(self, data: bytes) -> None:
        patience = Patience()
        view = memoryview(data)
        while view and not self._broken:
            try:
                view = view[self._socket.send(view) :]
            except BlockingIOError:
                if self._wait(select.POLLIN | select.POLLOUT, patience) & select.POLLIN:
                    self._read()
            except (BrokenPipeError, ConnectionResetError):
                self._broken = True

    def _wait(self, events: int, patience: Patience) -> int:
        self._poll.register(self._socket, events)
        ready = self._poll.poll(patience.left * 1000)
        if not ready:
            raise TimeoutError(f"the server sent nothing before the limit, after {self.received} bytes")
        patience.restart()
        return ready[0][1]

    def _receive(self) -> bytes:
        try:
            data = self._socket.recv(256 << 10)
        except BlockingIOError:
            return b""
        except ConnectionResetError:
            self._broken = True
            if self.ending is Ending.OPEN:
                self.ending = Ending.RESET
            return b""
        self.received += len(data)
        if self.tls and data:
            self._in.write(data)
        elif not data and self.ending is Ending.OPEN:
            self.ending = Ending.RAGGED if self.tls else Ending.ORDERLY
        return data

    def _read(self) -> None:
        data = self._receive()
        if self.tls:
            self._decrypt()
        elif data:
            self.reader.feed(data)
        if self.ending is not Ending.OPEN:
            self.reader.end()

    def _decrypt(self) -> None:
        assert self.tls
        while True:
            try:
                data = self.tls.read(64 << 10)
            except ssl.SSLZeroReturnError:
                # Both directions are closed. If only the server's direction were closed, Python would return no data.
                data = b""
            except (ssl.SSLWantReadError, ssl.SSLEOFError):
                return
            if not data:
                self.ending = Ending.ORDERLY
                return
            self.reader.feed(data)

    def _settle(self) -> None:
        """Waits until the server's receive queue for this connection is empty, or until the connection is closed."""
        patience = Patience()
        ends = (f":{self.port:04X}", f":{self.local_port:04X}")
        while patience.left:
            if not _queued(ends):
                return
            os.sched_yield()
        raise TimeoutError("the server does not read")


def _queued(ends: tuple[str, str]) -> bool:
    with open("/proc/self/net/tcp") as table:
        for line in table:
            columns = line.split()
            if columns[1].endswith(ends[0]) and columns[2].endswith(ends[1]):
                return int(columns[4].split(":")[1], 16) > 0
    return False


def request(target: str, *field_lines: str, method: str = "GET", host: str = NAME, content: bytes = b"") -> bytes:
    """Returns the bytes of an HTTP/1.1 request. The request is valid if the arguments are valid."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", *field_lines]
    if content:
        lines.append(f"Content-Length: {len(content)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + content

"""Test servers with scripted misbehavior. A function handles each connection."""

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from support.authorities import Holder
from support.wire import ADDRESS

# A stalling server waits this many seconds for the client to disconnect, longer than a command's timeout.
PATIENCE = 60.0
JSON = "application/json"
SIGNED = "application/pkcs7-mime"

Stream = socket.socket | ssl.SSLSocket
Serve = Callable[[socket.socket], None]
# The function receives the connection and the requested path.
Answering = Callable[[Stream, str], None]


class Site:
    """A listening socket with a thread for each connection."""

    def __init__(self, serve: Serve) -> None:
        self.connections = 0
        self._serve = serve
        self._listener = socket.create_server((ADDRESS, 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # close alone does not wake the thread that is blocked in accept.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._take, args=(connection,), daemon=True).start()

    def _take(self, connection: socket.socket) -> None:
        # The client may disconnect at any time.
        with connection, contextlib.suppress(OSError):
            connection.settimeout(PATIENCE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._serve(connection)


def tls_context(holder: Holder, *chain: Holder, weak: bool = False) -> ssl.SSLContext:
    """Returns the TLS context of a server with this certificate and its chain."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if weak:
        context.set_ciphers("ALL:@SECLEVEL=0")
    served = holder.certificate.with_name("served.pem")
    served.write_text("".join(one.pem for one in (holder, *chain)))
    context.load_cert_chain(served, holder.key)
    return context


def over_tls(context: ssl.SSLContext, answering: Answering, heads: list[str] | None = None) -> Serve:
    """Performs the handshake, reads a request's head, responds, and closes as RFC 8446 §6.1 requires.

    Appends the heads of the requests to `heads`.
    """

    def serve(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as stream:
            head = head_of(stream)
            if heads is not None:
                heads.append(head)
            answering(stream, head.split(" ", 2)[1])
            with contextlib.suppress(OSError):
                stream.unwrap()

    return serve


def head_of(stream: Stream) -> str:
    head = b""
    while b"\r\n\r\n" not in head:
        more = stream.recv(4096)
        if not more:
            raise ConnectionError("no request")
        head += more
    return head.decode()


def response(
    content: bytes = b"", status: int = 200, kind: str | None = JSON, fields: Iterable[str] = (), length: int = -1
) -> bytes:
    """Returns the bytes of a response. `length` replaces the correct Content-Length."""
    lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(content) if length < 0 else length}"]
    lines += [f"Content-Type: {kind}"] if kind is not None else []
    return "\r\n".join([*lines, *fields, "", ""]).encode() + content


def always(message: bytes) -> Answering:
    return lambda stream, _: stream.sendall(message)


def wait_for_the_end(stream: Stream) -> None:
    """Sends nothing more until the client disconnects."""
    while stream.recv(4096):
        pass


def reset(stream: Stream) -> None:
    """Closes the connection with RST."""
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if isinstance(stream, ssl.SSLSocket):
        stream = socket.socket(fileno=stream.detach())
    stream.close()


def without_end(stream: Stream, piece: bytes) -> None:
    """Sends the piece repeatedly until the client disconnects."""
    while True:
        stream.sendall(piece)


def bytewise(stream: Stream, message: bytes, gone: threading.Event, pause: float = 0.05) -> None:
    """Sends single bytes slowly, and never sends the last byte."""
    for byte in message[:-1]:
        stream.sendall(bytes([byte]))
        gone.wait(pause)
    wait_for_the_end(stream)

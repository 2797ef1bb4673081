"""A TLS client that uses the system's libssl, for messages that Python's ssl module cannot send."""

import ctypes
import ctypes.util
import select
import socket
import time
from typing import Self

from support.server import Server
from support.wire import ADDRESS, NAME

TLS12, TLS13 = 0x0303, 0x0304
NOT_REQUESTED, REQUESTED = 0, 1
SET_SERVER_NAME, SET_MIN_VERSION, SET_MAX_VERSION = 55, 123, 124
WANT_READ = 2
LIMIT = 20.0


def _library() -> ctypes.CDLL:
    path = ctypes.util.find_library("ssl")
    assert path, "libssl is missing; scripts/setup test installs it"
    library = ctypes.CDLL(path)
    pointer, number, long, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_long, ctypes.c_char_p
    signatures = {
        "TLS_client_method": (pointer, []),
        "SSL_CTX_new": (pointer, [pointer]),
        "SSL_CTX_ctrl": (long, [pointer, number, long, pointer]),
        "SSL_CTX_free": (None, [pointer]),
        "SSL_new": (pointer, [pointer]),
        "SSL_free": (None, [pointer]),
        "SSL_ctrl": (long, [pointer, number, long, text]),
        "SSL_set_bio": (None, [pointer, pointer, pointer]),
        "SSL_set_connect_state": (None, [pointer]),
        "SSL_do_handshake": (number, [pointer]),
        "SSL_key_update": (number, [pointer, number]),
        "SSL_renegotiate": (number, [pointer]),
        "SSL_write": (number, [pointer, text, number]),
        "SSL_read": (number, [pointer, pointer, number]),
        "SSL_get_error": (number, [pointer, number]),
        "BIO_s_mem": (pointer, []),
        "BIO_new": (pointer, [pointer]),
        "BIO_read": (number, [pointer, pointer, number]),
        "BIO_write": (number, [pointer, text, number]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class TLSClient:
    """A connection that can create records in advance and send them later."""

    def __init__(self, server: Server, version: int = TLS13, source: str = "127.0.0.2") -> None:
        self._ssl = library = _library()
        self._context = library.SSL_CTX_new(library.TLS_client_method())
        library.SSL_CTX_ctrl(self._context, SET_MIN_VERSION, version, None)
        library.SSL_CTX_ctrl(self._context, SET_MAX_VERSION, version, None)
        self._session = library.SSL_new(self._context)
        self._in, self._out = library.BIO_new(library.BIO_s_mem()), library.BIO_new(library.BIO_s_mem())
        library.SSL_set_bio(self._session, self._in, self._out)
        library.SSL_ctrl(self._session, SET_SERVER_NAME, 0, NAME.encode())
        library.SSL_set_connect_state(self._session)
        self._buffer = ctypes.create_string_buffer(64 << 10)
        self.socket = socket.create_connection((ADDRESS, server.port), timeout=LIMIT, source_address=(source, 0))
        assert self.handshake(), "no TLS handshake"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        self._ssl.SSL_free(self._session)
        self._ssl.SSL_CTX_free(self._context)

    def handshake(self, limit: float = LIMIT) -> bool:
        """Performs the first handshake or a renegotiation. Returns whether it completed."""
        deadline = time.monotonic() + limit
        while True:
            result = self._ssl.SSL_do_handshake(self._session)
            self.send(self.records())
            if result == 1:
                return True
            wants = self._ssl.SSL_get_error(self._session, result)
            if wants != WANT_READ or not self._receive(deadline):
                return False

    def renegotiate(self, limit: float = 5.0) -> bool:
        """Requests a renegotiation. Returns whether the server performed it."""
        assert self._ssl.SSL_renegotiate(self._session) == 1
        return self.handshake(limit)

    def key_updates(self, count: int, kind: int = NOT_REQUESTED) -> bytes:
        """Returns the records of `count` key updates, ready to send."""
        records = bytearray()
        for _ in range(count):
            assert self._ssl.SSL_key_update(self._session, kind) == 1
            assert self._ssl.SSL_do_handshake(self._session) == 1
            records += self.records()
        return bytes(records)

    def data(self, content: bytes) -> bytes:
        """Returns the records of application data, ready to send."""
        assert self._ssl.SSL_write(self._session, content, len(content)) == len(content)
        return self.records()

    def records(self) -> bytes:
        """Returns the bytes that the session wants to send."""
        taken = bytearray()
        while (count := self._ssl.BIO_read(self._out, self._buffer, len(self._buffer))) > 0:
            taken += self._buffer.raw[:count]
        return bytes(taken)

    def send(self, records: bytes) -> bool:
        """Sends records. Returns whether the server read all records before a close or timeout."""
        try:
            self.socket.sendall(records)
        except OSError:
            return False
        return True

    def read(self, limit: float = LIMIT) -> bytes:
        """Returns the next application data, or empty bytes at the end of the connection."""
        deadline = time.monotonic() + limit
        while True:
            count = self._ssl.SSL_read(self._session, self._buffer, len(self._buffer))
            if count > 0:
                return self._buffer.raw[:count]
            if self._ssl.SSL_get_error(self._session, count) != WANT_READ or not self._receive(deadline):
                return b""

    def is_closed_within(self, limit: float) -> bool:
        """Waits until the server closes the connection."""
        deadline = time.monotonic() + limit
        while (left := deadline - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                if not self.socket.recv(64 << 10):
                    return True
            except TimeoutError:
                return False
            except OSError:
                return True
        return False

    def _receive(self, deadline: float) -> bool:
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            return False
        try:
            data = self.socket.recv(64 << 10)
        except OSError:
            return False
        if data:
            self._ssl.BIO_write(self._in, data, len(data))
        return bool(data)

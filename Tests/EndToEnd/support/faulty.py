"""Fetches the hosts of `serve --faults` byte by byte."""

import contextlib
import json
import select
import socket
import ssl
from dataclasses import dataclass
from typing import Any

from support.keys import APPS
from support.server import Server
from support.waiting import LIMIT
from support.wire import ADDRESS, Ending, Wire, request

WELL_KNOWN, ROOT_PATH = PATHS = ("/.well-known/apple-app-site-association", "/apple-app-site-association")
APP, OTHER_APP = APPS
# The content of a file without a fault.
RIGHT = {"webcredentials": {"apps": APPS}}
# The groups with a verdict of each profile, and all groups.
GROUPS = ("TLS", "HTTP", "File", "Signature")
ALL_GROUPS = (*GROUPS, "Links", "Android")
# A host that sends nothing for this many seconds counts as silent.
QUIET = 1.0


class Recorder:
    """Stores the received bytes instead of parsing them."""

    def __init__(self) -> None:
        self.data = bytearray()

    def feed(self, data: bytes) -> None:
        self.data += data

    def end(self) -> None:
        pass

    def next(self, method: str = "GET") -> None:
        return None


@dataclass(frozen=True)
class Received:
    """All bytes of a connection, and how the server closed the connection."""

    data: bytes
    ending: Ending

    @property
    def head(self) -> list[str]:
        return self.data.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")

    @property
    def content(self) -> bytes:
        """The bytes after the head, including bytes after the announced length."""
        return self.data.partition(b"\r\n\r\n")[2]

    @property
    def status(self) -> int:
        return int(self.head[0].split(" ")[1])

    def field(self, name: str) -> str | None:
        lines = [line.split(":", 1) for line in self.head[1:]]
        values = [value.strip() for key, value in lines if key.lower() == name.lower()]
        assert len(values) < 2, values
        return values[0] if values else None


@dataclass(frozen=True)
class FaultyServer:
    """A server with `--faults`, and its list of hosts."""

    server: Server
    list: dict[str, Any]

    @classmethod
    def of(cls, server: Server) -> "FaultyServer":
        with server.connect() as wire:
            return cls(server, json.loads(wire.ask("/faults.json").content))

    @property
    def hosts(self) -> list[dict[str, Any]]:
        return self.list["hosts"]

    def names(self, *groups: str) -> list[str]:
        return [host["name"] for host in self.hosts if host["group"] in groups]

    def host(self, name: str) -> str:
        return name + self.list["suffix"]

    def fetch(self, name: str, path: str = WELL_KNOWN, *lines: str, context: ssl.SSLContext | None = None) -> Received:
        """Fetches a path of a host until the server closes. Without a context, requires an intact certificate."""
        return self.exchange(name, request(path, "Connection: close", *lines, host=self.host(name)), context)

    def exchange(self, name: str, message: bytes, context: ssl.SSLContext | None = None) -> Received:
        recorder = Recorder()
        with self.server.connect(self.host(name), context) as wire:
            wire.reader = recorder  # type: ignore[assignment]
            wire.send(message)
            ending = wire.wait_for_end()
        return Received(bytes(recorder.data), ending)

    def silent_after(self, name: str, path: str, is_last: Any) -> bytes:
        """Fetches a path until `is_last` returns true for the received bytes. Asserts silence after that."""
        host = self.host(name)
        with (
            socket.create_connection((ADDRESS, self.server.port), LIMIT) as plain,
            self.server.context.wrap_socket(plain, server_hostname=host) as stream,
        ):
            stream.sendall(request(path, host=host))
            data = b""
            while not is_last(data):
                data += stream.recv(65536)
            stream.settimeout(QUIET)
            with contextlib.suppress(TimeoutError):
                more = stream.recv(65536)
                raise AssertionError(f"{more!r} after {data!r}")
        return data

    def silent_handshake(self, name: str) -> bool:
        """Sends a client hello. Returns whether the server then neither sends a byte nor closes."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = self.server.context.wrap_bio(incoming, outgoing, server_hostname=self.host(name))
        with contextlib.suppress(ssl.SSLWantReadError):
            client.do_handshake()
        with socket.create_connection((ADDRESS, self.server.port), LIMIT) as plain:
            plain.sendall(outgoing.read())
            return not select.select([plain], [], [], QUIET)[0]

    def connect(self, name: str, context: ssl.SSLContext) -> Wire:
        return self.server.connect(self.host(name), context)


def strict(server: Server) -> ssl.SSLContext:
    """Returns the context of a client that ignores the Common Name and rejects weak keys and digests."""
    context = server.context
    context.hostname_checks_common_name = False
    context.set_ciphers("DEFAULT:@SECLEVEL=2")
    return context


def any_certificate() -> ssl.SSLContext:
    """Returns the context of a client that accepts every certificate and every version."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    return context

"""Malformed TLS messages, written with tlslite-ng. Each must end its connection without affecting other clients."""

import os
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tlslite.constants import AlertDescription, ContentType, HandshakeType
from tlslite.errors import TLSAbruptCloseError, TLSClosedConnectionError, TLSError, TLSLocalAlert, TLSRemoteAlert
from tlslite.handshakesettings import HandshakeSettings
from tlslite.messages import Message
from tlslite.tlsconnection import TLSConnection

from findings import Part
from support.server import Server
from support.wire import ADDRESS, NAME
from target import Watcher

# The time limit in seconds for the server to end a connection after a malformed message.
LIMIT = 60.0
# The time in seconds that a tolerated connection may stay open before the next case.
SHORT = 0.3
FLOOD = 2000
TLS12, TLS13 = (3, 3), (3, 4)
HANDSHAKE, ALERT, DATA, CCS = (
    ContentType.handshake,
    ContentType.alert,
    ContentType.application_data,
    ContentType.change_cipher_spec,
)


class Peer:
    """A tlslite-ng connection that can send arbitrary bytes."""

    def __init__(self, port: int, version: tuple[int, int] | None) -> None:
        self.socket = socket.create_connection((ADDRESS, port), timeout=LIMIT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.tls = TLSConnection(self.socket)
        if version:
            self.tls.handshakeClientCert(settings=settings(version), serverName=NAME)

    def plain(self, kind: int, content: bytes, version: bytes = b"\3\3", length: int | None = None) -> None:
        """Sends a record without encryption, even after the handshake."""
        size = len(content) if length is None else length
        self.raw(bytes([kind]) + version + struct.pack(">H", size) + content)

    def raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    def protected(self, kind: int, content: bytes) -> None:
        """Sends a record with the connection's keys, and without the size limit of tlslite-ng."""
        for _ in self.tls._sendMsgThroughSocket(Message(kind, bytearray(content))):
            pass

    def flood(self, kind: int, content: bytes) -> None:
        """Sends a record many times. The server must end the connection before the last record."""
        for _ in range(FLOOD):
            self.protected(kind, content)

    def key_updates(self) -> None:
        """Sends KeyUpdate messages that each request a KeyUpdate in return, without application data."""
        for _ in range(FLOOD):
            for _ in self.tls.send_keyupdate_request(1):
                pass

    def outcome(self) -> str:
        """Returns the server's reaction: an alert, a close, data, or nothing before the time limit."""
        try:
            data = self.tls.read(min=1, max=1)
        except TLSRemoteAlert as alert:
            return f"alert {AlertDescription.toRepr(alert.description)}"
        except TimeoutError:
            return "OPEN"
        except (TLSAbruptCloseError, TLSClosedConnectionError, OSError):
            return "closed"
        except TLSLocalAlert as alert:
            return f"UNEXPECTED MESSAGE {alert}"
        except TLSError as error:
            return f"UNREADABLE {error!r}"
        return "DATA" if data else "close_notify"

    def plain_outcome(self) -> str:
        """Returns the server's reaction on a connection without keys, by reading records from the socket."""
        received = b""
        try:
            while data := self.socket.recv(4096):
                received += data
        except TimeoutError:
            return f"OPEN {received[:16].hex()}" if received[:1] != b"\x15" else f"OPEN after alert {received[6]}"
        except OSError:
            return "closed"
        if received[:1] == b"\x15" and len(received) >= 7:
            return f"alert {AlertDescription.toRepr(received[6])}"
        return f"closed after {received[:5].hex() or 'nothing'}"


def settings(version: tuple[int, int]) -> HandshakeSettings:
    chosen = HandshakeSettings()
    chosen.minVersion = chosen.maxVersion = version
    return chosen


def client_hello(version: tuple[int, int] = TLS13) -> bytes:
    """Returns a valid ClientHello from tlslite-ng: the handshake message without the record header."""
    near, far = socket.socketpair()
    with near, far:
        steps = TLSConnection(near).handshakeClientCert(settings=settings(version), serverName=NAME, async_=True)
        near.setblocking(False)
        next(steps)
        return far.recv(4096)[5:]


def message(kind: int, content: bytes, length: int | None = None) -> bytes:
    size = len(content) if length is None else length
    return bytes([kind]) + size.to_bytes(3, "big") + content


def hello(
    version: bytes = b"\3\3", suites: bytes = b"\xc0\x2b\x13\x01", compression: bytes = b"\0", extensions: bytes = b""
) -> bytes:
    """Returns a ClientHello from parts. Each part may be malformed."""
    body = version + os.urandom(32) + b"\0" + struct.pack(">H", len(suites)) + suites
    body += bytes([len(compression)]) + compression
    if extensions:
        body += struct.pack(">H", len(extensions)) + extensions
    return message(HandshakeType.client_hello, body)


def extension(kind: int, content: bytes, length: int | None = None) -> bytes:
    return struct.pack(">HH", kind, len(content) if length is None else length) + content


def server_name(name: bytes) -> bytes:
    entry = b"\0" + struct.pack(">H", len(name)) + name
    return extension(0, struct.pack(">H", len(entry)) + entry)


@dataclass(frozen=True)
class Case:
    """A message to send. `version` is the TLS version of the preceding handshake, if any."""

    name: str
    version: tuple[int, int] | None
    send: Callable[[Peer], None]
    # Whether the connection may stay open, because the message is valid or harmless.
    tolerated: bool = False


def handshake_cases() -> list[Case]:
    """Returns the cases with messages before or instead of the handshake."""
    correct = client_hello()
    half = correct[: len(correct) // 2]

    def first(name: str, content: bytes, kind: int = HANDSHAKE, **options: object) -> Case:
        return Case(name, None, lambda peer: peer.plain(kind, content, **options))

    def ended(name: str, send: Callable[[Peer], None]) -> Case:
        def send_and_finish(peer: Peer) -> None:
            send(peer)
            peer.socket.shutdown(socket.SHUT_WR)

        return Case(name, None, send_and_finish)

    return [
        first("record type 0", correct, kind=0),
        first("record type 99", correct, kind=99),
        first("heartbeat record first", b"\1\0\x10" + bytes(19), kind=24),
        first("record version 9.9", correct, version=b"\x09\x09"),
        first("record version 0.0", correct, version=b"\0\0"),
        Case("empty handshake record", None, lambda peer: peer.plain(HANDSHAKE, b""), tolerated=True),
        first("record one byte over 2^14", correct + bytes(16385 - len(correct))),
        first("record length 65535", correct, length=65535),
        Case("1,000 empty handshake records", None, lambda peer: peer.raw(b"\x16\3\1\0\0" * 1000)),
        Case("4 KiB of random bytes", None, lambda peer: peer.raw(os.urandom(4096))),
        Case("4 KiB of zeros", None, lambda peer: peer.raw(bytes(4096))),
        ended("half a ClientHello, then FIN", lambda peer: peer.plain(HANDSHAKE, half)),
        ended("half a record, then FIN", lambda peer: peer.plain(HANDSHAKE, half, length=len(correct))),
        ended("one byte, then FIN", lambda peer: peer.raw(b"\x16")),
        ended("ClientHello, then FIN", lambda peer: peer.plain(HANDSHAKE, correct)),
        first("ClientHello of 16 MiB announced", message(1, correct[4:], 0xFFFFFF)),
        first("ClientHello with random content", message(1, os.urandom(512))),
        first("ClientHello without content", message(1, b"")),
        first("ClientHello with trailing bytes", message(1, correct[4:] + b"\1\2\3")),
        first("ClientHello of SSL 3.0", hello(version=b"\3\0")),
        first("ClientHello of TLS 1.0", hello(version=b"\3\1")),
        first("ClientHello of TLS 1.1", hello(version=b"\3\2")),
        first("ClientHello without suites", hello(suites=b"")),
        first("ClientHello with an odd suite list", hello(suites=b"\xc0\x2b\x13")),
        first("ClientHello with unknown suites", hello(suites=b"\xfa\xfa\xfb\xfb")),
        first("ClientHello with NULL and RC4 suites", hello(suites=b"\0\1\0\2\0\4\0\5")),
        first("ClientHello with compression alone", hello(compression=b"\1")),
        first("ClientHello without compression methods", hello(compression=b"")),
        first("extension longer than the message", hello(extensions=extension(10, b"\0\2\0\x1d", 4000))),
        first("the same extension twice", hello(extensions=extension(23, b"") * 2)),
        first("server name with NUL", hello(extensions=server_name(NAME.encode() + b"\0.example"))),
        first("empty server name", hello(extensions=server_name(b""))),
        first("server name of 60,000 bytes", hello(extensions=server_name(b"a" * 2000) + extension(21, bytes(8000)))),
        first("key share without content", hello(extensions=extension(51, b"") + extension(43, b"\2\3\4"))),
        first("ServerHello first", message(2, correct[4:])),
        first("Finished first", message(20, bytes(32))),
        first("KeyUpdate first", message(24, b"\1")),
        first("ChangeCipherSpec first, with a wrong value", b"\2", kind=CCS),
        first("application data first", b"GET / HTTP/1.1\r\n\r\n", kind=DATA),
        first("a fatal alert first", b"\2\x28", kind=ALERT),
        Case("100 warning alerts first", None, lambda peer: [peer.plain(ALERT, b"\1\x5a") for _ in range(100)]),
        Case("two ClientHellos", None, lambda peer: peer.plain(HANDSHAKE, correct + correct)),
        Case(
            "ClientHello, then random encrypted data",
            None,
            lambda peer: (peer.plain(HANDSHAKE, correct), peer.plain(DATA, os.urandom(256))),
        ),
        Case(
            "TLS 1.2 ClientHello, then an early ChangeCipherSpec",
            None,
            lambda peer: (peer.plain(HANDSHAKE, client_hello(TLS12)), peer.plain(CCS, b"\1"), peer.raw(bytes(64))),
        ),
    ]


def connection_cases() -> list[Case]:
    """Returns the cases with messages after a complete handshake."""
    both = [
        Case("random bytes", None, lambda peer: peer.raw(os.urandom(600))),
        Case("a data record with a wrong tag", None, lambda peer: peer.plain(DATA, os.urandom(64))),
        Case("a data record shorter than a tag", None, lambda peer: peer.plain(DATA, b"\0\1")),
        Case("an unencrypted alert", None, lambda peer: peer.plain(ALERT, b"\2\x28")),
        Case("an unencrypted ClientHello", None, lambda peer: peer.plain(HANDSHAKE, client_hello())),
        Case("a data record over 2^14", None, lambda peer: peer.protected(DATA, bytes(17000))),
        Case("record length 65535", None, lambda peer: peer.plain(DATA, bytes(8), length=65535)),
        Case("an unknown content type", None, lambda peer: peer.protected(99, b"abc")),
        Case("an alert of one byte", None, lambda peer: peer.protected(ALERT, b"\1")),
        Case("Finished again", None, lambda peer: peer.protected(HANDSHAKE, message(20, bytes(48)))),
        Case("Certificate", None, lambda peer: peer.protected(HANDSHAKE, message(11, bytes(64)))),
        Case("ServerHello", None, lambda peer: peer.protected(HANDSHAKE, message(2, bytes(64)))),
        Case("a handshake message of 16 MiB", None, lambda peer: peer.protected(HANDSHAKE, message(1, b"", 0xFFFFFF))),
        Case(f"{FLOOD:,} empty data records", None, lambda peer: peer.flood(DATA, b"")),
        Case(f"{FLOOD:,} warning alerts", None, lambda peer: peer.flood(ALERT, b"\1\x5a")),
    ]
    cases = [
        Case(f"TLS 1.{version[1] - 1}: {case.name}", version, case.send) for version in (TLS12, TLS13) for case in both
    ]
    return [
        *cases,
        Case(
            "TLS 1.2: renegotiation",
            TLS12,
            lambda peer: peer.protected(HANDSHAKE, client_hello(TLS12)),
        ),
        Case("TLS 1.2: ChangeCipherSpec again", TLS12, lambda peer: peer.protected(CCS, b"\1")),
        Case(
            "TLS 1.2: an empty handshake record",
            TLS12,
            lambda peer: peer.protected(HANDSHAKE, b""),
            tolerated=True,
        ),
        Case("TLS 1.3: an empty handshake record", TLS13, lambda peer: peer.protected(HANDSHAKE, b"")),
        Case("TLS 1.2: HelloRequest", TLS12, lambda peer: peer.protected(HANDSHAKE, message(0, b"")), tolerated=True),
        Case("TLS 1.3: ClientHello again", TLS13, lambda peer: peer.protected(HANDSHAKE, client_hello())),
        Case("TLS 1.3: KeyUpdate with value 2", TLS13, lambda peer: peer.protected(HANDSHAKE, message(24, b"\2"))),
        Case("TLS 1.3: KeyUpdate without content", TLS13, lambda peer: peer.protected(HANDSHAKE, message(24, b""))),
        Case("TLS 1.3: KeyUpdate of 2 bytes", TLS13, lambda peer: peer.protected(HANDSHAKE, message(24, b"\0\0"))),
        Case("TLS 1.3: NewSessionTicket", TLS13, lambda peer: peer.protected(HANDSHAKE, message(4, bytes(32)))),
        Case("TLS 1.3: EndOfEarlyData", TLS13, lambda peer: peer.protected(HANDSHAKE, message(5, b""))),
        Case("TLS 1.3: ChangeCipherSpec", TLS13, lambda peer: peer.plain(CCS, b"\1")),
        Case(f"TLS 1.3: {FLOOD:,} KeyUpdate messages", TLS13, lambda peer: peer.key_updates()),
    ]


def try_case(server: Server, case: Case) -> str:
    """Sends a case, and returns the server's reaction."""
    peer = Peer(server.port, case.version)
    try:
        try:
            case.send(peer)
        except TLSRemoteAlert as alert:
            return f"alert {AlertDescription.toRepr(alert.description)}"
        except (OSError, TLSError) as error:
            # The server ended the connection during the case. An alert may still be readable.
            if isinstance(error, TimeoutError):
                return "OPEN, and the server does not read"
        if case.tolerated:
            peer.socket.settimeout(SHORT)
        return peer.outcome() if case.version else peer.plain_outcome()
    finally:
        peer.socket.close()


def malformed(server: Server, folder: Path) -> Part:
    """Sends every case. After each case, a well-behaved client must get a response."""
    cases = handshake_cases() + connection_cases()
    part = Part("tlslite-ng", f"{len(cases)} malformed TLS exchanges")
    watcher = Watcher(server)
    lines = []
    for case in cases:
        started = time.monotonic()
        outcome = try_case(server, case)
        lines.append(f"{case.name}: {outcome} ({time.monotonic() - started:.2f} s)")
        ends = outcome.startswith(("alert", "close"))
        if not ends and not case.tolerated:
            part.add(case.name, f"the connection did not end: {outcome}")
        if not watcher.request():
            part.add(case.name, f"the next request of another client failed: {watcher.failures[-1]}")
        if server.process.poll() is not None:
            part.add(case.name, f"the server exited with code {server.process.returncode}")
            break
    (folder / "malformed.txt").write_text("\n".join(lines) + "\n")
    part.note = watcher.summary
    return part

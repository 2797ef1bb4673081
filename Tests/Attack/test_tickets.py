"""Replayed session tickets: a recorded connection resumes nothing, on the same server and on others with its secret."""

import re
import socket
import ssl
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.people import together
from support.server import Server
from support.wire import ADDRESS, NAME, request

LIMIT = 60.0
MARK = "/digits.txt?recorded"
REQUEST = request(MARK, "Connection: close")


@dataclass(frozen=True)
class Recording:
    """The bytes of a resumed connection that a network attacker has recorded, in the order of the flights."""

    flights: list[bytes]
    resumed: bool
    answer: bytes


class Client:
    """A TLS client that records the bytes it sends."""

    def __init__(self, server: Server, context: ssl.SSLContext, session: ssl.SSLSession | None = None) -> None:
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self._in, self._out, server_hostname=NAME, session=session)
        self.flights: list[bytes] = []
        self.socket = socket.create_connection((ADDRESS, server.port), timeout=LIMIT)

    def _flush(self) -> None:
        if flight := self._out.read():
            self.flights.append(flight)
            self.socket.sendall(flight)

    def _attempt(self, work: Callable[[], Any]) -> Any:
        while True:
            try:
                result = work()
                self._flush()
                return result
            except ssl.SSLWantReadError:
                self._flush()
                received = self.socket.recv(65536)
                if received:
                    self._in.write(received)
                else:
                    self._in.write_eof()

    def run(self) -> Recording:
        with self.socket:
            self._attempt(self.tls.do_handshake)
            self._attempt(lambda: self.tls.write(REQUEST))
            answer = b""
            while more := self._attempt(lambda: self.tls.read(65536)):
                answer += more
            return Recording(self.flights, bool(self.tls.session_reused), answer)


def context_of(server: Server, version: ssl.TLSVersion) -> ssl.SSLContext:
    context = server.context
    context.minimum_version = context.maximum_version = version
    context.options |= ssl.OP_IGNORE_UNEXPECTED_EOF
    return context


def record(server: Server, context: ssl.SSLContext) -> tuple[Recording, ssl.SSLSession]:
    """Records a resumed connection with a request. Also returns the session that it resumed."""
    first = Client(server, context)
    assert not first.run().resumed
    session = first.tls.session
    assert session is not None
    recording = Client(server, context, session).run()
    assert recording.resumed
    assert b"200 OK" in recording.answer
    return recording, session


def replay(server: Server, recording: Recording) -> bytes:
    """Sends the recorded bytes again. Returns the bytes that the server sends until it closes the connection."""
    received = b""
    with socket.create_connection((ADDRESS, server.port), timeout=LIMIT) as plain:
        try:
            for flight in recording.flights:
                plain.sendall(flight)
            while more := plain.recv(65536):
                received += more
        except ConnectionError:
            pass
    return received


def served(server: Server) -> int:
    """Returns the number of recorded requests that the server has logged."""
    with server.connect() as wire:
        mark = f"?mark-{wire.local_port}"
        wire.ask(f"/digits.txt{mark}", "Connection: close")
    server.err.wait_for(lambda line: mark in line)
    return sum(MARK in line for line in server.err.lines)


@pytest.fixture
def pair(start: Callable[..., Server], tmp_path: Path) -> tuple[Server, Server]:
    """Two servers with the same ticket secret and the same certificates."""
    secret = tmp_path / "secret"
    secret.touch(mode=0o600)
    secret.write_text("0123456789abcdef" * 4)
    options = ("--ticket-secret", str(secret), "--handshake-timeout", "4")
    servers = [start(*options, certificates=tmp_path / "certs") for _ in range(2)]
    return servers[0], servers[1]


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_replayed_connection_sends_no_request(pair: tuple[Server, Server], version: ssl.TLSVersion) -> None:
    """RFC 8446 §8: only early data can be replayed, and the server accepts none. TLS 1.2 has fresh server randoms."""
    one, other = pair
    recording, _ = record(one, context_of(one, version))
    assert (served(one), served(other)) == (2, 0)
    for server in (one, other):
        for _ in range(5):
            received = replay(server, recording)
            assert received[:1] in (b"\x16", b"\x15", b""), received[:40]
            assert b"HTTP/1.1" not in received
    assert (served(one), served(other)) == (2, 0)


def test_a_replayed_first_flight_ends_at_the_handshake_timeout(
    pair: tuple[Server, Server], recovered: Callable[..., Any]
) -> None:
    one, other = pair
    recording, _ = record(one, context_of(one, ssl.TLSVersion.TLSv1_3))
    first = Recording(recording.flights[:1], resumed=True, answer=b"")
    for server in (one, other):
        with recovered(server):
            # The server resumes the session. Without the session's key, the attacker cannot finish the handshake.
            received = together(5, lambda _, server=server: replay(server, first))
            assert [flight[:1] for flight in received] == [b"\x16"] * 5
    assert (served(one), served(other)) == (2, 0)


def test_a_client_that_repeats_its_ticket_gets_new_keys_and_a_new_ticket(pair: tuple[Server, Server]) -> None:
    """RFC 8446 appendix C.4: the client should use a ticket once. The servers keep no list of used tickets."""
    one, other = pair
    context = context_of(one, ssl.TLSVersion.TLSv1_3)
    first, session = record(one, context)
    for server in (one, other):
        client = Client(server, context, session)
        again = client.run()
        assert again.resumed
        assert b"200 OK" in again.answer
        assert client.tls.session is not None
        assert client.tls.session.id != session.id or client.tls.session.time >= session.time
        # Fresh key shares on both sides: the encrypted requests differ.
        assert again.flights[-1] != first.flights[-1]
    assert (served(one), served(other)) == (3, 1)


def test_a_server_accepts_no_early_data(pair: tuple[Server, Server], tmp_path: Path) -> None:
    """Early data is the only part of a TLS 1.3 connection that can be replayed (RFC 8446 §8)."""
    one, other = pair
    saved, early = tmp_path / "session", tmp_path / "early"
    early.write_bytes(REQUEST)
    base = ["openssl", "s_client", "-tls1_3", "-CAfile", str(one.authority), "-servername", NAME, "-ign_eof"]

    def run(server: Server, *options: str) -> str:
        arguments = [*base, "-connect", f"{ADDRESS}:{server.port}", *options]
        done = subprocess.run(arguments, input=REQUEST, capture_output=True, timeout=LIMIT)
        return (done.stdout + done.stderr).decode(errors="replace")

    assert "200 OK" in run(one, "-sess_out", str(saved))
    assert re.search(r"Max Early Data: 0\b", run(one, "-sess_out", str(saved)))
    for server in (one, other):
        text = run(server, "-sess_in", str(saved), "-early_data", str(early))
        assert "Early data was accepted" not in text
        assert "Reused" in text

"""Servers with the same ticket secret resume each other's TLS sessions."""

import json
import signal
import socket
import ssl
from pathlib import Path

import pytest

from support.fixtures import Start
from support.server import Server
from support.waiting import LIMIT
from support.wire import ADDRESS, NAME, request


def visit(
    server: Server, context: ssl.SSLContext, session: ssl.SSLSession | None = None
) -> tuple[ssl.SSLSession, bool]:
    """Connects once. Returns the session for the next connection, and whether this connection resumed `session`."""
    with (
        socket.create_connection((ADDRESS, server.port), LIMIT) as plain,
        context.wrap_socket(plain, server_hostname=NAME, session=session) as secure,
    ):
        # TLS 1.3 sends the ticket after the handshake.
        secure.sendall(request("/echo", "Connection: close"))
        received = b"".join(iter(lambda: secure.recv(65536), b""))
        found = json.loads(received.partition(b"\r\n\r\n")[2])
        assert found["resumed"] is secure.session_reused and found["cipher"] and found["group"]
        assert secure.session
        return secure.session, bool(secure.session_reused)


def write_secret(path: Path, text: str) -> str:
    path.touch(mode=0o600)
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_session_is_resumed_on_another_server_until_the_secret_changes(
    start: Start, tmp_path: Path, version: ssl.TLSVersion
) -> None:
    secret, certificates = tmp_path / "secret", tmp_path / "certs"
    write_secret(secret, "0123456789abcdef" * 4)
    one, other = (start("--echo", "--ticket-secret", str(secret), certificates=certificates) for _ in range(2))
    without = start("--echo", certificates=certificates)
    context = one.context
    context.minimum_version = context.maximum_version = version
    session, _ = visit(one, context)
    assert not visit(without, context, session)[1]
    session, resumed = visit(other, context, session)
    assert resumed
    write_secret(secret, "another secret, also long enough for a key")
    before = len(other.err.lines)
    other.signal(signal.SIGHUP)
    other.err.wait_for(lambda line: "reloaded" in line, since=before)
    assert visit(one, context, session)[1], "a server must keep the secret until a reload"
    assert not visit(other, context, session)[1]

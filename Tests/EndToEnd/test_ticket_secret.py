"""Servers with the same ticket secret resume each other's TLS sessions."""

import signal
import socket
import ssl
from pathlib import Path

import pytest

from support.fixtures import Start
from support.server import Server, run
from support.wire import ADDRESS, NAME, request

NOT_PERMITTED, BAD_INPUT = 77, 65


def visit(
    server: Server, context: ssl.SSLContext, session: ssl.SSLSession | None = None
) -> tuple[ssl.SSLSession, bool]:
    """Connects once. Returns the session for the next connection, and whether this connection resumed `session`."""
    with (
        socket.create_connection((ADDRESS, server.port)) as plain,
        context.wrap_socket(plain, server_hostname=NAME, session=session) as secure,
    ):
        # TLS 1.3 sends the ticket after the handshake.
        secure.sendall(request("/", "Connection: close"))
        while secure.recv(65536):
            pass
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
    one, other = (start("--ticket-secret", str(secret), certificates=certificates) for _ in range(2))
    without = start(certificates=certificates)
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


def test_a_secret_that_others_can_read_or_that_is_short_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    options = ("--host", ADDRESS, "--port", "0", "--plain-port", "0", "--admin", "off", "--ticket-secret", str(secret))
    write_secret(secret, "0123456789abcdef")
    short = run(tmp_path, "serve", *options)
    assert short.code == BAD_INPUT
    assert "openssl rand" in short.err
    write_secret(secret, "0123456789abcdef" * 4)
    secret.chmod(0o640)
    readable = run(tmp_path, "serve", *options)
    assert readable.code == NOT_PERMITTED
    assert "chmod 600" in readable.err
    assert "0123456789" not in short.err + readable.err

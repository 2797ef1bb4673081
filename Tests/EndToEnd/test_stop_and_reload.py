"""Signals: the first drains, the second stops immediately, and SIGHUP reloads files unless they are invalid."""

import json
import os
import signal
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from support.fixtures import Start
from support.inspector import EventStream
from support.keys import OTHER_APP, association, identity
from support.server import Server
from support.waiting import wait_until
from support.wire import ADDRESS, NAME, Ending, Wire, request

# With these limits, a server that waits for a client exceeds the limit of the test.
PATIENT = ("--drain", "600", "--idle-timeout", "600", "--head-timeout", "600")
STALLING = ("stall-handshake", "stall-head", "stall-content")
WELL_KNOWN = "/.well-known/apple-app-site-association"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_an_idle_server_stops_at_once(start: Start, number: signal.Signals) -> None:
    server = start(*PATIENT)
    with server.connect() as wire:
        assert wire.ask("/digits.txt").status == 200
        server.signal(number)
        assert wire.wait_for_end() is Ending.ORDERLY
    assert server.wait() == 0


def test_a_request_in_progress_gets_its_response_before_the_connection_closes(start: Start) -> None:
    server = start("--echo", *PATIENT)
    message = request("/echo", method="POST", content=b"small steps")
    with server.connect() as wire, server.connect() as idle:
        assert idle.ask("/digits.txt").status == 200
        wire.send(message[:-1], settled=True)
        server.signal(signal.SIGTERM)
        assert idle.wait_for_end() is Ending.ORDERLY
        wire.send(message[-1:])
        answers = wire.answers()
        assert [answer.status for answer in answers] == [200]
        assert answers[0].closes
        assert wire.ending is Ending.ORDERLY
    assert server.wait() == 0


def test_a_second_signal_stops_the_server_immediately(start: Start) -> None:
    server = start("--echo", *PATIENT)
    with server.connect() as wire, server.connect() as idle:
        assert idle.ask("/digits.txt").status == 200
        wire.send(request("/echo", method="POST", content=b"small steps")[:-1], settled=True)
        server.signal(signal.SIGTERM)
        idle.wait_for_end()
        server.signal(signal.SIGTERM)
        # The second signal cuts off responses, so the exit code may also be the status of a killed process.
        server.codes = {0, 128 + signal.SIGTERM, -signal.SIGTERM}
        assert server.wait() in server.codes


@pytest.mark.parametrize("host", STALLING)
def test_a_host_that_stalls_on_purpose_does_not_delay_the_stop(start: Start, host: str) -> None:
    server = start("--faults", "--inspector", *PATIENT)
    with EventStream(server) as stream, stalled(server, host, stream):
        server.signal(signal.SIGTERM)
        assert server.wait() == 0


def test_a_host_that_stalls_on_purpose_releases_a_client_that_leaves(start: Start) -> None:
    server = start("--faults", "--inspector")
    with EventStream(server) as stream:
        before = sockets(server)
        for host in STALLING:
            with stalled(server, host, stream):
                assert sockets(server) > before, host
            wait_until(lambda: sockets(server) == before, "the server closes the connection")


def sockets(server: Server) -> int:
    """Returns the number of the server's sockets. The runtime opens other descriptors on first use."""
    count = 0
    for name in Path(f"/proc/{server.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            count += os.readlink(name).startswith("socket:")
    return count


@contextmanager
def stalled(server: Server, host: str, stream: EventStream) -> Iterator[None]:
    """Starts a client of a host, waits until the inspector lists its request, and then stops the client."""
    name = f"{host}.faults.{NAME}"
    command = ["curl", "--silent", "--noproxy", "*", "--cacert", str(server.authority), "--max-time", "60"]
    command += ["--resolve", f"{name}:{server.port}:{ADDRESS}", f"https://{name}:{server.port}{WELL_KNOWN}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as client:
        try:
            stream.wait_for(name)
            yield
        finally:
            client.kill()


def apps(wire: Wire) -> list[str]:
    return json.loads(wire.ask(WELL_KNOWN).content)["webcredentials"]["apps"]


def reload(server: Server, word: str) -> str:
    """Sends SIGHUP, and waits for the log line with the result of the reload."""
    before = len(server.err.lines)
    server.signal(signal.SIGHUP)
    return server.err.wait_for(lambda line: word in line.lower(), since=before)


def test_a_reload_loads_the_association_and_keeps_connections(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "association.json"
    file.write_bytes(association())
    server = start("--association", str(file))
    with server.connect() as wire:
        first = wire.ask(WELL_KNOWN)
        file.write_bytes(association(OTHER_APP))
        reload(server, "reload")
        assert apps(wire) == [OTHER_APP]
        assert wire.ask(WELL_KNOWN, f"If-None-Match: {first.field('ETag')}").status == 200


def test_a_reload_loads_a_valid_certificate_and_rejects_an_invalid_one(start: Start, tmp_path: Path) -> None:
    certificate, key = identity(tmp_path, NAME)
    server = start("--certificate", str(certificate), "--key", str(key))
    first = certificate.read_text()
    right = key.read_bytes()

    def served() -> str:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with server.connect(context=context) as wire:
            assert wire.tls
            shown = wire.tls.getpeercert(binary_form=True)
            assert shown
            return ssl.DER_cert_to_PEM_cert(shown)

    def same(one: str, other: str) -> bool:
        return ssl.PEM_cert_to_DER_cert(one) == ssl.PEM_cert_to_DER_cert(other)

    assert same(served(), first)
    key.write_bytes(b"hello\n")
    reload(server, str(key).lower())
    assert same(served(), first)
    key.write_bytes(right)
    identity(tmp_path, NAME)
    reload(server, "reload")
    assert same(served(), certificate.read_text())
    assert not same(served(), first)

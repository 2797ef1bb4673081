"""The admin listener: health checks for supervisors, only from this machine."""

import socket
from pathlib import Path

import pytest

from support.answers import Answer
from support.people import App
from support.server import Server, free_port, run
from support.wire import ADDRESS, Wire, request

UNAVAILABLE, USAGE = 69, 64


def ask(server: Server, target: str, method: str = "GET") -> Answer:
    with Wire(server.admin_port) as wire:
        wire.send(request(target, method=method, host=server.admin_address))
        return wire.answer(method)


def test_a_healthy_server_passes_the_health_check(server: Server) -> None:
    answer = ask(server, "/health")
    assert answer.status == 200
    assert "no-store" in answer.field("Cache-Control")
    assert ask(server, "/health", "HEAD").status == 200


def test_the_admin_listener_and_the_site_share_no_path(server: Server) -> None:
    for target in ("/signin", "/api/password", "/.well-known/apple-app-site-association"):
        assert ask(server, target).status == 404, target
    with App(server) as app:
        assert app.send("GET", "/health").status == 404
        assert app.send("GET", "/metrics").status == 404


def test_the_health_check_fails_without_a_listener(tmp_path: Path) -> None:
    outcome = run(tmp_path, "healthcheck", "--admin", f"{ADDRESS}:{free_port()}")
    assert outcome.code == UNAVAILABLE
    assert len(outcome.err.splitlines()) == 1, outcome.err


def test_the_health_check_fails_with_another_listener(server: Server, tmp_path: Path) -> None:
    """The site's own port speaks TLS. A check that accepted any response would succeed."""
    outcome = run(tmp_path, "healthcheck", "--admin", f"{ADDRESS}:{server.port}")
    assert outcome.code == UNAVAILABLE
    assert len(outcome.err.splitlines()) == 1, outcome.err


def test_the_health_check_fails_with_a_silent_listener(tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind((ADDRESS, 0))
        silent.listen()
        # The timeout of `run` is longer than that of the health check.
        outcome = run(tmp_path, "healthcheck", "--admin", f"{ADDRESS}:{silent.getsockname()[1]}")
    assert outcome.code == UNAVAILABLE


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[2001:db8::1]:0"])
def test_the_admin_listener_is_never_on_a_public_address(tmp_path: Path, address: str) -> None:
    outcome = run(tmp_path, "serve", "--host", ADDRESS, "--port", "0", "--plain-port", "0", "--admin", address)
    assert outcome.code == USAGE, outcome.err
    assert outcome.out == ""
    assert address.rpartition(":")[0].strip("[]") in outcome.err
    assert "127.0.0.1" in outcome.err, "the error does not contain the address to use"


@pytest.mark.parametrize("address", ["127.0.0.1:65536"])
def test_an_admin_address_that_is_malformed_is_named(tmp_path: Path, address: str) -> None:
    for command in (["serve", "--host", ADDRESS, "--port", "0", "--plain-port", "0"], ["healthcheck"]):
        outcome = run(tmp_path, *command, "--admin", address)
        assert outcome.code == USAGE, outcome.err

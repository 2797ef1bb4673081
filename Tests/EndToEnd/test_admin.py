"""The admin listener: health checks for supervisors, only from this machine."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from support.answers import Answer
from support.people import App
from support.server import Server, free_port, run
from support.wire import ADDRESS, Wire, request

Start = Callable[..., Server]
HEALTHY, UNAVAILABLE, USAGE = 0, 69, 64


def ask(server: Server, target: str, method: str = "GET") -> Answer:
    with Wire(server.admin_port) as wire:
        wire.send(request(target, method=method, host=server.admin_address))
        return wire.answer(method)


def test_the_ready_line_tells_where_the_admin_listener_is(server: Server) -> None:
    assert server.admin_port not in (0, server.port)
    assert server.admin_address == f"{ADDRESS}:{server.admin_port}"


def test_a_healthy_server_says_so(server: Server) -> None:
    answer = ask(server, "/health")
    assert answer.status == 200
    assert "no-store" in answer.field("Cache-Control")
    assert ask(server, "/health", "HEAD").status == 200


def test_the_admin_listener_serves_none_of_the_site_and_the_site_none_of_it(server: Server) -> None:
    for target in ("/signin", "/api/password", "/.well-known/apple-app-site-association"):
        assert ask(server, target).status == 404, target
    with App(server) as app:
        assert app.send("GET", "/health").status == 404
        assert app.send("GET", "/metrics").status == 404


def test_the_health_check_of_a_healthy_server_succeeds(server: Server, tmp_path: Path) -> None:
    outcome = run(tmp_path, "healthcheck", "--admin", server.admin_address)
    assert outcome.code == HEALTHY, outcome.err


def test_the_health_check_fails_where_nobody_listens(tmp_path: Path) -> None:
    outcome = run(tmp_path, "healthcheck", "--admin", f"{ADDRESS}:{free_port()}")
    assert outcome.code == UNAVAILABLE
    assert len(outcome.err.splitlines()) == 1, outcome.err


def test_the_health_check_fails_where_something_else_listens(server: Server, tmp_path: Path) -> None:
    """The site's own port speaks TLS. A check that accepted any response would succeed."""
    outcome = run(tmp_path, "healthcheck", "--admin", f"{ADDRESS}:{server.port}")
    assert outcome.code == UNAVAILABLE
    assert len(outcome.err.splitlines()) == 1, outcome.err


def test_the_health_check_gives_up_on_a_listener_that_says_nothing(tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind((ADDRESS, 0))
        silent.listen()
        # The timeout of `run` is longer than that of the health check.
        outcome = run(tmp_path, "healthcheck", "--admin", f"{ADDRESS}:{silent.getsockname()[1]}")
    assert outcome.code == UNAVAILABLE


def test_the_health_check_fails_after_the_server_has_stopped(start: Start, tmp_path: Path) -> None:
    server = start()
    address = server.admin_address
    assert run(tmp_path, "healthcheck", "--admin", address).code == HEALTHY
    server.stop()
    assert run(tmp_path, "healthcheck", "--admin", address).code == UNAVAILABLE


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:8081", "198.51.100.7:0", "[2001:db8::1]:0"])
def test_the_admin_listener_is_never_on_a_public_address(tmp_path: Path, address: str) -> None:
    outcome = run(tmp_path, "serve", "--host", ADDRESS, "--port", "0", "--plain-port", "0", "--admin", address)
    assert outcome.code == USAGE, outcome.err
    assert outcome.out == ""
    assert address.rpartition(":")[0].strip("[]") in outcome.err
    assert "127.0.0.1" in outcome.err, "the error does not contain the address to use"


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.1:65536", "127.0.0.1:x", "localhost:0:0", ""])
def test_an_admin_address_that_is_malformed_is_named(tmp_path: Path, address: str) -> None:
    for command in (["serve", "--host", ADDRESS, "--port", "0", "--plain-port", "0"], ["healthcheck"]):
        outcome = run(tmp_path, *command, "--admin", address)
        assert outcome.code == USAGE, outcome.err

"""A process that may open no more descriptors (prlimit): connections and requests fail, and nothing is lost."""

import contextlib
import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from attackers.crowd import Crowd, sources
from attackers.memory import wait_until
from support.people import JSON, PASSWORD, App, Visitor
from support.server import Server
from support.wire import Wire, request

LIMIT = 60.0
ASSOCIATION = "/.well-known/apple-app-site-association"


@contextmanager
def exhausted(server: Server, spare: int) -> Iterator[None]:
    """Limits the process to its open descriptors and `spare` more."""
    before = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (server.descriptors + spare, before[1]))
    try:
        yield
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, before)


def test_open_connections_are_served_without_a_free_descriptor(
    start: Callable[..., Server], recovered: Callable[..., Any]
) -> None:
    """The parts of the server that need a descriptor fail with 503 or 500. The others continue."""
    server = start("--allow-fetch", "any", "--sign-ups-per-address", "1000")
    with App(server) as app, Visitor(server) as visitor:
        token = app.sign_up("Before")
        assert visitor.get("/").status == 200
        with recovered(server, spare=4), Crowd(server, ["127.0.0.20"]) as crowd:
            # To free descriptors, the server closes idle connections of the client with the most connections.
            crowd.join(30, request("/digits.txt"))
            assert crowd.drive(lambda: crowd.statuses[200] == 30, LIMIT)
            with exhausted(server, 0), ExitStack() as stack:
                for number in range(20):
                    # Each request opens a file, a database connection or a socket, or none of them.
                    assert app.send("GET", ASSOCIATION).status == 200
                    assert app.is_signed_in(token)
                    assert app.send("GET", "/long.txt").status in (200, 500, 503)
                    answer = app.call("/api/signup", {"username": f"during-{number}", "password": PASSWORD})
                    assert answer.status in (201, 503), answer.text
                    checked = visitor.post("/check", {"site": f"localhost:{server.port}/x"})
                    assert checked.status in (200, 429, 503)
                    # The system accepts the connection. The server cannot, until the limit is raised.
                    with contextlib.suppress(OSError):
                        stack.enter_context(Wire(server.port, source="127.0.0.20"))
                assert server.process.poll() is None
            # The server accepts connections again within its pause of half a second, or on the next connection.
            assert wait_until(lambda: True, server)
            with App(server, "127.0.0.9") as other:
                assert other.send("GET", "/long.txt").status == 200
                assert other.sign_in("Before").status == 200
                other.sign_up("After")


def test_a_flood_without_free_descriptors_leaves_the_server_intact(
    start: Callable[..., Server], recovered: Callable[..., Any]
) -> None:
    server = start("--failures-per-address", "100000")
    content = f'{{"username": "nobody", "password": "{PASSWORD}"}}'.encode()
    message = request("/api/signin", JSON, method="POST", content=content)
    get = request("/digits.txt")
    start_of_next, rest = get[:9], get[9:]
    with recovered(server, spare=4), server.connect() as kept:
        assert kept.ask("/digits.txt").status == 200
        # The server may close an idle connection, but not one with an unfinished request.
        kept.send(start_of_next, settled=True)
        with exhausted(server, 2), ExitStack() as stack:
            for round_number in range(3):
                for source in sources(30):
                    with contextlib.suppress(OSError):
                        wire = stack.enter_context(Wire(server.port, source=source))
                        wire.send(message if round_number else b"\x16\x03\x01")
                    kept.send(rest + start_of_next)
                    assert kept.answer().status == 200
        assert wait_until(lambda: True, server)

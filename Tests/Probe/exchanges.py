"""Requests for every route and every status, with their responses, for the linters."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from support.answers import Answer
from support.people import FORM, JSON, PASSWORD, App
from support.server import Server
from support.wire import NAME, request

# Every status in ordinary operation. 503 would need a full queue, and 408 a wait of ten seconds (see docs/probe.md).
STATUSES = frozenset(
    {100, 200, 201, 204, 206, 303, 304, 400, 401, 403, 404, 405, 409, 412, 413, 414, 415, 416, 417}
) | frozenset({421, 422, 429, 431, 501, 505})
PAGES = (
    *("/", "/signup", "/signin", "/update", "/account/delete", "/signout", "/docs", "/openapi.json", "/check"),
    *("/check/codes", "/echo", "/style.css", "/favicon.svg", "/apple-app-site-association"),
    *("/.well-known/apple-app-site-association", "/.well-known/change-password", "/.well-known/security.txt"),
    *("/ultra_motivator/web/signup.py", "/ultra_motivator/web/signin.py", "/ultra_motivator/web/update.py"),
    *("/nothing", "/api/nothing"),
)
# For each route, the fields that a client may send with every method that has a representation.
VARIANTS = (
    ("GET", ()),
    ("HEAD", ()),
    ("OPTIONS", ()),
    ("GET", ("Accept-Encoding: gzip",)),
    ("GET", ("Accept: text/html",)),
    ("GET", ("If-None-Match: *",)),
    ("GET", ('If-Match: "other"',)),
    ("GET", ("Range: bytes=0-9",)),
    ("GET", ("Range: bytes=9000000-",)),
    ("DELETE", ()),
    ("POST", ("Content-Type: text/plain",)),
    ("POST", ("Content-Type: application/json", "Content-Encoding: br")),
    ("POST", ("Content-Type: application/json", "Expect: miracles")),
)


@dataclass(frozen=True)
class Exchange:
    """A request's method, target and field lines, and one response to the request."""

    method: str
    target: str
    lines: tuple[str, ...]
    answer: Answer
    plain: bool = False

    @property
    def name(self) -> str:
        port = "plain " if self.plain else ""
        lines = "".join(f" [{line[:40]}]" for line in self.lines)
        return f"{port}{self.method} {self.target[:60]}{lines} {self.answer.status}"


def routes(server: Server) -> list[str]:
    """Returns the paths of the pages, and the paths that /openapi.json lists."""
    with server.connect() as wire:
        wire.send(request("/openapi.json"))
        document = json.loads(wire.answer().content)
    return [*PAGES, *document["paths"]]


def exchange(
    server: Server, method: str, target: str, *lines: str, content: bytes = b"", plain: bool = False, host: str = NAME
) -> Iterator[Exchange]:
    """Sends a request on a separate connection. Yields each response, including interim responses."""
    with server.connect_plain() if plain else server.connect() as wire:
        wire.send(request(target, *lines, method=method, host=host, content=content))
        while True:
            answer = wire.answer(method)
            yield Exchange(method, target, lines, answer, plain)
            if answer.status >= 200:
                return


def by_route(server: Server) -> Iterator[Exchange]:
    for target in routes(server):
        for method, lines in VARIANTS:
            content = b"{}" if method == "POST" else b""
            yield from exchange(server, method, target, *lines, content=content)


def by_status(server: Server) -> Iterator[Exchange]:
    """Yields exchanges for statuses that require an account, a limit or a malformed message."""
    with App(server) as app:
        token = app.sign_up("prober")
    account = b'{"username": "prober", "password": "%s"}' % PASSWORD.encode()
    wrong = b'{"username": "prober", "password": "not the password"}'
    other = account.replace(b"prober", b"another prober")
    bearer = f"Authorization: Bearer {token}"
    cross = "Sec-Fetch-Site: cross-site"

    def post(target: str, content: bytes, *lines: str) -> Iterator[Exchange]:
        return exchange(server, "POST", target, JSON, *lines, content=content)

    yield from post("/api/signup", other)
    yield from post("/api/signup", account)
    yield from post("/api/signup", b'{"username": "third prober", "password": "1"}')
    yield from post("/api/signin", account)
    yield from post("/api/signin", account, cross)
    yield from expecting(server, account)
    yield from post("/api/signin", b"{")
    yield from exchange(server, "GET", "/api/motivation", bearer)
    yield from exchange(server, "GET", "/api/motivation", "Authorization: Bearer wrong")
    yield from exchange(server, "POST", "/signin", FORM, content=b"username=a&password=b")
    yield from exchange(server, "POST", "/check", FORM, content=b"file=%7B%7D")
    yield from exchange(server, "POST", "/check", FORM, content=b"")
    yield from exchange(server, "POST", "/api/signin", JSON, "Content-Length: 9000000")
    yield from exchange(server, "POST", "/api/signin", "Transfer-Encoding: gzip, chunked")
    yield from exchange(server, "GET", "/%zz")
    yield from exchange(server, "GET", "/" + "a" * 9000)
    yield from exchange(server, "GET", "/", "X: " + "x" * 17_000)
    yield from exchange(server, "GET", "/", host="elsewhere.example")
    yield from exchange(server, "BREW", "/")
    for _ in range(7):
        yield from post("/api/signin", wrong)
    yield from version(server)
    for target in ("/", "/signin", "/api/signin", "/authority.pem", "/.well-known/apple-app-site-association", "/%zz"):
        yield from exchange(server, "GET", target, plain=True)


def expecting(server: Server, content: bytes) -> Iterator[Exchange]:
    """Sends only the head, and then the content after the 100 response."""
    lines = (JSON, "Expect: 100-continue", f"Content-Length: {len(content)}")
    with server.connect() as wire:
        wire.send(request("/api/signin", *lines, method="POST"))
        yield Exchange("POST", "/api/signin", lines, wire.answer())
        wire.send(content)
        yield Exchange("POST", "/api/signin", lines, wire.answer())


def version(server: Server) -> Iterator[Exchange]:
    with server.connect() as wire:
        wire.send(b"GET / HTTP/3.0\r\nHost: " + NAME.encode() + b"\r\n\r\n")
        yield Exchange("GET", "/", (), wire.answer())


def all_exchanges(server: Server) -> list[Exchange]:
    return [*by_route(server), *by_status(server)]

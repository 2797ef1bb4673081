"""The work for one request is limited. The tests call every route with the largest content that it accepts.

They count bytes and system calls, because CPU time depends on the machine.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

import pytest

from attackers.faults import traced
from support.answers import Answer
from support.people import FORM, JSON, App
from support.server import Server

KIB, MIB = 1 << 10, 1 << 20
# The maximum size of a response to a request without content, unless the response is ready in advance.
MOST_BYTES = 96 * KIB
# The maximum number of response bytes for each request byte: &#34; in a form that shows its content again.
MOST_PER_BYTE = 6
READY = {"/check/codes", "/openapi.json", "/faults", "/faults.json"}
PAGES = ["/", "/signin", "/signup", "/update", "/account", "/account/delete", "/docs", "/check", "/check/codes"]
PAGES += ["/faults", "/faults.json", "/openapi.json", "/missing", "/.well-known/security.txt"]
LONG = [letter * (7 * KIB // len(letter)) for letter in ("a", "a%20", "%22", "a&", "q=%3C", "%F0%9F%A6%8A")]
SEARCHES = ["a", "e", *(word[: 7 * KIB] for word in LONG)]
# Content that is expensive to parse, to escape or to report, as a unit to repeat.
UNITS = [
    b"a",
    b"\x01",
    b'"',
    b"&",
    b"a&",
    b"%41",
    b"%22",
    b"[",
    b'["a",',
    b'{"a":',
    b'"a":1,',
    b"\xc3\xa9",
    b"file=%0D%0A",
]
LIMITS = {"/check": 512 * KIB, "/echo": MIB, "/anything": MIB}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("work"), "--faults", "--echo", "--max-buffered-per-client", "16777216")
    yield running
    running.stop()


@dataclass(frozen=True)
class Call:
    method: str
    target: str
    # The number of response bytes that the request asks for.
    asked: int = 0


def calls(server: Server) -> list[Call]:
    """Returns the calls in /openapi.json. Each number has its maximum, except waiting times and statuses."""
    with App(server) as app:
        document = json.loads(app.send("GET", "/openapi.json").content)
    found = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            numbers = {
                parameter["name"]: parameter["schema"].get("maximum", 1)
                for parameter in operation.get("parameters", [])
                if parameter["schema"]["type"] == "integer"
            } | {"seconds": 0, "status": 500}
            target = path.format_map(numbers)
            if path == "/drip":
                target += f"?bytes={numbers['bytes']}&seconds=0"
            found.append(Call(method.upper(), target, numbers.get("count", 0) if path.startswith("/bytes") else 0))
    return found


def check(call: Call, answer: Answer, sent: int) -> None:
    most = MOST_BYTES + MOST_PER_BYTE * sent + call.asked
    assert len(answer.content) <= most, f"{call}: {len(answer.content)} bytes in response to {sent}; at most {most}"


def test_no_route_returns_much_more_than_it_receives(server: Server) -> None:
    targets = [Call("GET", page) for page in PAGES]
    targets += [Call("GET", f"/check/codes?q={quote(word, safe='%&=')}") for word in SEARCHES]
    targets += [Call("GET", f"{path}?{query}") for path in ("/echo", "/anything", "/check") for query in LONG]
    targets += [call for call in calls(server) if call.method == "GET"]
    with App(server) as app:
        for call in targets:
            # These responses end without Date, or before their announced length.
            if call.target.startswith(("/drip", "/truncated")):
                continue
            answer = app.send(call.method, call.target, "Accept: text/html")
            if call.target not in READY:
                check(call, answer, len(call.target))


def test_no_content_costs_much_more_than_its_size(server: Server) -> None:
    targets = [call for call in calls(server) if call.method != "GET"]
    targets += [
        Call("POST", page) for page in ("/signup", "/signin", "/update", "/account/delete", "/signout", "/check")
    ]
    with App(server) as app:
        for call in targets:
            limit = LIMITS.get(call.target, 16 * KIB)
            for unit in UNITS:
                content = (unit * (limit // len(unit) + 1))[:limit]
                kind = JSON if "/api/" in call.target else FORM
                answer = app.send(call.method, call.target, kind, "Sec-Fetch-Site: same-origin", content=content)
                check(call, answer, len(content))


def test_random_bytes_are_drawn_in_large_pieces(server: Server) -> None:
    with App(server) as app, traced(server, "getrandom,read") as record:
        assert len(app.send("GET", "/bytes/1048576").content) == MIB
    draws = len(record.read_text(errors="replace").splitlines())
    assert draws < 10_000, f"{draws} system calls for 1 MiB"

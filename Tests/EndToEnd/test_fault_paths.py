"""The paths of `serve --faults` for client tests, such as /status/418, /drip and /redirect-to."""

import json
import re
import socket
import time
from typing import Any
from urllib.parse import quote

import pytest
import schemathesis

from support.answers import Answer
from support.faulty import FaultyServer
from support.fixtures import Start
from support.server import Server
from support.waiting import LIMIT
from support.wire import ADDRESS, NAME, request

WITHOUT_CONTENT = (204, 205, 304)
REDIRECTS = (301, 302, 303, 307, 308)
DESCRIBED = {
    *("/status/{status}", "/delay/{seconds}", "/redirect/{count}", "/redirect-to", "/bytes/{count}", "/drip"),
    *("/truncated", "/anything"),
}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def get(faulty: FaultyServer, target: str, *lines: str, method: str = "GET") -> Answer:
    with faulty.server.connect() as wire:
        return wire.ask(target, *lines, method=method)


@pytest.mark.parametrize("status", [200, 201, *WITHOUT_CONTENT, *REDIRECTS, 400, 401, 404, 418, 429, 500, 503, 599])
def test_the_status_is_the_requested_one(faulty: FaultyServer, status: int) -> None:
    for method in METHODS:
        answer = get(faulty, f"/status/{status}", method=method)
        assert answer.status == status
        assert (answer.content == b"") == (status in WITHOUT_CONTENT)
        assert answer.values("Location") == (["/anything"] if status in REDIRECTS else [])
        assert bool(answer.values("WWW-Authenticate")) == (status == 401)
        assert answer.field("Cache-Control") == "no-store"


def test_a_delayed_response_takes_its_time(faulty: FaultyServer) -> None:
    began = time.monotonic()
    assert get(faulty, "/delay/1").text == "This response took 1 s.\n"
    assert time.monotonic() - began >= 1
    assert get(faulty, "/delay/0").status == 200


@pytest.mark.parametrize("url", [f"https://{NAME}@example.com/"])
def test_a_redirect_to_another_host_is_refused(faulty: FaultyServer, url: str) -> None:
    answer = get(faulty, f"/redirect-to?url={quote(url, safe='')}")
    assert (answer.status, answer.values("Location")) == (400, [])


def records(server: Server, target: str) -> list[bytes]:
    """Returns the content of each TLS record of a response, until the server closes."""
    with (
        socket.create_connection((ADDRESS, server.port), LIMIT) as plain,
        server.context.wrap_socket(plain, server_hostname=NAME) as stream,
    ):
        stream.sendall(request(target))
        return list(iter(lambda: stream.recv(65536), b""))


def test_drops_come_one_at_a_time(faulty: FaultyServer) -> None:
    head, *drops = records(faulty.server, "/drip?bytes=5&seconds=1")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"\r\nContent-Length: 5\r\n" in head
    assert drops == [b"*"] * 5


def test_a_truncated_response_has_half_of_its_length(faulty: FaultyServer) -> None:
    head, _, content = b"".join(records(faulty.server, "/truncated")).partition(b"\r\n\r\n")
    assert b"\r\nContent-Length: 1000" in head
    assert len(content) == 500
    done = faulty.server.curl("/truncated")
    assert done.returncode == 18, done.stderr  # CURLE_PARTIAL_FILE


def test_anything_is_the_echo(faulty: FaultyServer) -> None:
    for method in METHODS:
        with faulty.server.connect() as wire:
            wire.send(request("/anything?a=b", "Content-Type: application/json", method=method, content=b"[1]"))
            found = json.loads(wire.answer(method).content)
        assert (found["method"], found["query"], found["json"]) == (method, [["a", "b"]], [1])


def paths_of(server: Server) -> dict[str, Any]:
    with server.connect() as wire:
        document = json.loads(wire.ask("/openapi.json").content)
    schemathesis.openapi.from_dict(document).validate()
    return document["paths"]


def test_the_document_describes_the_paths_only_while_they_exist(faulty: FaultyServer, start: Start) -> None:
    described, plain = paths_of(faulty.server), paths_of(start())
    assert set(described) - set(plain) == {*DESCRIBED, "/echo"}
    for path in DESCRIBED:
        (operation,) = (described[path].get(method) for method in ("get",))
        assert operation["summary"].endswith(".")
        names = {parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "path"}
        assert names == set(re.findall(r"\{(\w+)\}", path))
    identifiers = [
        operation["operationId"]
        for item in described.values()
        for operation in item.values()
        if "responses" in operation
    ]
    assert len(set(identifiers)) == len(identifiers)

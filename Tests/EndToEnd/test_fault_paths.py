"""The paths of `serve --faults` for client tests, such as /status/418, /drip and /redirect-to."""

import json
import re
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
import schemathesis

from support.answers import Answer
from support.faulty import FaultyServer
from support.server import Server
from support.wire import ADDRESS, LIMIT, NAME, request

Start = Callable[..., Server]
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


@pytest.mark.parametrize(
    ("target", "words"),
    [
        *((f"/status/{value}", "a status from 200 to 599") for value in ("199", "600", "101", "x", "2%3000", "-200")),
        *((f"/delay/{value}", "seconds from 0 to 30") for value in ("31", "-1", "1.5", "x")),
        *((f"/redirect/{value}", "a number from 1 to 20") for value in ("0", "21", "x")),
        *((f"/bytes/{value}", "a number from 0 to 1048576") for value in ("-1", "1048577", "x")),
        *(
            (f"/drip?{query}", "bytes from 1 to 1000 and seconds from 0 to 30")
            for query in ("bytes=0", "bytes=1001", "seconds=31", "seconds=-1", "bytes=x")
        ),
    ],
)
def test_a_value_out_of_range_is_refused(faulty: FaultyServer, target: str, words: str) -> None:
    answer = get(faulty, target)
    assert (answer.status, answer.text) == (400, f"The request needs {words}.\n")


@pytest.mark.parametrize("target", ["/status", "/status/", "/delay", "/redirect", "/bytes", "/status/200/more"])
def test_a_path_without_its_value_does_not_exist(faulty: FaultyServer, target: str) -> None:
    assert get(faulty, target).status == 404


def test_a_delay_comes_before_the_first_byte(faulty: FaultyServer) -> None:
    with faulty.server.connect() as wire:
        wire.send(request("/delay/1"))
        with pytest.raises(TimeoutError):
            wire.answer(limit=0.2)
        assert wire.answer().text == "This response took 1 s.\n"
    assert get(faulty, "/delay/0").status == 200


def test_redirects_lead_to_anything(faulty: FaultyServer) -> None:
    targets = ["/redirect/3"]
    while (answer := get(faulty, targets[-1])).status == 302:
        targets.append(answer.field("Location"))
    assert targets == ["/redirect/3", "/redirect/2", "/redirect/1", "/anything"]
    assert answer.status == 200
    assert get(faulty, "/redirect/20").field("Location") == "/redirect/19"


@pytest.mark.parametrize(
    "url",
    [
        *("/", "/anything?a=b", "/status/418"),
        f"https://{NAME}/path",
        f"http://{NAME}:8080/path",
        "https://LOCALHOST:8443/",
        f"https://expired.faults.{NAME}/",
    ],
)
def test_a_redirect_leads_to_this_server(faulty: FaultyServer, url: str) -> None:
    answer = get(faulty, f"/redirect-to?url={quote(url, safe='')}")
    assert (answer.status, answer.field("Location")) == (302, url)


@pytest.mark.parametrize(
    "url",
    [
        *("", "path", "//example.com/", "/\\example.com/", "\\\\example.com/"),
        *(
            "https://example.com/",
            "http://example.com/",
            "https:example.com",
            "ftp://localhost/",
            "javascript:alert(1)",
        ),
        f"https://{NAME}.example.com/",
        f"https://{NAME}@example.com/",
        f"https://{NAME}:1@example.com/",
        f"https://{NAME}\\@example.com/",
        f"https://{NAME}:8443x@example.com/",
        f"https://example.com/{NAME}",
        f"https://example.com#{NAME}",
        *("/a\r\nX-Test: 1", "/a b", "/ü"),
    ],
)
def test_a_redirect_to_another_host_is_refused(faulty: FaultyServer, url: str) -> None:
    answer = get(faulty, f"/redirect-to?url={quote(url, safe='')}")
    assert (answer.status, answer.values("Location")) == (400, [])


def test_a_redirect_without_a_target_is_refused(faulty: FaultyServer) -> None:
    assert get(faulty, "/redirect-to").status == 400


def test_random_bytes_have_the_requested_number(faulty: FaultyServer) -> None:
    for count in (0, 1, 1 << 20):
        answer = get(faulty, f"/bytes/{count}")
        assert (answer.status, answer.field("Content-Length")) == (200, str(count))
        assert len(answer.content) == count
        assert answer.field("Content-Type") == "application/octet-stream"
    assert get(faulty, "/bytes/32").content != get(faulty, "/bytes/32").content


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


@pytest.mark.parametrize(
    ("query", "count"), [("", 10), ("?seconds=0", 10), ("?bytes=1", 1), ("?bytes=1000&seconds=0", 1000)]
)
def test_the_number_of_drops_is_the_requested_one(faulty: FaultyServer, query: str, count: int) -> None:
    assert records(faulty.server, f"/drip{query}")[1:] == [b"*"] * count


def test_a_truncated_response_has_half_of_its_length(faulty: FaultyServer) -> None:
    head, _, content = b"".join(records(faulty.server, "/truncated")).partition(b"\r\n\r\n")
    assert b"\r\nContent-Length: 1000" in head
    assert len(content) == 500
    done = faulty.server.curl("/truncated")
    assert done.returncode == 18, done.stderr  # CURLE_PARTIAL_FILE


@pytest.mark.parametrize("target", ["/drip?seconds=0", "/truncated"])
def test_a_response_to_head_has_no_content(faulty: FaultyServer, target: str) -> None:
    with (
        socket.create_connection((ADDRESS, faulty.server.port), LIMIT) as plain,
        faulty.server.context.wrap_socket(plain, server_hostname=NAME) as stream,
    ):
        stream.sendall(request(target, method="HEAD"))
        received = b"".join(iter(lambda: stream.recv(65536), b""))
    assert received.endswith(b"\r\n\r\n")


def test_the_document_has_the_limits_of_the_values(faulty: FaultyServer) -> None:
    described = paths_of(faulty.server)
    for path, name, least in (
        ("/status/{status}", "status", 200),
        ("/redirect/{count}", "count", 1),
        ("/drip", "bytes", 1),
    ):
        (found,) = (one for one in described[path]["get"]["parameters"] if one["name"] == name)
        assert found["schema"]["minimum"] == least, path


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


def test_the_echo_is_described_only_while_it_exists(start: Start) -> None:
    assert "/echo" in paths_of(start("--echo"))
    assert "/anything" not in paths_of(start("--echo"))


def test_the_paths_do_not_exist_on_a_broken_host(faulty: FaultyServer) -> None:
    assert faulty.fetch("unsigned", "/status/200").status == 404

"""The log on standard error: one line for each answer, whatever the client sends."""

import json
import re
from collections.abc import Callable

import pytest

from support.server import Server
from support.wire import NAME, request

AGENTS = [
    ("AASA-Bot/1.0.0", "AASA-Bot"),
    ("swcd (unknown version) CFNetwork/1410.0.3 Darwin/22.6.0", "swcd"),
    ("DemoApp/1 CFNetwork/1494.0.7 Darwin/23.4.0", "CFNetwork"),
]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

Start = Callable[..., Server]


def logged(server: Server, mark: str) -> str:
    return server.err.wait_for(lambda line: mark in line)


@pytest.mark.parametrize(("agent", "name"), AGENTS, ids=[name for _, name in AGENTS])
def test_a_line_tells_who_asked_for_what_and_got_what(server: Server, agent: str, name: str) -> None:
    target = f"/digits.txt?{name}"
    with server.connect() as wire:
        answer = wire.ask(target, f"User-Agent: {agent}")
        line = logged(server, f"?{name}")
    assert TIME.search(line)
    for part in ("127.0.0.1", NAME, "GET", "/digits.txt", "200", str(len(answer.content)), "TLSv1.3", name):
        assert part in line, f"{part!r} is missing in: {line}"


def test_control_bytes_never_make_a_second_line(server: Server) -> None:
    before = len(server.err.lines)
    with server.connect() as wire:
        wire.ask("/a%0d%0aforged%1b31m", "User-Agent: caf\xe9 \x85 \x9b31m \u00a0 end")
        logged(server, "/a%0d%0aforged")
    with server.connect() as wire:
        wire.send(b"GET /\x1b[31mforged HTTP/1.1\r\n\r\n")
        assert [answer.status for answer in wire.answers()] == [400]
    with server.connect() as wire:
        wire.send(request("/after-all-that", "User-Agent: \xff\xfe"))
        wire.answer()
        logged(server, "/after-all-that")
    for line in server.err.lines[before:]:
        assert not line.startswith("forged")
        assert line.replace("\t", "").isprintable(), repr(line)


def test_a_refused_request_is_logged(server: Server) -> None:
    before = len(server.err.lines)
    with server.connect() as wire:
        wire.send(b"GET / HTTP/1.1\r\n\r\n")
        assert [answer.status for answer in wire.answers()] == [400]
    assert "400" in server.err.wait_for(lambda line: "400" in line, since=before)


def test_secrets_in_a_query_or_a_field_are_not_logged(server: Server) -> None:
    with server.connect() as wire:
        wire.ask("/digits.txt", "Authorization: Bearer hidden-1", "Cookie: session=hidden-2")
        wire.ask("/digits.txt?second")
        logged(server, "?second")
    assert "hidden" not in server.err.text


def test_every_line_is_json_when_asked_for(start: Start) -> None:
    server = start("--log-format", "json")
    with server.connect() as wire:
        answer = wire.ask("/digits.txt?\"quoted'", 'User-Agent: a "quoted" \\ agent \xe9')
        assert answer.status in (200, 400)
    with server.connect() as wire:
        wire.ask("/digits.txt?mark", "User-Agent: AASA-Bot/1.0.0")
        logged(server, "?mark")
    server.stop()
    entries = [json.loads(line) for line in server.err.lines]
    assert entries
    found = [entry for entry in entries if any("?mark" in str(value) for value in entry.values())]
    assert len(found) == 1
    values = [str(value) for value in found[0].values()]
    for part in ("127.0.0.1", NAME, "GET", "200", "100", "TLSv1.3"):
        assert any(part == value or value.startswith(f"{part}:") for value in values), (part, values)
    assert any("AASA-Bot" in value for value in values)

"""A viewer of the inspector: its pages, its exports and its event stream."""

import json
import re
import socket
from dataclasses import dataclass
from html.parser import HTMLParser
from types import TracebackType
from typing import Any, Self

from support.answers import Answer
from support.server import Server
from support.waiting import LIMIT
from support.wire import ADDRESS, Wire, request

PATH = "/.well-known/apple-app-site-association"
# The elements of each table row.
ELEMENTS = {"tr", "th", "td", "a", "code", "small", "strong"}


def ask(server: Server, target: str, *field_lines: str, host: str | None = None) -> Answer:
    """Requests a path of the admin listener."""
    with Wire(server.admin_port) as wire:
        wire.send(request(target, *field_lines, host=host or server.admin_address))
        return wire.answer()


def entries(server: Server, query: str = "") -> list[dict[str, Any]]:
    """Returns the entries as JSON, the oldest first."""
    answer = ask(server, f"/entries.json{query}")
    assert answer.status == 200
    assert answer.field("Cache-Control") == "no-store"
    return json.loads(answer.content)["entries"]


def last(server: Server) -> dict[str, Any]:
    return entries(server)[-1]


def archive(server: Server, query: str = "") -> dict[str, Any]:
    """Returns the HTTP archive after checking its structure."""
    answer = ask(server, f"/entries.har{query}")
    assert answer.status == 200
    har = json.loads(answer.content)
    check_archive(har)
    return har


class Markup(HTMLParser):
    """The elements, the row texts, and the scripts of a page or a part of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: set[str] = set()
        self.rows: list[list[str]] = []
        self.links: list[str] = []
        self.scripts = 0
        self.values: dict[str, str] = {}
        self.words: dict[str, str] = {}
        self._id = ""
        self._is_cell = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = {name: value or "" for name, value in attrs}
        # The header of each page has this icon.
        if fields.get("src") != "/favicon.svg":
            self.elements.add(tag)
        assert not any(name.startswith("on") for name in fields), attrs
        self._id = fields.get("id", "")
        self.scripts += tag == "script"
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td") and self.rows:
            self.rows[-1].append("")
            self._is_cell = True
        elif tag == "a":
            self.links.append(fields["href"])
        elif tag == "input":
            self.values[fields["name"]] = fields.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        self._id = ""
        self._is_cell = self._is_cell and tag not in ("th", "td")

    def handle_data(self, data: str) -> None:
        if self._id:
            self.words[self._id] = data
        if self._is_cell:
            self.rows[-1][-1] += data


def rows(server: Server, query: str = "") -> list[list[str]]:
    """Returns the cells of the table, the newest row first and without the header."""
    return Markup(ask(server, f"/{query}").text).rows[1:]


@dataclass(frozen=True)
class Event:
    id: str
    data: str

    @property
    def cells(self) -> list[str]:
        return Markup(self.data).rows[0]


class EventStream:
    """A viewer that parses server-sent events as WHATWG HTML §9.2.6 describes. A limit restarts with each event."""

    def __init__(self, server: Server, *field_lines: str, query: str = "", host: str | None = None) -> None:
        self.last_id = ""
        self._received = b""
        self._socket = socket.create_connection((ADDRESS, server.admin_port), timeout=LIMIT)
        self._socket.sendall(request(f"/events{query}", *field_lines, host=host or server.admin_address))
        head = self._until(b"\r\n\r\n", LIMIT)
        assert head.startswith(b"HTTP/1.1 200 "), head
        assert b"\r\nContent-Type: text/event-stream" in head

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def next(self, limit: float = LIMIT) -> Event:
        """Returns the next event. Ignores comments."""
        while True:
            data: list[str] = []
            for line in re.split("\r\n|\r|\n", self._until(b"\n\n", limit).decode()):
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                assert name in ("", "id", "data"), f"an unexpected line in the event stream: {line!r}"
                if name == "id":
                    self.last_id = value
                elif name == "data":
                    data.append(value)
            if data:
                return Event(self.last_id, "\n".join(data))

    def wait_for(self, word: str) -> list[Event]:
        """Returns all events up to the first event that contains this text."""
        events: list[Event] = []
        while not events or word not in events[-1].data:
            events.append(self.next())
        return events

    def _until(self, end: bytes, limit: float) -> bytes:
        self._socket.settimeout(limit)
        while end not in self._received:
            more = self._socket.recv(64 << 10)
            assert more, f"the stream ended after: {self._received!r}"
            self._received += more
        part, _, self._received = self._received.partition(end)
        return part


# The required members and their types (HAR 1.2). An array lists the structure of its elements.
PAIRS = [{"name": str, "value": str}]
MESSAGE = {"httpVersion": str, "cookies": PAIRS, "headers": PAIRS, "headersSize": int, "bodySize": int}
ENTRY = {
    "startedDateTime": str,
    "time": int,
    "request": {**MESSAGE, "method": str, "url": str, "queryString": PAIRS},
    "response": {
        **MESSAGE,
        "status": int,
        "statusText": str,
        "content": {"size": int, "mimeType": str},
        "redirectURL": str,
    },
    "cache": {},
    "timings": {"send": int, "wait": int, "receive": int},
}
ARCHIVE = {"log": {"version": str, "creator": {"name": str, "version": str}, "entries": [ENTRY]}}
OPTIONAL = {"comment", "serverIPAddress", "connection", "pageref", "browser", "pages", "postData"}
START = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def check_archive(har: Any) -> None:
    """Asserts that an archive has the structure of HAR 1.2."""
    _check(har, ARCHIVE, "archive")
    assert har["log"]["version"] == "1.2"
    for entry in har["log"]["entries"]:
        assert START.fullmatch(entry["startedDateTime"])
        timings = [value for value in entry["timings"].values() if value != -1]
        assert entry["time"] == sum(timings), "time is not the sum of the timings"
        assert all(value >= 0 for value in timings)


def _check(value: Any, structure: Any, name: str) -> None:
    if isinstance(structure, dict):
        assert isinstance(value, dict), name
        assert structure.keys() <= value.keys(), f"{name} lacks {structure.keys() - value.keys()}"
        unknown = {key for key in value.keys() - structure.keys() - OPTIONAL if not key.startswith("_")}
        assert not unknown, f"{name} has unknown members: {unknown}"
        for key, part in structure.items():
            _check(value[key], part, f"{name}.{key}")
    elif isinstance(structure, list):
        assert isinstance(value, list), name
        for number, element in enumerate(value):
            _check(element, structure[0], f"{name}[{number}]")
    else:
        assert type(value) is structure, f"{name} is {value!r}"

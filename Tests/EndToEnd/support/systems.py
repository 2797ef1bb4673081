"""The simulated device's systems, and their requests in a site's access log (docs/shared-credentials.md)."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.authorities import SITE, Holder
from support.checking import association, steered
from support.device import APP, Device
from support.keys import association as plain
from support.server import Server, run
from support.sites import Site, Stream, over_tls, response, tls_context

WELL_KNOWN = "/.well-known/apple-app-site-association"
ROOT = "/apple-app-site-association"
# The user agent of a device's daemon. The documentation states the version on a current device.
DAEMON = r"swcd \(unknown version\) CFNetwork/[0-9.]+ Darwin/[0-9.]+"
CURRENT_DAEMON = re.escape("swcd (unknown version) CFNetwork/1494.0.7 Darwin/23.4.0")
CDN = re.escape("AASA-Bot/1.0.0")
DEVELOPER = f"{SITE}?mode=developer"
NOT_APPROVED = "-25293"
THREE_HOURS, FIVE_DAYS = timedelta(hours=3), timedelta(days=5)


class System(NamedTuple):
    """A value of `--system`, and the User-Agent of requests for an entry without a mode."""

    name: str
    agent: str

    def wait(self, approval: str) -> timedelta | None:
        """The time from the first check with this result to the next check, or None if no check is scheduled."""
        if self is CURRENT:
            return FIVE_DAYS if approval == "approved" else THREE_HOURS
        return THREE_HOURS if approval == "unspecified" else None


IOS8, IOS9, CURRENT = System("ios8", DAEMON), System("ios9", DAEMON), System("current", CDN)
SYSTEMS = pytest.mark.parametrize("system", [IOS8, IOS9, CURRENT], ids=["ios8", "ios9", "current"])


class State(NamedTuple):
    """The result of a check in an association record."""

    approval: str
    # From the last check to the next one.
    wait: timedelta | None
    error: str | None


class Request(NamedTuple):
    """A line in an access log."""

    method: str
    host: str
    target: str
    agent: str


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def state(device: Device) -> State:
    record = device.record()
    following = record["next_check"]
    return State(
        record["site_approval"],
        moment(following) - moment(record["last_checked"]) if following else None,
        record["error"] and record["error"]["code"],
    )


def call(device: Device, code: int = 1) -> str:
    """Calls the function that requests a password. By default, it fails because the site has not approved the app."""
    text = device("request", "--app", APP, "--yes", code=code)
    assert (NOT_APPROVED in text) == (code == 1), text
    return text


def assert_requests(log: Iterable[Request], agent: str, *targets: str) -> None:
    """Asserts that the log contains exactly these requests in this order, each with the User-Agent."""
    entries = list(log)
    assert [entry.target for entry in entries] == list(targets), entries
    for entry in entries:
        assert (entry.method, entry.host) == ("GET", SITE), entry
        assert re.fullmatch(agent, entry.agent), entry


@dataclass(frozen=True)
class Authority:
    """The development CA of a folder, and the site's certificate from `motivator certificate issue`."""

    certificates: Path

    @classmethod
    def new(cls, home: Path) -> "Authority":
        done = run(home, "certificate", "issue", SITE)
        assert done.code == 0, done.err
        return cls(home / "certs")

    @property
    def certificate(self) -> Path:
        return self.certificates / f"{SITE}.pem"

    @property
    def key(self) -> Path:
        return self.certificates / f"{SITE}.key"

    def signed(self, content: bytes | None = None) -> bytes:
        """Returns the association file with the signature of `motivator association sign` for the site."""
        done = association(
            *(self.certificates, "sign", "-", "--certificate", self.certificate, "--key", self.key),
            given=content or plain(),
        )
        assert done.code == 0, done.err
        return done.out

    def device(self, home: Path, port: int, system: System) -> Device:
        """Returns a new device with the system. Its connections to the site's port 443 go to this port."""
        device = Device(home, ("--trust", str(self.certificates / "authority.pem"), *steered(port, SITE)))
        device("reset", "--system", system.name)
        return device


class LoggedSite:
    """A TLS server that logs its requests. A test can change the responses between two commands."""

    def __init__(self, responses: dict[str, bytes]) -> None:
        self.responses = responses
        self.port = 0
        self._heads: list[str] = []

    @contextmanager
    def listening(self, authority: Authority) -> Iterator["LoggedSite"]:
        context = tls_context(Holder(authority.certificate, authority.key))
        with Site(over_tls(context, self._respond, self._heads)) as site:
            self.port = site.port
            yield self
            assert site.connections == len(self._heads), "a connection without a request"

    def _respond(self, stream: Stream, path: str) -> None:
        stream.sendall(self.responses.get(path, response(b"not found", 404, "text/plain")))

    @property
    def log(self) -> list[Request]:
        return [self._request(head) for head in self._heads]

    @staticmethod
    def _request(head: str) -> Request:
        line, *rest = head.split("\r\n")
        method, target, _ = line.split(" ")
        fields = dict(field.split(": ", 1) for field in rest if field)
        return Request(method, fields["Host"], target, fields["User-Agent"])


def access_log(server: Server) -> list[Request]:
    """Stops a server with `--log-format json` to complete its access log, and parses the log."""
    server.stop()
    entries: list[dict[str, Any]] = [json.loads(line) for line in server.err.lines]
    return [
        Request(entry["method"], entry["host"], entry["target"], entry["agent"])
        for entry in entries
        if "target" in entry
    ]

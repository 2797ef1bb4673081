"""Runs `motivator device` as a command, and provides scripted sites for the device."""

import json
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.authorities import SERVERS, SITE, Holder, Maker, named
from support.checking import Done, command, steered
from support.keys import APPS
from support.keys import association as plain
from support.server import BINARY, Server
from support.sites import SIGNED, Answering, Site, Stream, over_tls, response, tls_context
from support.waiting import LIMIT
from support.wire import NAME

APP = APPS[0]
OTHER_SITE = "other.example.test"
CDN = "app-site-association.cdn-apple.com"


@dataclass(frozen=True)
class Device:
    """A device with its state in `home`. `sites` are the options for requests to sites.

    By default, the test hosts count as public.
    """

    home: Path
    sites: tuple[str, ...] = ()
    name: str = "device.json"
    assumes_public: bool = True

    @property
    def file(self) -> Path:
        return self.home / self.name

    @property
    def state(self) -> dict[str, Any]:
        return json.loads(self.file.read_text())

    def words(self, *arguments: str) -> list[str]:
        public = ["--assume-public"] if self.assumes_public else []
        return ["device", *arguments, "--state", self.name, *public, *self.sites]

    def command(self, *arguments: str) -> list[str]:
        """Returns the command line, for a test that starts the process itself."""
        return [str(BINARY), *self.words(*arguments)]

    def run(self, *arguments: str, given: str = "") -> Done:
        return command(self.home, *self.words(*arguments), given=given.encode())

    def __call__(self, *arguments: str, given: str = "", code: int = 0) -> str:
        """Runs a command that must exit with `code`, and returns its output."""
        done = self.run(*arguments, given=given)
        assert done.code == code, done
        return done.text

    def json(self, *arguments: str, given: str = "", code: int = 0) -> Any:
        return json.loads(self(*arguments, "--json", given=given, code=code))

    def install(self, *hosts: str, app: str = APP, options: Iterable[str] = (), code: int = 0) -> str:
        entries = [word for host in hosts for word in ("--entitlement", f"webcredentials:{host}")]
        return self("install", "--app", app, *entries, *options, code=code)

    def record(self) -> dict[str, Any]:
        """The only association record."""
        (record,) = self.json("associations")["associations"]
        return record

    def save(self, host: str, account: str, password: str, *options: str, code: int = 0) -> str:
        words = ("save", "--domain", host, "--account", account, "--password-stdin", *options)
        return self(*words, given=password, code=code)

    def passwords(self) -> dict[str, str]:
        """Returns the saved passwords by account."""
        return {one["acct"]: one["spwd"] for one in self.json("passwords")["credentials"]}

    def now(self) -> str:
        return self.json("advance", "0s")["now"]


def device_of(server: Server, home: Path) -> Device:
    """Returns a new device that connects to the server and trusts its CA."""
    return Device(home, ("--trust", str(server.authority), *steered(server.port, NAME, server.port)))


@dataclass(frozen=True)
class Issuer:
    """A CA with a certificate for both sites and for Apple's CDN."""

    root: Path
    leaf: Holder

    @classmethod
    def new(cls, folder: Path) -> "Issuer":
        maker = Maker(folder)
        root = maker.authority("Test Root")
        return cls(root.certificate, maker.make(SITE, root, named(SITE, OTHER_SITE, CDN), SERVERS))

    @contextmanager
    def site(self, answering: Answering) -> Iterator[Site]:
        with Site(over_tls(tls_context(self.leaf), answering)) as site:
            yield site

    def options(self, port: int) -> tuple[str, ...]:
        """Returns the options for requests that reach all sites at this port, with a patient time limit."""
        ways = (*steered(port, SITE), *steered(port, OTHER_SITE), *steered(port, CDN))
        return ("--trust", str(self.root), *ways, "--timeout", "60")

    def device(self, home: Path, site: Site) -> Device:
        return Device(home, self.options(site.port))


class Play:
    """A site with a sequence of responses for each path. It repeats the last response."""

    def __init__(self, *messages: bytes) -> None:
        self.messages = messages
        self.asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, stream: Stream, path: str) -> None:
        with self._lock:
            turn = self.asked[path]
            self.asked[path] += 1
        stream.sendall(self.messages[min(turn, len(self.messages) - 1)])


def file(content: bytes | None = None) -> bytes:
    return response(content or plain())


def signed_file(content: bytes) -> bytes:
    return response(content, kind=SIGNED)


def failing(status: int) -> bytes:
    return response(b"no", status, "text/plain")


def stalling(reached: threading.Event, released: threading.Event) -> Answering:
    """Returns a site that sets `reached` when a request arrives, and does not respond until `released` is set."""

    def answer(_: Stream, path: str) -> None:
        reached.set()
        released.wait(LIMIT)

    return answer


def host(server: Server) -> str:
    return f"{NAME}:{server.port}"

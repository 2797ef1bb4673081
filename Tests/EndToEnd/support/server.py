"""Runs the built server as a process: waits for its ready line, reads its output, and stops it with SIGTERM."""

import contextlib
import json
import os
import random
import re
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from support.waiting import LIMIT, Patience
from support.wire import ADDRESS, NAME, Wire

# Very cheap password hashes. Tests that measure hashing pass their own parameters.
CHEAP = ("--scrypt", "4,8,1")
# Limits that no test reaches.
UNLIMITED = ("--failures-per-address", "1000000", "--sign-ups-per-address", "1000000")
ROOT = Path(__file__).resolve().parents[3]
BINARY = Path(os.environ.get("MOTIVATOR", ROOT / ".build/release/motivator")).absolute()
TRACE = re.compile(r"Fatal error|Stack dump|Backtrace|Thread \d+ crashed|Sanitizer|at /.*\.swift:\d+")


@dataclass(frozen=True)
class Outcome:
    """The result of a finished command."""

    code: int
    out: str
    err: str


def environment(home: Path) -> dict[str, str]:
    """Returns a minimal environment, so that the caller's configuration does not affect the server."""
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "LANG": "C.UTF-8"}


def located(*arguments: str) -> list[str]:
    """Returns the arguments of a command. By default, the CA and the database are in the working folder."""
    options = {"serve": (("--certificates", "certs"), ("--database", "data/motivator.sqlite"))}
    options["certificate"] = (("--certificates", "certs"),)
    words = list(arguments)
    for name, value in options.get(words[0], ()) if words and "--help" not in words else ():
        if not any(word == name or word.startswith(f"{name}=") for word in words):
            words += [name, value]
    return words


def run(home: Path, *arguments: str) -> Outcome:
    """Runs `motivator` in `home` until it exits."""
    done = subprocess.run(
        [BINARY, *located(*arguments)],
        cwd=home,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def free_port() -> int:
    """Returns an unused port below the ephemeral ports, so that no outgoing connection takes it before the server."""
    while True:
        port = random.randrange(16_384, 32_768)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((ADDRESS, port))
            return port


@dataclass
class Lines:
    """The lines of a stream. A separate thread reads them, so that the server never waits for the test."""

    lines: list[str] = field(default_factory=list)
    ended: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def take(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                with self.changed:
                    self.lines.append(line.rstrip("\n"))
                    self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait_for(self, wanted: Callable[[str], bool], since: int = 0, limit: float = LIMIT) -> str:
        """Waits for the first matching line, starting at number `since`. The limit restarts with each line."""
        patience = Patience(limit)
        at = since
        with self.changed:
            while True:
                while at < len(self.lines):
                    if wanted(self.lines[at]):
                        return self.lines[at]
                    at += 1
                    patience.restart()
                if self.ended or not patience.left:
                    raise AssertionError("no matching line; received:\n" + "\n".join(self.lines[-40:]))
                self.changed.wait(patience.left)

    @property
    def text(self) -> str:
        with self.changed:
            return "\n".join(self.lines)


class Server:
    """A running `motivator serve`. Its home folder contains its accounts at the default path.

    Its admin listener has a separate port. A server that starts in the same home folder has the same accounts and CA. A
    `wrapper` is a command that runs the server in its own process, such as a shell that redirects output and calls
    exec.
    """

    def __init__(
        self,
        home: Path,
        *options: str,
        plain: bool = False,
        port: int = 0,
        public: Path | None = None,
        certificates: Path | None = None,
        wrapper: tuple[str, ...] = (),
        variables: dict[str, str] | None = None,
        binary: Path = BINARY,
        descriptors: tuple[int, ...] = (),
    ) -> None:
        self.home = home
        self.certificates = certificates or home / "certs"
        self.plain_port = free_port() if plain else 0
        arguments = [str(binary), "serve", "--json", "--host", ADDRESS, "--port", str(port)]
        arguments += ["--plain-port", str(self.plain_port), "--certificates", str(self.certificates)]
        arguments += ["--public", str(public or make_public(home)), *options]
        if "--database" not in options and "MOTIVATOR_DATABASE" not in (variables or {}):
            arguments += ["--database", str(self.database)]
        if "--admin" not in options:
            arguments += ["--admin", f"{ADDRESS}:0"]
        if "--scrypt" not in options:
            arguments += CHEAP
        self.process = subprocess.Popen(
            [*wrapper, *arguments],
            pass_fds=descriptors,
            cwd=home,
            env={**environment(home), **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="backslashreplace",
        )
        # The exit codes that `stop` accepts as a clean exit.
        self.codes = {0}
        self.out, self.err = Lines(), Lines()
        self._threads = [
            threading.Thread(target=lines.take, args=(stream,), daemon=True)
            for lines, stream in ((self.out, self.process.stdout), (self.err, self.process.stderr))
        ]
        for thread in self._threads:
            thread.start()
        try:
            self.ready = json.loads(self.out.wait_for(lambda line: True))
            assert self.ready["event"] == "ready", self.ready
        except (AssertionError, ValueError) as error:
            self.kill()
            raise AssertionError(f"the server did not become ready: {error}\n{self.err.text}") from error
        self.port: int = urlsplit(self.ready["https"][0]).port or 443
        self.authority = home / (self.ready.get("authority") or "certs/authority.pem")

    @property
    def database(self) -> Path:
        return self.home / "data/motivator.sqlite"

    @property
    def admin_address(self) -> str:
        """The admin listener as ADDRESS:PORT, from the ready line."""
        return str(self.ready["admin"]).removeprefix("http://").rstrip("/")

    @property
    def admin_port(self) -> int:
        return int(self.admin_address.rpartition(":")[2])

    @property
    def origin(self) -> str:
        """The site's origin, as in the address bar of a browser."""
        return f"https://{NAME}:{self.port}"

    @property
    def context(self) -> ssl.SSLContext:
        """Returns the TLS context of a client that trusts only this server's CA."""
        return ssl.create_default_context(cafile=str(self.authority))

    def connect(
        self, name: str | None = NAME, context: ssl.SSLContext | None = None, source: str | None = None
    ) -> Wire:
        return Wire(self.port, context or self.context, name, source)

    def connect_plain(self) -> Wire:
        """Opens a connection without TLS to the plain port."""
        return Wire(self.plain_port)

    def curl(
        self, url: str, *options: str, name: str = NAME, limit: float = LIMIT, given: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs the system's curl with the server's address and CA. `url` begins after the port."""
        return subprocess.run(
            ["curl", "--silent", "--show-error", "--noproxy", "*", "--max-time", str(limit)]
            + ["--cacert", str(self.authority), "--resolve", f"{name}:{self.port}:{ADDRESS}", *options]
            + [f"https://{name}:{self.port}{url}"],
            env=environment(self.home),
            input=given,
            capture_output=True,
            timeout=limit + 5,
        )

    @property
    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def resident(self) -> int:
        """The resident memory in KiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
        assert found
        return int(found[1])

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self, limit: float = LIMIT) -> int:
        """Waits until the process exits and its output ends."""
        code = self.process.wait(limit)
        for thread in self._threads:
            thread.join(limit)
        return code

    def stop(self) -> None:
        """Stops the server as a supervisor does, and asserts a clean exit."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        try:
            code = self.wait()
        finally:
            self.kill()
        assert code in self.codes, f"exit code {code}\n{self.err.text}"
        assert not TRACE.search(self.err.text), self.err.text
        assert len(self.out.lines) == 1, f"more than the ready line on standard output: {self.out.lines[1:]}"

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(LIMIT)
        for thread in self._threads:
            thread.join(LIMIT)


def make_public(home: Path) -> Path:
    """Creates a small site: a page, a text that is long enough to be compressed, and incompressible bytes."""
    public = home / "public"
    if not public.exists():
        public.mkdir()
        (public / "index.html").write_text(
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Test</title>\n<p>Keep going.\n</html>\n'
        )
        (public / "long.txt").write_text("".join(f"Line {number}: small steps count.\n" for number in range(2000)))
        (public / "digits.txt").write_text("0123456789" * 10)
    return public

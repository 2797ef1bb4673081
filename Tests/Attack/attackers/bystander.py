"""A well-behaved client in a separate process, to protect its latency measurements from an attacker's load."""

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from support.answers import FramingFault
from support.server import Lines, Server
from support.wire import NAME, Ending, Wire

# An address that no attacker uses.
SOURCE = "127.0.0.99"
TARGETS = ("/digits.txt", "/signin")
# The timeout for a request, in seconds.
PATIENCE = 20.0


@dataclass(frozen=True)
class Service:
    """The result of one request."""

    kind: str
    target: str
    succeeded: bool
    milliseconds: float
    reason: str = ""


@dataclass
class Report:
    services: list[Service] = field(default_factory=list)

    @property
    def failures(self) -> list[Service]:
        return [service for service in self.services if not service.succeeded]

    def of(self, kind: str) -> list[Service]:
        return [service for service in self.services if service.kind == kind]

    @property
    def worst(self) -> float:
        """The worst latency in milliseconds."""
        return max(service.milliseconds for service in self.services)

    def __str__(self) -> str:
        slowest = {kind: max((one.milliseconds for one in self.of(kind)), default=0) for kind in ("fresh", "kept")}
        return (
            f"{len(self.services)} requests, {len(self.failures)} failed, "
            f"worst latency {slowest['fresh']:.0f} ms on new and {slowest['kept']:.0f} ms on persistent connections"
        )


class Bystander:
    """Sends a request on a new and on a persistent connection every `interval` seconds until it is stopped."""

    def __init__(
        self, server: Server, interval: float = 0.05, source: str = SOURCE, targets: tuple[str, ...] = TARGETS
    ) -> None:
        settings = {
            "port": server.port,
            "authority": str(server.authority),
            "interval": interval,
            "source": source,
            "targets": targets,
        }
        folders = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "EndToEnd")]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "attackers.bystander", json.dumps(settings)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._lines = Lines()
        self._thread = threading.Thread(target=self._lines.take, args=(self._process.stdout,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._thread.join()
        assert self._process.stdin
        self._process.stdin.close()

    def wait_for_requests(self, count: int, limit: float = 60.0) -> None:
        """Waits until `count` more requests have ended, including failures."""
        since = len(self._lines.lines)
        self._lines.wait_for(lambda _: len(self._lines.lines) >= since + count, since=since, limit=limit)

    def so_far(self) -> Report:
        return Report([Service(**json.loads(line)) for line in list(self._lines.lines)])

    def stop(self) -> Report:
        """Stops the client after its current request."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(2 * PATIENCE + 10)
        self._thread.join()
        assert self._process.returncode == 0, "the well-behaved client failed; see standard error"
        return self.so_far()


class _Client:
    """The client program. It sends requests in sequence, and reports each on one line."""

    def __init__(self, settings: dict[str, Any]) -> None:
        import ssl

        self.port: int = settings["port"]
        self.interval: float = settings["interval"]
        self.source: str = settings["source"]
        self.targets: list[str] = settings["targets"]
        self.context = ssl.create_default_context(cafile=settings["authority"])
        self.kept: Wire | None = None
        self.number = 0

    def run(self, stopped: threading.Event) -> None:
        due = time.monotonic()
        while not stopped.is_set():
            target = self.targets[self.number % len(self.targets)]
            self.number += 1
            for kind, send in (("fresh", self._fresh), ("kept", self._kept)):
                if stopped.is_set():
                    break
                print(json.dumps(vars(self._timed(kind, target, send))), flush=True)
            due = max(due + self.interval, time.monotonic())
            stopped.wait(due - time.monotonic())

    def _timed(self, kind: str, target: str, send: Any) -> Service:
        began = time.monotonic()
        reason = ""
        try:
            status = send(target)
            if status != 200:
                reason = f"status {status}"
        except (OSError, AssertionError, FramingFault) as error:
            reason = f"{type(error).__name__}: {error}"
        return Service(kind, target, not reason, (time.monotonic() - began) * 1000, reason)

    def _connect(self) -> Wire:
        return Wire(self.port, self.context, NAME, self.source)

    def _fresh(self, target: str) -> int:
        with self._connect() as wire:
            status = self._request(wire, target, "Connection: close")
            wire.wait_for_end(PATIENCE)
            return status

    def _kept(self, target: str) -> int:
        reopened = self.kept is None
        try:
            self.kept = self.kept or self._connect()
            return self._request(self.kept, target)
        except BaseException:
            # A server may close an idle connection at any time. The client then repeats the request once (9112 9.3.1).
            is_unused = self.kept is not None and self.kept.ending is not Ending.OPEN and self.kept.reader.empty
            self._drop()
            if reopened or not is_unused:
                raise
        return self._kept(target)

    def _request(self, wire: Wire, target: str, *field_lines: str) -> int:
        answer = wire.ask(target, *field_lines, host=f"{NAME}:{self.port}")
        if answer.closes:
            self._drop_if(wire)
        return answer.status

    def _drop_if(self, wire: Wire) -> None:
        if wire is self.kept:
            self._drop()

    def _drop(self) -> None:
        if self.kept:
            self.kept.close()
        self.kept = None


def main() -> None:
    stopped = threading.Event()

    def wait_for_parent() -> None:
        sys.stdin.read()
        stopped.set()

    threading.Thread(target=wait_for_parent, daemon=True).start()
    _Client(json.loads(sys.argv[1])).run(stopped)


if __name__ == "__main__":
    main()

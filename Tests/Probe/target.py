"""The server that a run probes, and the well-behaved client that monitors it."""

import http.client
import os
import resource
import ssl
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from support.server import ROOT, Server
from support.wire import ADDRESS, NAME

DESCRIPTORS = 8192
# The watcher has a separate address, because limits apply per address.
WATCHER = "127.0.0.2"
WATCH_LIMIT = 60.0
WATCH_INTERVAL = 0.1
HSTS = "31536000"
# The environment of the tools. From the caller's environment, it takes only the path.
CLEAN = {"PATH": f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin", "LANG": "C.UTF-8", "NO_PROXY": "*"}


def start(home: Path, *options: str) -> Server:
    """Starts the server with the options for a real domain: HSTS, `/echo` and a plain port."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, DESCRIPTORS), most))
    home.mkdir()
    return Server(home, "--echo", "--hsts", HSTS, *options, plain=True, public=ROOT / "Public")


def run(
    command: list[str | Path], folder: Path, log: str, limit: float, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a tool in the report's folder, saves its output, and stops it after `limit` seconds."""
    environment = {**CLEAN, "HOME": str(folder), "TMPDIR": str(folder), **variables}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=limit,
        )
    except subprocess.TimeoutExpired as expired:
        output = expired.output.decode(errors="replace") if isinstance(expired.output, bytes) else expired.output or ""
        done = subprocess.CompletedProcess(command, 124, output + f"\nended after {limit:.0f} s\n")
    (folder / log).write_text(done.stdout)
    return done


@dataclass
class Watcher:
    """A client that opens ten TLS connections per second and requests the association file on each."""

    server: Server
    latencies: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._context = self.server.context
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join(2 * WATCH_LIMIT)

    def _watch(self) -> None:
        while True:
            self.request()
            if self._done.wait(WATCH_INTERVAL):
                return

    def request(self) -> bool:
        """Sends a request. Records a success with its latency, or a failure with its reason."""
        started = time.monotonic()
        try:
            status = get(self.server, self._context, "/.well-known/apple-app-site-association")
        except (OSError, ssl.SSLError, http.client.HTTPException) as error:
            self.failures.append(repr(error))
            return False
        if status != 200:
            self.failures.append(f"status {status}")
            return False
        self.latencies.append(time.monotonic() - started)
        return True

    @property
    def summary(self) -> str:
        total = len(self.latencies) + len(self.failures)
        share = 100 * len(self.latencies) / total if total else 0.0
        worst = 1000 * max(self.latencies, default=0.0)
        return f"client: {share:.0f} % of {total} succeed, worst {worst:.0f} ms"


def get(server: Server, context: ssl.SSLContext, path: str) -> int:
    connection = http.client.HTTPSConnection(
        ADDRESS, server.port, timeout=WATCH_LIMIT, context=context, source_address=(WATCHER, 0)
    )
    try:
        connection.request("GET", path, headers={"Host": NAME})
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()

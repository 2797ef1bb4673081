"""Runs a server under a mixed load at a limited rate, and tests whether its resource use stays flat.

Samples and plots resident memory, open descriptors and the 99th percentile of latency. Exits with status 1 if one of
these quantities rises or a request fails.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDERS = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "EndToEnd")]
sys.path[:0] = FOLDERS

from attackers.memory import status_value  # noqa: E402
from attackers.samples import Series, percentile, plot  # noqa: E402
from support.people import FORM, JSON, PASSWORD, App  # noqa: E402
from support.server import Server  # noqa: E402
from support.wire import NAME, Wire, request  # noqa: E402

# The number of descriptors depends on the connections that are open during a sample.
MOST_RISE = {"memory": 8.0, "descriptors": 8.0, "p99 latency": 10.0}
# The number of requests in a client's round.
ROUND = 24
# The number of rounds between two checks. An address may make fewer checks than other requests.
CHECK_ROUNDS = 16


@dataclass
class Measured:
    """The reports of the clients since the last sample."""

    latencies: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> list[float]:
        with self.lock:
            taken, self.latencies = self.latencies, []
            return taken


class Client:
    """Runs a client process. The process sends a mix of requests, and reports each on one line."""

    def __init__(self, settings: dict[str, Any]) -> None:
        import ssl

        self.settings = settings
        self.port: int = settings["port"]
        self.source: str = settings["source"]
        self.context = ssl.create_default_context(cafile=settings["authority"])
        self.kept: Wire | None = None
        self.number = 0
        self.name = settings["name"]
        self.token = ""

    def run(self, stopped: threading.Event) -> None:
        due = time.monotonic()
        while not stopped.is_set():
            began = time.monotonic()
            try:
                kind, status = self.one(self.number)
                failure = ""
            except (OSError, AssertionError) as error:
                kind, status, failure = "failure", 0, f"{type(error).__name__}: {error}"
                self.kept = None
            self.number += 1
            print(json.dumps([kind, status, (time.monotonic() - began) * 1000, failure]), flush=True)
            due = max(due + 1 / self.settings["rate"], time.monotonic() - 1)
            stopped.wait(max(0.0, due - time.monotonic()))

    def wire(self) -> Wire:
        return Wire(self.port, self.context, NAME, self.source)

    def keep(self, message: bytes, method: str = "GET") -> int:
        self.kept = self.kept or self.wire()
        self.kept.send(message)
        answer = self.kept.answer(method)
        if answer.closes:
            self.kept.close()
            self.kept = None
        return answer.status

    def call(self, target: str, content: dict[str, str]) -> bytes:
        return request(target, JSON, method="POST", content=json.dumps(content).encode())

    def one(self, number: int) -> tuple[str, int]:
        at = number % ROUND
        if at == 0:
            with self.wire() as wire:
                return "fresh", wire.ask("/digits.txt", "Connection: close").status
        if at == 1:
            with self.wire() as wire:
                wire.send(request("/long.txt")[:40])
                wire.abort()
            return "aborted", 0
        if at == 2:
            with self.wire() as wire:
                wire.send(b"broken\r\n\r\n")
                return "malformed", wire.answer().status
        if at == 3:
            return "sign-in", self.keep(self.call("/api/signin", {"username": self.name, "password": PASSWORD}))
        if at == 4 and number // ROUND % CHECK_ROUNDS == 0:
            content = b"file=%7B%22webcredentials%22%3A%7B%22apps%22%3A%5B%5D%7D%7D"
            return "check", self.keep(
                request("/check", FORM, "Sec-Fetch-Site: same-origin", method="POST", content=content)
            )
        if at == 5:
            return "echo", self.keep(request("/echo", method="POST", content=b"x" * 20_000))
        if at == 6:
            message = request("/echo", "Transfer-Encoding: chunked", method="POST") + b"5\r\nhello\r\n0\r\n\r\n"
            return "chunked", self.keep(message)
        if at == 7:
            return "page", self.keep(request("/signin"))
        if at == 8:
            return "missing", self.keep(request("/missing"))
        if at == 9:
            return "head", self.keep(request("/long.txt", method="HEAD"), "HEAD")
        if at == 10:
            return "compressed", self.keep(request("/long.txt", "Accept-Encoding: gzip"))
        if at == 11:
            return "range", self.keep(request("/long.txt", "Range: bytes=100-200"))
        if at == 12:
            return "association", self.keep(request("/.well-known/apple-app-site-association"))
        return "static", self.keep(request("/digits.txt"))


# The expected statuses for each kind of request.
RIGHT = {
    "aborted": {0},
    "malformed": {400},
    "missing": {404},
    "range": {206},
}


def client_process(settings: dict[str, Any], stack: ExitStack, measured: Measured) -> None:
    process = subprocess.Popen(
        [sys.executable, __file__, "--client", json.dumps(settings)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(FOLDERS)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )

    def read() -> None:
        assert process.stdout
        with process.stdout:
            for line in process.stdout:
                kind, status, milliseconds, failure = json.loads(line)
                with measured.lock:
                    measured.latencies.append(milliseconds)
                    measured.statuses[f"{kind} {status}"] += 1
                    if failure or status not in RIGHT.get(kind, {200}):
                        measured.failures.append(f"{kind} {status} {failure}")

    thread = threading.Thread(target=read, daemon=True)
    thread.start()

    def end() -> None:
        assert process.stdin
        process.stdin.close()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        thread.join()

    stack.callback(end)


def run_client(settings: dict[str, Any]) -> None:
    stopped = threading.Event()

    def wait_for_parent() -> None:
        sys.stdin.read()
        stopped.set()

    threading.Thread(target=wait_for_parent, daemon=True).start()
    Client(settings).run(stopped)


def soak(arguments: argparse.Namespace, home: Path) -> int:
    measured = Measured()
    rows: list[tuple[float, float, int, float, int]] = []
    server = Server(home, "--echo", "--failures-per-address", "1000000", *arguments.option)
    try:
        with ExitStack() as stack:
            for number in range(arguments.clients):
                source, name = f"127.0.0.{10 + number}", f"soak-{number}"
                with App(server, source) as app:
                    app.sign_up(name)
                settings = {
                    "port": server.port,
                    "authority": str(server.authority),
                    "source": source,
                    "name": name,
                    "rate": arguments.rate / arguments.clients,
                }
                client_process(settings, stack, measured)
            began = time.monotonic()
            pause = threading.Event()
            while (passed := time.monotonic() - began) < arguments.minutes * 60:
                # Wait for the time of the next sample.
                pause.wait(min(arguments.every, arguments.minutes * 60 - passed))
                if server.process.poll() is not None:
                    print(f"the server exited with code {server.process.returncode}\n{server.err.text[-2000:]}")
                    return 1
                latencies = measured.take()
                if latencies:
                    resident = status_value(server, "VmRSS") / 1e6
                    p99 = percentile(latencies, 0.99)
                    rows.append((time.monotonic() - began, resident, server.descriptors, p99, len(latencies)))
    finally:
        server.stop()
    return judge(arguments, rows, measured)


def judge(arguments: argparse.Namespace, rows: list[Any], measured: Measured) -> int:
    if len(rows) < 6:
        print(f"{len(rows)} samples are too few: run longer (--minutes), or sample more often (--every)")
        return 1
    columns = [("memory", "MB", 1), ("descriptors", "descriptors", 2), ("p99 latency", "ms", 3)]
    all_series = [
        Series(name, unit, MOST_RISE[name], [(row[0], row[column]) for row in rows]) for name, unit, column in columns
    ]
    requests = sum(row[4] for row in rows)
    title = f"{requests} requests in {rows[-1][0] / 60:.1f} minutes, {len(measured.failures)} failed"
    print(title)
    for series in all_series:
        print(series)
    for failure, count in Counter(measured.failures).most_common(10):
        print(f"{count} times: {failure}")
    if arguments.output:
        arguments.output.mkdir(parents=True, exist_ok=True)
        plot(arguments.output / "soak.svg", title, all_series)
        lines = ["seconds,memory MB,descriptors,p99 latency ms,requests"]
        lines += [f"{row[0]:.1f},{row[1]:.2f},{row[2]},{row[3]:.2f},{row[4]}" for row in rows]
        (arguments.output / "soak.csv").write_text("\n".join(lines) + "\n")
        print(f"plot and samples: {arguments.output}/soak.svg, {arguments.output}/soak.csv")
    return 0 if not measured.failures and all(series.is_flat for series in all_series) else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long to run (default: 30)")
    parser.add_argument("--rate", type=float, default=200.0, help="total requests per second (default: 200)")
    parser.add_argument("--clients", type=int, default=4, help="client processes (default: 4)")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between samples (default: 5)")
    parser.add_argument("--output", type=Path, help="folder for soak.svg and soak.csv (default: none)")
    parser.add_argument("--option", action="append", default=[], help="an option of the server (repeatable)")
    parser.add_argument("--client", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.client:
        run_client(json.loads(arguments.client))
        return 0
    with tempfile.TemporaryDirectory() as home:
        return soak(arguments, Path(home))


if __name__ == "__main__":
    sys.exit(main())

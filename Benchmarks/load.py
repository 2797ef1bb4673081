"""Generates load with wrk, or with open_loop.c at a constant rate, and measures the server's cost."""

import json
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import machine
from client import HOST, CannotMeasure, fetch
from report import spaced
from servers import Motivator, Nginx, Server, Workplace, free_ports

HERE = Path(__file__).resolve().parent
# One thread per core. With fewer threads, wrk would saturate before a server does.
THREADS = os.cpu_count() or 1
# The threshold for marking a result: the share of CPU time that other processes use.
DISTURBED = 0.05


@dataclass(frozen=True)
class Scenario:
    """The load on a server.

    `mode` is "kept alive", "new" or "resumed" (a new connection for each request). `offered` is the number of requests
    per second on kept-alive connections, or 0 for as many as possible.
    """

    scheme: str
    mode: str
    connections: int
    offered: int = 0

    @property
    def title(self) -> str:
        if self.offered:
            return f"{self.scheme}, {spaced(self.offered)}/s offered, connections: {spaced(self.connections)}"
        what = {"kept alive": "kept alive", "new": "new connection per request", "resumed": "new, session resumed"}
        if self.scheme == "TLS" and self.mode == "new":
            return f"TLS, full handshake per request, {self.connections} connections"
        return f"{self.scheme}, {what[self.mode]}, {self.connections} connections"


@dataclass(frozen=True)
class Sample:
    """The result of one run, with times per request. `foreign` is the share of CPU time that other processes used."""

    rate: float
    cpu_us: float
    p50_ms: float
    p99_ms: float
    load_cpu_us: float
    foreign: float
    errors: int
    detail: str


class Generator:
    """Runs wrk or open_loop. A preloaded library keeps wrk from resuming TLS sessions."""

    def __init__(self, place: Workplace) -> None:
        self.result = place.folder / "load.json"
        self.library = place.folder / "no_resumption.so"
        self.open_loop = place.folder / "open_loop"
        compiler = os.environ.get("CC") or next(filter(shutil.which, ("cc", "clang", "gcc")), None)
        if compiler is None:
            raise CannotMeasure("there is no C compiler (cc, clang, gcc) for no_resumption.c; install one")
        shared = ("-shared", "-fPIC", "-o", self.library, HERE / "no_resumption.c", "-ldl")
        for words in (shared, ("-o", self.open_loop, HERE / "open_loop.c", "-lssl", "-lcrypto")):
            subprocess.run([compiler, "-O2", *words], check=True)

    def run_undisturbed(self, server: Server, scenario: Scenario, seconds: int) -> Sample:
        """Returns the less disturbed of up to two runs. The first run counts if almost nothing else was running."""
        samples: list[Sample] = []
        while len(samples) < 2 and not any(sample.foreign < DISTURBED for sample in samples):
            samples.append(self.run(server, scenario, seconds))
        return min(samples, key=lambda sample: sample.foreign)

    def run(self, server: Server, scenario: Scenario, seconds: int) -> Sample:
        pids = server.pids()
        children_before = _children_seconds()
        process = self._start(server, scenario, seconds)
        if scenario.offered:
            # The connections are open. This excludes the cost of their handshakes from the cost of the requests.
            process.stdout.readline()
        opening = machine.cpu_seconds([process.pid])
        server_before, busy_before, begin = machine.cpu_seconds(pids), machine.busy_seconds(), time.perf_counter()
        output, error = process.communicate("\n", timeout=seconds + 60)
        server_cpu = machine.cpu_seconds(pids) - server_before
        busy = machine.busy_seconds() - busy_before
        load_cpu = _children_seconds() - children_before - opening
        offered = (time.perf_counter() - begin) * (os.cpu_count() or 1)
        server.must_run()
        if process.returncode != 0 or not self.result.exists():
            raise CannotMeasure(f"no result for {scenario.title}: {(error or output).strip()[-400:]}")
        told = json.loads(self.result.read_text())
        requests = told["requests"]
        if requests == 0:
            raise CannotMeasure(f"{server.name} completed no request of: {scenario.title}")
        return Sample(
            rate=requests / told["duration_us"] * 1e6,
            cpu_us=server_cpu / requests * 1e6,
            p50_ms=told["p50_us"] / 1e3,
            p99_ms=told["p99_us"] / 1e3,
            load_cpu_us=load_cpu / requests * 1e6,
            foreign=max(0.0, (busy - server_cpu - load_cpu) / offered),
            errors=sum(told["errors"].values()),
            detail=_errors(told["errors"], requests),
        )

    def _start(self, server: Server, scenario: Scenario, seconds: int) -> subprocess.Popen[str]:
        self.result.unlink(missing_ok=True)
        environment = {**os.environ, "BENCH_RESULT": str(self.result)}
        if scenario.mode == "new" and scenario.scheme == "TLS":
            environment["LD_PRELOAD"] = str(self.library)
        if scenario.offered:
            port, path = server.target(scenario.scheme)
            command = [self.open_loop, port, scenario.scheme, path, scenario.offered, seconds, scenario.connections]
        else:
            command = ["wrk", "--latency", "-s", HERE / "report.lua", "-t", THREADS, "-c", scenario.connections]
            command += ["-d", seconds, *([] if scenario.mode == "kept alive" else ["-H", "Connection: close"])]
            command.append(server.url(scenario.scheme))
        pipe = subprocess.PIPE
        return subprocess.Popen(
            list(map(str, command)), env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )


def _children_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _errors(errors: dict[str, int], requests: int) -> str:
    counts = ", ".join(f"{name} {count}" for name, count in sorted(errors.items()) if count)
    return f"{counts} in {requests} requests"


class LoggingNginx(Nginx):
    """An nginx that logs for each request whether it resumed the TLS session."""

    @property
    def access_log(self) -> Path:
        return self.place.folder / "resumed.log"

    def settings(self) -> dict[str, object]:
        return {**super().settings(), "log": f"{self.access_log} resumed"}

    def handshakes(self) -> dict[str, int]:
        lines = self.access_log.read_text().split()
        self.access_log.unlink()
        return {"new": lines.count("."), "resumed": lines.count("r")}


class CountingMotivator(Motivator):
    """A motivator with the admin listener, which reports the number of handshakes."""

    def __init__(self, place: Workplace) -> None:
        super().__init__(place)
        (self.admin_port,) = free_ports(1)
        self.admin = f"{HOST}:{self.admin_port}"

    def handshakes(self) -> dict[str, int]:
        text = fetch(self.admin_port, "/metrics", tls=False).content.decode()
        samples = re.findall(r'^motivator_tls_handshakes_total{.*outcome="(\w+)"} (\d+)$', text, re.MULTILINE)
        return {
            mode: sum(int(count) for outcome, count in samples if outcome == name)
            for mode, name in (("new", "full"), ("resumed", "resumed"))
        }


def check_handshakes(generator: Generator, place: Workplace, kinds: list[type[Server]]) -> None:
    """Checks the servers' counts: "new" must cause full handshakes, and "resumed" must not."""
    for kind in (LoggingNginx, CountingMotivator):
        if not issubclass(kind, tuple(kinds)):
            continue
        for mode in ("new", "resumed"):
            server = kind(place)
            server.start()
            try:
                generator.run(server, Scenario("TLS", mode, 16), 1)
                counts = server.handshakes()
            finally:
                server.stop()
            # The first handshake of each connection is full, like the handshake of the harness's own request.
            if counts[mode] < 0.9 * (sum(counts.values()) - 17):
                raise CannotMeasure(f"wrk's handshakes with {server.name} are not {mode}: {counts}")

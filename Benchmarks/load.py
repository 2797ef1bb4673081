"""Load from wrk: one short run against one server, and what it cost the server."""

import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import machine
from client import CannotMeasure
from servers import Nginx, Server, Workplace

HERE = Path(__file__).resolve().parent
# As many as cores: with fewer, wrk would be the limit before a server is.
THREADS = os.cpu_count() or 1
# From this share of the machine's CPU time on, used by processes that are neither server nor wrk, a number is marked.
DISTURBED = 0.05


@dataclass(frozen=True)
class Scenario:
    """What is asked of a server. `mode` is "kept alive", "new" or "resumed" (a new connection for each request)."""

    scheme: str
    mode: str
    connections: int

    @property
    def title(self) -> str:
        what = {"kept alive": "kept alive", "new": "new connection per request", "resumed": "new, session resumed"}
        if self.scheme == "TLS" and self.mode == "new":
            return f"TLS, full handshake per request, {self.connections} connections"
        return f"{self.scheme}, {what[self.mode]}, {self.connections} connections"


@dataclass(frozen=True)
class Sample:
    """One run; times are for one request. `foreign` is the share of the machine that others used meanwhile."""

    rate: float
    cpu_us: float
    p50_ms: float
    p99_ms: float
    wrk_cpu_us: float
    foreign: float
    errors: int
    detail: str


class Generator:
    """wrk, with a library beside it that keeps it from resuming TLS sessions."""

    def __init__(self, place: Workplace) -> None:
        self.result = place.folder / "wrk.json"
        self.library = place.folder / "no_resumption.so"
        compiler = os.environ.get("CC") or next(filter(shutil.which, ("cc", "clang", "gcc")), None)
        if compiler is None:
            raise CannotMeasure("there is no C compiler (cc, clang, gcc) for no_resumption.c; install one")
        command = [compiler, "-O2", "-shared", "-fPIC", "-o", self.library, HERE / "no_resumption.c", "-ldl"]
        subprocess.run(command, check=True)

    def run_undisturbed(self, server: Server, scenario: Scenario, seconds: int) -> Sample:
        """The least disturbed of at most three runs; the first is taken when hardly anything else was running."""
        samples: list[Sample] = []
        while len(samples) < 3 and not any(sample.foreign < DISTURBED for sample in samples):
            samples.append(self.run(server, scenario, seconds))
        return min(samples, key=lambda sample: sample.foreign)

    def run(self, server: Server, scenario: Scenario, seconds: int) -> Sample:
        pids = server.pids()
        server_before, busy_before, begin = machine.cpu_seconds(pids), machine.busy_seconds(), time.perf_counter()
        wrk_cpu = self._wrk(server.url(scenario.scheme), scenario, seconds)
        server_cpu = machine.cpu_seconds(pids) - server_before
        busy = machine.busy_seconds() - busy_before
        offered = (time.perf_counter() - begin) * (os.cpu_count() or 1)
        server.must_run()
        told = json.loads(self.result.read_text())
        requests = told["requests"]
        if requests == 0:
            raise CannotMeasure(f"{server.name} answered no request of: {scenario.title}")
        return Sample(
            rate=requests / told["duration_us"] * 1e6,
            cpu_us=server_cpu / requests * 1e6,
            p50_ms=told["p50_us"] / 1e3,
            p99_ms=told["p99_us"] / 1e3,
            wrk_cpu_us=wrk_cpu / requests * 1e6,
            foreign=max(0.0, (busy - server_cpu - wrk_cpu) / offered),
            errors=sum(told["errors"].values()),
            detail=_errors(told["errors"], requests),
        )

    def _wrk(self, url: str, scenario: Scenario, seconds: int) -> float:
        """Runs wrk and returns its own CPU seconds."""
        self.result.unlink(missing_ok=True)
        environment = {**os.environ, "BENCH_RESULT": str(self.result)}
        if scenario.mode == "new" and scenario.scheme == "TLS":
            environment["LD_PRELOAD"] = str(self.library)
        command = ["wrk", "--latency", "-s", str(HERE / "report.lua"), "-t", str(THREADS)]
        command += ["-c", str(scenario.connections), "-d", str(seconds)]
        command += [] if scenario.mode == "kept alive" else ["-H", "Connection: close"]
        before = os.times()
        limit = seconds + 60
        done = subprocess.run(
            [*command, url], env=environment, capture_output=True, text=True, timeout=limit, check=False
        )
        after = os.times()
        if done.returncode != 0 or not self.result.exists():
            raise CannotMeasure(f"wrk could not measure {url}: {(done.stderr or done.stdout).strip()[-400:]}")
        return after.children_user + after.children_system - before.children_user - before.children_system


def _errors(errors: dict[str, int], requests: int) -> str:
    counts = ", ".join(f"{name} {count}" for name, count in sorted(errors.items()) if count)
    return f"{counts} in {requests} requests"


class LoggingNginx(Nginx):
    """nginx that writes for each request whether its TLS session was resumed."""

    @property
    def access_log(self) -> Path:
        return self.place.folder / "resumed.log"

    def settings(self) -> dict[str, object]:
        return {**super().settings(), "log": f"{self.access_log} resumed"}


def check_handshakes(generator: Generator, place: Workplace) -> None:
    """Proves on nginx's log that "new" makes full handshakes and "resumed" does not."""
    for mode, marker in (("new", "."), ("resumed", "r")):
        server = LoggingNginx(place)
        server.start()
        try:
            generator.run(server, Scenario("TLS", mode, 16), 1)
        finally:
            server.stop()
        lines = server.access_log.read_text().split()
        server.access_log.unlink()
        # Each connection's first handshake is a full one, and so was the harness's own request.
        if lines.count(marker) < 0.9 * (len(lines) - 17):
            raise CannotMeasure(f"wrk's handshakes are not {mode}: {lines.count(marker)} of {len(lines)} are")

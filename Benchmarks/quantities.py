"""The measured quantities: under load, at the start, and in memory."""

import time
from collections import defaultdict
from dataclasses import dataclass
from statistics import median

import machine
from client import IdleConnections
from load import DISTURBED, Generator, Sample, Scenario
from progress import Progress
from report import Row
from servers import ASSOCIATION, Motivator, Server, Workplace

IDLE = 1_000
# The request rates in the constant-rate rows, and the numbers of open connections at one of these rates.
OFFERED = (500, 5_000, 20_000, 40_000)
CONNECTIONS_RATE = 5_000
MOST_CONNECTIONS = 10_000
OPEN_CONNECTIONS = (1, 1_000, MOST_CONNECTIONS)
LOOPS_SCENARIOS = (Scenario("TLS", "kept alive", 64), Scenario("TLS", "new", 64))
SETTLE = 1.0
Samples = dict[Scenario, dict[str, list[Sample]]]


@dataclass(frozen=True)
class Plan:
    seconds: int
    rounds: int
    starts: int
    connections: tuple[int, ...] = (16, 64, 256)

    def scenarios(self, schemes: list[str]) -> list[Scenario]:
        modes = [(scheme, mode) for scheme in schemes for mode in ("kept alive", "new")]
        found = [Scenario(*each, count) for each in modes for count in self.connections]
        if "TLS" in schemes:
            found.append(Scenario("TLS", "resumed", 64))
            found += [Scenario("TLS", "kept alive", 64, rate) for rate in OFFERED]
            found += [Scenario("TLS", "kept alive", count, CONNECTIONS_RATE) for count in OPEN_CONNECTIONS]
        return found


def under_load(generator: Generator, plan: Plan, servers: dict[str, list[Server]], progress: Progress) -> Samples:
    """Measures each scenario. The servers take turns in each round, so machine drift affects all of them."""
    samples: Samples = defaultdict(lambda: defaultdict(list))
    for number in range(plan.rounds):
        for scenario in plan.scenarios(list(servers)):
            for server in _rotated(servers[scenario.scheme], number):
                sample = generator.run_undisturbed(server, scenario, plan.seconds)
                samples[scenario][server.name].append(sample)
                told = f"{sample.rate:.0f}/s, {sample.cpu_us:.1f} µs CPU"
                progress.step(f"round {number + 1}: {scenario.title}: {server.name} {told}")
    return samples


def load_rows(samples: Samples) -> list[Row]:
    return [row for scenario, found in samples.items() for row in _load_rows(scenario, found)]


def starts(place: Workplace, kinds: list[type[Server]], plan: Plan, progress: Progress) -> Row:
    row = Row("start to first response over TLS", "ms", defaultdict(list))
    for _ in range(plan.starts):
        for kind in kinds:
            server = kind(place)
            row.values[kind.name].append(server.start() * 1e3)
            server.stop()
            progress.step(f"start: {kind.name} {row.values[kind.name][-1]:.0f} ms")
    return row


def loops(generator: Generator, plan: Plan, place: Workplace, progress: Progress) -> list[Row]:
    """Compares motivator with two event loops to motivator with one. Without contention, the cost is the same."""
    rows = []
    for scenario in LOOPS_SCENARIOS:
        row = Row(f"{scenario.title}: CPU per request with two loops ÷ with one", "", {"motivator": []})
        for number in range(plan.rounds):
            cost = {}
            for count in (1, 2) if number % 2 else (2, 1):
                server = Motivator(place)
                server.extra = ("--loops", str(count))
                server.start()
                try:
                    cost[count] = generator.run_undisturbed(server, scenario, plan.seconds).cpu_us
                finally:
                    server.stop()
            row.values["motivator"].append(cost[2] / cost[1])
            progress.step(f"loops: {scenario.title}: {row.values['motivator'][-1]:.2f}")
        rows.append(row)
    return rows


def memory(place: Workplace, kinds: list[type[Server]], progress: Progress) -> list[Row]:
    """Measures the resident memory of a fresh server, and the memory that idle TLS connections add."""
    rows: dict[str, Row] = {}
    for kind in kinds:
        server = kind(place)
        server.start()
        try:
            for title, unit, value in _memory_of(server):
                rows.setdefault(title, Row(title, unit, {})).values[kind.name] = [value]
        finally:
            server.stop()
        progress.step(f"memory: {kind.name}")
    return list(rows.values())


def memory_after_load(servers: list[Server]) -> list[Row]:
    rss = {server.name: [machine.rss_kib(server.pids()) / 1024] for server in servers}
    pss = {server.name: [machine.pss_kib(server.pids()) / 1024] for server in servers}
    return [Row("RSS after the load", "MiB", rss), Row("PSS after the load", "MiB", pss)]


def _rotated(servers: list[Server], number: int) -> list[Server]:
    """Returns the servers with a different first server in each round, in case the first position is a disadvantage."""
    first = number % len(servers) if servers else 0
    return servers[first:] + servers[:first]


def _memory_of(server: Server) -> list[tuple[str, str, float]]:
    time.sleep(SETTLE)
    rss, pss = machine.rss_kib(server.pids()), machine.pss_kib(server.pids())
    idle = IdleConnections(server.port, IDLE)
    try:
        time.sleep(SETTLE)
        shaken_rss, shaken_pss = machine.rss_kib(server.pids()), machine.pss_kib(server.pids())
        idle.request_once(ASSOCIATION)
        time.sleep(SETTLE)
        answered_pss = machine.pss_kib(server.pids())
    finally:
        idle.close()
    return [
        ("RSS after start", "MiB", rss / 1024),
        ("PSS after start", "MiB", pss / 1024),
        (f"RSS per idle TLS connection, handshake done ({IDLE} of them)", "KiB", (shaken_rss - rss) / IDLE),
        (f"PSS per idle TLS connection, handshake done ({IDLE} of them)", "KiB", (shaken_pss - pss) / IDLE),
        (f"PSS per idle TLS connection, one response sent ({IDLE} of them)", "KiB", (answered_pss - pss) / IDLE),
    ]


def _load_rows(scenario: Scenario, found: dict[str, list[Sample]]) -> list[Row]:
    def row(what: str, unit: str, name: str) -> Row:
        values = {server: [getattr(sample, name) for sample in samples] for server, samples in found.items()}
        return Row(f"{scenario.title}: {what}", unit, values, marks)

    marks = {server: mark for server, samples in found.items() if (mark := _marks(samples))}
    return [
        row("requests", "1/s", "rate"),
        row("server CPU per request", "µs", "cpu_us"),
        row("p50", "ms", "p50_ms"),
        row("p99", "ms", "p99_ms"),
    ]


def _marks(samples: list[Sample]) -> str:
    failed = any(sample.errors for sample in samples)
    disturbed = median(sample.foreign for sample in samples) >= DISTURBED
    return ("†" if failed else "") + ("‡" if disturbed else "")


def load_notes(samples: Samples) -> list[str]:
    notes = []
    for scenario, found in samples.items():
        for server, runs in found.items():
            failed = "; ".join(run.detail for run in runs if run.errors)
            if failed:
                notes.append(f"† {scenario.title}: {server}: errors in each run: {failed}.")
            foreign = median(run.foreign for run in runs)
            if foreign >= DISTURBED:
                notes.append(f"‡ {scenario.title}: {server}: others used {foreign:.0%} of the machine.")
    return notes + _generator_notes(samples) + _spread_notes(samples)


def _generator_notes(samples: Samples) -> list[str]:
    notes = []
    for scenario, found in samples.items():
        shares = {}
        for server, runs in found.items():
            load, own = median(run.load_cpu_us for run in runs), median(run.cpu_us for run in runs)
            if load > own:
                shares[server] = f"{server} {load:.1f} to {own:.1f} µs"
        if shares:
            notes.append(
                f"the generator needs more CPU than the server, {scenario.title}: {', '.join(shares.values())}."
            )
    return notes


def _spread_notes(samples: Samples) -> list[str]:
    spreads = {}
    for scenario, found in samples.items():
        for server, runs in found.items():
            rates = [run.rate for run in runs]
            spreads[f"{scenario.title}: {server}"] = (max(rates) - min(rates)) / median(rates)
    title = max(spreads, key=lambda each: spreads[each])
    middle = median(spreads.values())
    widest = f"widest {spreads[title]:.0%} ({title})"
    return [f"Spread of requests/s between rounds, (greatest − least) ÷ median: median {middle:.0%}, {widest}."]

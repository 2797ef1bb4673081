#!/usr/bin/env python3
"""Measures the CPU time of each tier per operation with 1, 2 and 3 nodes. See SCALING.md. Requires root.

sudo MOTIVATOR_POSTGRESQL=PATH .venv/bin/python Benchmarks/scaling.py
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from os import getpid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "Tests/EndToEnd"), str(ROOT / "Tests/Cluster")]

from machines import Databases, DatabaseServer, Node, address, balancer, network, nodes, wait_until  # noqa: E402
from support.people import App  # noqa: E402

ASSOCIATION = "/.well-known/apple-app-site-association"
# The default cost of the server. The tests use a lower one.
COST = ("--scrypt", "15,8,3")
# The maximum number of database connections per server.
POOL = 8
COMMITS = 400
COLUMNS = ("nodes", "operation", "count", "ms", "node", "HAProxy", "primary", "standby", "transactions", "WAL bytes")


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu_ms(pid: int) -> float:
    """Returns the CPU time of a process and its children, with the scheduler's precision."""
    try:
        # The kernel's encoding of a process's CPU clock (clock_getcpuclockid).
        own = time.clock_gettime_ns((~pid << 3) | 2) / 1e6
        return own + sum(cpu_ms(child) for child in children(pid))
    except (OSError, ValueError):
        return 0.0


def haproxy() -> int:
    return next(pid for pid in children(getpid()) if Path(f"/proc/{pid}/comm").read_text() == "haproxy\n")


def postmaster(server: DatabaseServer) -> int:
    return int((server.folder / "data/postmaster.pid").read_text().split("\n")[0])


class Meter:
    """Measures operations, and prints a row for each kind."""

    def __init__(self, databases: Databases, started: list[Node]) -> None:
        self.databases = databases
        self.nodes = started
        self.tiers = [
            [node.server.process.pid for node in started],
            [haproxy()],
            [postmaster(databases.primary)],
            [postmaster(databases.standby)],
        ]
        self.idle = [0.0] * (len(self.tiers) + 2)

    def counters(self) -> list[float]:
        """Returns the CPU time of each tier, the number of writing transactions, and the WAL position."""
        sql = "SELECT pg_snapshot_xmax(pg_current_snapshot()), pg_current_wal_lsn() - '0/0'"
        database = [float(value) for value in self.databases.primary.query(sql).split("|")]
        return [sum(map(cpu_ms, tier)) for tier in self.tiers] + database

    def measure(self, what: str, count: int, operation: Callable[[int], object]) -> list[float]:
        """Prints the means per operation, without the tiers' idle costs."""
        before, began = self.counters(), time.monotonic()
        for number in range(count):
            operation(number)
        elapsed = time.monotonic() - began
        spent = [now - then for now, then in zip(self.counters(), before, strict=True)]
        each = [(value - idle * elapsed) / count for value, idle in zip(spent, self.idle, strict=True)]
        cells = (len(self.nodes), what, count, *(f"{value:.3f}" for value in (elapsed * 1000 / count, *each)))
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        return each


def commits(server: DatabaseServer, mode: str, clients: int) -> str:
    """Returns the number of commits per second, and their mean latency."""
    script = server.folder.parent / "insert.sql"
    script.write_text("INSERT INTO probe VALUES (1);\n")
    tools = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"))
    command = [tools[-1], "--no-vacuum", f"--client={clients}", f"--transactions={COMMITS}", f"--file={script}"]
    url = f"{server.url}&options=-csynchronous_commit%3D{mode}"
    report = subprocess.run([*command, url], check=True, capture_output=True, text=True).stdout
    numbers = {line.partition(" = ")[0]: line.partition(" = ")[2] for line in report.splitlines()}
    rate = next(value for name, value in numbers.items() if name == "tps").split()[0]
    return f"{mode} with {clients} clients {float(rate):.0f}/s, {numbers['latency average']}"


def measure(folder: Path, number: int) -> None:
    names = ["database1", "database2", *(f"node{index + 1}" for index in range(number))]
    with network(names) as machines:
        known = [(name, address(index), machines[index]) for index, name in enumerate(names)]
        pair = [DatabaseServer(name, one, host, folder / name, ("fsync=on",)) for name, host, one in known[:2]]
        databases = Databases(*pair)
        with nodes(known[2:], folder, databases.url, *COST) as started, balancer(started, folder) as entrances:
            wait_until(lambda: all(node.is_ready() for node in started), "all nodes are ready")
            meter = Meter(databases, started)
            apps = [App(entrance) for entrance in entrances[1:]]
            tokens: list[str] = []
            fill(entrances[1:], apps[0].sign_up("first"))
            meter.idle = meter.measure("idle second", 5, lambda _: time.sleep(1))
            meter.measure("sign-up", 24, lambda i: tokens.append(apps[i % number].sign_up(f"user-{i}")))
            meter.measure("sign-in", 24, lambda i: apps[i % number].sign_in(f"user-{i}"))
            meter.measure("session check", 600, lambda i: apps[i % number].is_signed_in(tokens[i % len(tokens)]))
            meter.measure("association file", 3000, lambda i: apps[i % number].send("GET", ASSOCIATION))
            meter.measure("full handshake", 300, lambda i: entrances[1 + i % number].connect().close())
            databases.primary.query("CREATE TABLE probe (n int)")
            # The query excludes its own connection.
            clients = "SELECT count(*) - 1 FROM pg_stat_activity WHERE backend_type = 'client backend'"
            print(f"{number} nodes: {databases.primary.query(clients)} database connections", flush=True)
            for mode, count in (("local", 1), ("on", 1), ("on", POOL), ("on", 4 * POOL)):
                print(f"commits: {commits(databases.primary, mode, count)}", flush=True)
        for server in pair:
            server.do("stop", "immediate")


def fill(entrances: list, token: str) -> None:
    """Makes each server open all its database connections."""

    def check(number: int) -> None:
        with App(entrances[number % len(entrances)]) as app:
            for _ in range(20):
                app.is_signed_in(token)

    with ThreadPoolExecutor(4 * POOL) as pool:
        list(pool.map(check, range(4 * POOL * len(entrances))))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, choices=(1, 2, 3), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.nodes:
        measure(options.folder, options.nodes)
        return
    print("| " + " | ".join(COLUMNS) + " |", flush=True)
    for number in (1, 2, 3):
        with tempfile.TemporaryDirectory() as name:
            # The user "postgres" must be able to traverse the folder.
            Path(name).chmod(0o711)
            space = ("unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
            own = (sys.executable, __file__, "--nodes", str(number), "--folder", name)
            subprocess.run([*space, *own], check=True, timeout=180)


if __name__ == "__main__":
    main()

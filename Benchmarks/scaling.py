#!/usr/bin/env python3
"""Measures the CPU time of each tier per operation with 1, 2 and 3 nodes. See SCALING.md. Requires root.

sudo MOTIVATOR_POSTGRESQL=PATH .venv/bin/python Benchmarks/scaling.py
"""

import argparse
import base64
import hashlib
import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
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
# The maximum number of database connections per server for operations.
POOL = 8
# The numbers of sessions at first, of sessions per run of a measurement, and of accounts and sessions later.
SESSIONS, CHECKS, MANY_ACCOUNTS, MANY_SESSIONS = 10_000, 600, 1_000_000, 100_000
COMMITS = 400
LAG = "SELECT pg_current_wal_lsn() - replay_lsn FROM pg_stat_replication"
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


def commits(server: DatabaseServer, mode: str, clients: int, notification: str = "") -> str:
    """Returns the number of commits per second, and their mean latency."""
    script = server.folder.parent / "insert.sql"
    script.write_text(f"BEGIN;\nINSERT INTO probe VALUES (1);\n{notification}\nCOMMIT;\n")
    tools = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"))
    command = [tools[-1], "--no-vacuum", f"--client={clients}", f"--transactions={COMMITS}", f"--file={script}"]
    url = f"{server.url}&options=-csynchronous_commit%3D{mode}"
    report = subprocess.run([*command, url], check=True, capture_output=True, text=True).stdout
    numbers = {line.partition(" = ")[0]: line.partition(" = ")[2] for line in report.splitlines()}
    rate = next(value for name, value in numbers.items() if name == "tps").split()[0]
    kind = f"{mode} with {clients} clients" + (", notification" if notification else "")
    return f"{kind} {float(rate):.0f}/s, {numbers['latency average']}"


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
            apps[0].sign_up("first")
            add_sessions(databases.primary, 0, SESSIONS)
            fresh = map(token, itertools.count())
            fill(entrances[1:], fresh)
            meter.idle = meter.measure("idle second", 5, lambda _: time.sleep(1))
            meter.measure("sign-up", 24, lambda i: tokens.append(apps[i % number].sign_up(f"user-{i}")))
            meter.measure("sign-in", 24, lambda i: apps[i % number].sign_in(f"user-{i}"))
            check_sessions(meter, apps, fresh, "")
            meter.measure("sign-out", 24, lambda i: apps[i % number].call("/api/signout", token=tokens[i]))
            if number == 1:
                add_accounts(databases.primary)
                add_sessions(databases.primary, SESSIONS, MANY_SESSIONS)
                databases.primary.query("ANALYZE")
                wait_until(lambda: databases.primary.query(LAG) == "0", "the standby has all rows")
                fresh = map(token, itertools.count(SESSIONS))
                check_sessions(meter, apps, fresh, ", many rows")
                for one in itertools.islice(fresh, 30_000):
                    apps[0].is_signed_in(one)
                check_sessions(meter, apps, fresh, ", cache full")
            meter.measure("association file", 3000, lambda i: apps[i % number].send("GET", ASSOCIATION))
            meter.measure("full handshake", 300, lambda i: entrances[1 + i % number].connect().close())
            databases.primary.query("CREATE TABLE probe (n int)")
            # The query excludes its own connection.
            clients = "SELECT count(*) - 1 FROM pg_stat_activity WHERE backend_type = 'client backend'"
            print(f"{number} nodes: {databases.primary.query(clients)} database connections", flush=True)
            for mode, count in (("local", 1), ("on", 1), ("on", POOL), ("on", 4 * POOL)):
                print(f"commits: {commits(databases.primary, mode, count)}", flush=True)
            notification = "NOTIFY motivator_session, '1';"
            print(f"commits: {commits(databases.primary, 'on', POOL, notification)}", flush=True)
        for server in pair:
            server.do("stop", "immediate")


def token(number: int) -> str:
    """Returns the token of a session that `add_sessions` adds."""
    return base64.urlsafe_b64encode(hashlib.sha256(str(number).encode()).digest()).decode().rstrip("=")


def add_sessions(server: DatabaseServer, first: int, count: int) -> None:
    """Adds sessions of existing accounts. Their last use is in the future, so that no check records a use."""
    server.query(
        f"""
        INSERT INTO motivator.session (digest, account, began, used)
        SELECT sha256(sha256(n::TEXT::BYTEA)), (SELECT min(id) FROM motivator.account), time, time
        FROM generate_series({first}, {first + count - 1}) AS n, CAST(extract(epoch FROM now()) + 600 AS BIGINT) AS time
        """
    )


def add_accounts(server: DatabaseServer) -> None:
    """Adds accounts with the hash of the first account."""
    server.query(
        f"""
        INSERT INTO motivator.account (id, name, name_key, hash, hash_prefix, created, changed)
        SELECT n, 'many-' || n, 'many-' || n, hash, hash_prefix, created, changed
        FROM generate_series(1, {MANY_ACCOUNTS}) AS n, (SELECT * FROM motivator.account LIMIT 1) AS first
        """
    )


def check_sessions(meter: Meter, apps: list[App], fresh: Iterator[str], what: str) -> None:
    """Measures checks of sessions that the nodes do not know, and of sessions that they have in their caches."""
    known = list(itertools.islice(fresh, CHECKS))
    meter.measure(f"session check, query{what}", CHECKS, lambda i: apps[i % len(apps)].is_signed_in(known[i]))
    few = known[-24:]
    for app, one in itertools.product(apps, few):
        app.is_signed_in(one)
    meter.measure(
        f"session check, cache{what}", CHECKS, lambda i: apps[i % len(apps)].is_signed_in(few[i // len(apps) % 24])
    )


def fill(entrances: list, fresh: Iterator[str]) -> None:
    """Makes each server open all its database connections."""
    tokens = list(itertools.islice(fresh, 20 * 4 * POOL * len(entrances)))

    def check(number: int) -> None:
        with App(entrances[number % len(entrances)]) as app:
            for one in tokens[20 * number : 20 * number + 20]:
                app.is_signed_in(one)

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
            subprocess.run([*space, *own], check=True, timeout=600)


if __name__ == "__main__":
    main()

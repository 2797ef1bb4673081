#!/usr/bin/env python3
"""Measures motivator's sign-in rate, and the latency of the association file during sign-ins. Defines no threshold."""

import argparse
import hashlib
import http.client
import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median, quantiles

import machine
from client import HOST, CannotMeasure, trusting_context
from content import make_certificate
from progress import Progress
from servers import ASSOCIATION, Motivator, Workplace

EX_UNAVAILABLE = 69
# The server's default cost: 32 MiB and three passes.
COST = {"n": 1 << 15, "r": 8, "p": 3, "dklen": 32, "maxmem": 1 << 27}
PASSWORD = "four small red foxes"
# The number of association file requests per second. A higher rate would itself distort the measurement.
PROBES_PER_SECOND = 25
WAIT = 60


def hash_for(seconds: float, results: Connection) -> None:
    """Computes hashes without pause, and sends the rate."""
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        hashlib.scrypt(PASSWORD.encode(), salt=bytes(16), **COST)
        count += 1
    results.send(count / (time.perf_counter() - begin))


def bare_rate(seconds: float) -> float:
    """Returns the hashes per second of all cores, with one process per core and the same OpenSSL function."""
    return sum(in_processes(os.cpu_count() or 1, hash_for, seconds))


def in_processes(count: int, body: object, *arguments: object) -> list:
    context = multiprocessing.get_context("fork")
    running = []
    for _ in range(count):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=body, args=(*arguments, theirs))
        process.start()
        running.append((process, ours))
    found = [ours.recv() for _, ours in running]
    for process, _ in running:
        process.join()
    return found


def probe(port: int, seconds: float, results: Connection) -> None:
    """Requests the association file at a steady rate over one persistent connection. Sends the latencies in ms."""
    connection = http.client.HTTPSConnection(HOST, port, context=trusting_context(), timeout=WAIT)
    latencies = []
    begin = time.perf_counter()
    for number in range(int(seconds * PROBES_PER_SECOND)):
        time.sleep(max(0.0, begin + number / PROBES_PER_SECOND - time.perf_counter()))
        asked = time.perf_counter()
        connection.request("GET", ASSOCIATION)
        answer = connection.getresponse()
        answer.read()
        latencies.append((time.perf_counter() - asked) * 1000)
        if answer.status != 200:
            raise CannotMeasure(f"{ASSOCIATION} returned status {answer.status}")
    results.send(latencies)


class AccountServer(Motivator):
    """A server without the limit on sign-ups per address, because all clients share one address."""

    def command(self) -> list[str]:
        return [*super().command(), "--sign-ups-per-address", "1000000"]


class Client:
    """An API client with a persistent connection."""

    def __init__(self, port: int, name: str) -> None:
        self.name = name
        self.connection = http.client.HTTPSConnection(HOST, port, context=trusting_context(), timeout=WAIT)

    def call(self, path: str, wanted: int) -> None:
        content = json.dumps({"username": self.name, "password": PASSWORD})
        self.connection.request("POST", path, content, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        said = answer.read()
        if answer.status != wanted:
            raise CannotMeasure(f"{path} for {self.name} returned status {answer.status}: {said.decode()}")


def sign_in_without_pause(clients: list[Client], seconds: float) -> float:
    """Returns the sign-ins per second of all clients. Excludes sign-ins that finish after the end."""
    end = time.perf_counter() + seconds
    counts = [0] * len(clients)
    failures: list[Exception] = []

    def work(index: int) -> None:
        try:
            while time.perf_counter() < end:
                clients[index].call("/api/signin", 200)
                counts[index] += time.perf_counter() <= end
        except (CannotMeasure, OSError, http.client.HTTPException) as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(clients))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise CannotMeasure(str(failures[0]))
    return sum(counts) / seconds


def fill(database: Path, accounts: int) -> None:
    """Inserts accounts into the database while the server is down. These accounts never sign in."""
    spent = "$scrypt$ln=15,r=8,p=3$" + "A" * 22 + "$" + "A" * 43
    with sqlite3.connect(database) as connection:
        connection.execute(
            "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?) "
            "INSERT INTO account (name, name_key, hash, created, changed) "
            "SELECT 'filler-' || n, 'filler-' || n, ?, 0, 0 FROM number",
            (accounts, spent),
        )
    connection.close()


def p(latencies: list[float], percent: int) -> float:
    return quantiles(latencies, n=100, method="inclusive")[percent - 1]


def measure(options: argparse.Namespace, place: Workplace, accounts: int, progress: Progress) -> list[str]:
    """Returns one row of the table."""
    server = AccountServer(place)
    server.start()
    if accounts:
        server.stop()
        progress.step(f"filling in {accounts} accounts")
        fill(server.database, accounts)
        start = server.start()
    else:
        server.stop()
        start = server.start()
    try:
        progress.step("signing up")
        clients = [Client(server.port, f"{accounts} {number}") for number in range(options.clients)]
        for client in clients:
            client.call("/api/signup", 201)
        progress.step("association file alone")
        alone = in_processes(1, probe, server.port, options.seconds * 2)[0]
        bare, rates, meanwhile = [], [], []
        for number in range(options.rounds):
            progress.step(f"round {number + 1}: bare hashes, then {options.clients} clients signing in")
            for client in clients:
                # The connection would be idle for too long before the next call. That call opens another connection.
                client.connection.close()
            bare.append(bare_rate(options.seconds))
            context = multiprocessing.get_context("fork")
            ours, theirs = context.Pipe(duplex=False)
            prober = context.Process(target=probe, args=(server.port, options.seconds, theirs))
            prober.start()
            rates.append(sign_in_without_pause(clients, options.seconds))
            meanwhile += ours.recv()
            prober.join()
        resident = machine.rss_kib(server.pids()) / 1024
    finally:
        server.stop()
    ratios = [ours / hashes for ours, hashes in zip(rates, bare, strict=True)]
    return [
        f"{accounts:,}".replace(",", " "),
        f"{start * 1000:.0f}",
        f"{median(bare):.2f}",
        f"{median(rates):.2f}",
        f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
        f"{p(alone, 50):.2f}",
        f"{p(alone, 99):.2f}",
        f"{p(meanwhile, 50):.2f}",
        f"{p(meanwhile, 99):.2f}",
        f"{resident:.0f}",
    ]


HEADER = [
    "accounts",
    "start ms",
    "bare hashes/s",
    "sign-ins/s",
    "ratio",
    "file p50 ms",
    "p99 ms",
    "meanwhile p50 ms",
    "p99 ms",
    "resident MiB",
]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench accounts", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, metavar="N", help="length of each run (default 10)")
    parser.add_argument("--rounds", type=int, default=9, metavar="N", help="number of runs, alternating (default 9)")
    parser.add_argument("--clients", type=int, default=64, metavar="N", help="number of clients (default 64)")
    parser.add_argument("--accounts", type=int, default=1_000_000, metavar="N", help="size of the larger database")
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the Markdown to this file")
    options = parser.parse_args(words)
    progress = Progress(5 + 2 * options.rounds)
    try:
        with tempfile.TemporaryDirectory(prefix="motivator-bench-") as folder:
            place = Workplace(Path(folder))
            make_certificate(place)
            place.public.mkdir()
            version = Motivator(place).version()
            rows = [measure(options, place, accounts, progress) for accounts in (0, options.accounts)]
    except (CannotMeasure, OSError, subprocess.SubprocessError) as error:
        print(f"bench: could not measure: {error}", file=sys.stderr)
        return EX_UNAVAILABLE
    facts = [
        *machine.description([version, "scrypt: N=2^15, r=8, p=3; bare in as many processes as cores"]),
        f"{options.clients} clients sign in without pause over kept TLS connections; the file is requested "
        f"{PROBES_PER_SECOND} times a second; {options.rounds} rounds of {options.seconds:g} s each: medians of the "
        "rates, the least and greatest ratio, and percentiles of all latencies",
    ]
    lines = [*(f"- {fact}" for fact in facts), "", *("| " + " | ".join(row) + " |" for row in [HEADER])]
    lines += ["|" + "--:|" * len(HEADER), *("| " + " | ".join(row) + " |" for row in rows)]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if options.out:
        options.out.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

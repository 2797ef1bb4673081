"""Compares `association check --targets` with `curl --parallel` on a list of sites that a local nginx serves."""

import argparse
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from content import make_certificate, make_site
from servers import ASSOCIATION, HOST, Nginx, Workplace

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / ".build/release/motivator"
# A run that takes longer is stopped.
LIMIT = 300


def names(count: int) -> list[str]:
    return [f"s{number}.sites.test" for number in range(count)]


def run(command: list[str], output: Path | None = None) -> tuple[float, int, int, str]:
    """Returns the seconds, the maximum resident memory in KiB, the exit code, and the standard error."""
    errors = Path(tempfile.gettempdir(), f"sites-{os.getpid()}.err")
    with open(output or os.devnull, "wb") as out, errors.open("wb") as err:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        signal.alarm(LIMIT)
        _, status, used = os.wait4(process.pid, 0)
        signal.alarm(0)
        seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    text = errors.read_text(errors="replace")
    errors.unlink()
    return seconds, used.ru_maxrss, process.returncode, text


def check(place: Workplace, port: int, count: int, jobs: int) -> list[str]:
    path = place.folder / f"list-{count}.txt"
    path.write_text("\n".join(names(count)) + "\n")
    return [
        *(str(PROGRAM), "association", "check", "--targets", str(path), "--jobs", str(jobs), "--format", "ndjson"),
        *("--connect-to", f"::{HOST}:{port}", "--trust", str(place.folder / "authority.pem"), "--assume-public"),
    ]


def curl(place: Workplace, port: int, count: int, jobs: int) -> list[str]:
    path = place.folder / f"curl-{count}.txt"
    root = place.folder / "authority.pem"
    urls = [f'url = "https://{name}{ASSOCIATION}"\noutput = "/dev/null"' for name in names(count)]
    path.write_text("\n".join([f'cacert = "{root}"', f'connect-to = "::{HOST}:{port}"', *urls]) + "\n")
    return ["curl", "-sS", "--parallel", "--parallel-immediate", "--parallel-max", str(jobs), "-K", str(path)]


def resume(command: list[str], folder: Path, uninterrupted: Path) -> str:
    """Interrupts a check with SIGINT, runs it again, and compares its results with those of an uninterrupted check."""
    results = folder / "resumed.ndjson"
    process = subprocess.Popen([*command, "--resume", results], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and (
        not results.exists() or results.stat().st_size < uninterrupted.stat().st_size // 3
    ):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    code = process.wait(LIMIT)
    done = results.read_bytes().count(b"\n")
    again = run([*command, "--resume", str(results)])[2]
    if (code, again) != (130, 0) or facts(results) != facts(uninterrupted):
        sys.exit(f"the results of an interrupted check differ (exit codes {code} and {again})")
    return f"Interrupted after {done:,} sites and run again: the same results as without an interruption."


def facts(path: Path) -> list[tuple[object, ...]]:
    """Returns what does not depend on the time of a check."""
    found = []
    for line in path.read_text().splitlines():
        one = json.loads(line)
        for fetch in one["report"]["fetches"]:
            del fetch["milliseconds"]
        found.append((one["number"], json.dumps(one)))
    return sorted(found)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="number of sites (default: 10,000)")
    parser.add_argument("--jobs", type=int, default=64, help="concurrent checks (default: 64)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each program (default: 3)")
    parser.add_argument("--out", type=Path, help="also write the table to this file")
    options = parser.parse_args(words)
    for needed in (PROGRAM, shutil.which("curl"), shutil.which("nginx")):
        if needed is None or not Path(needed).exists():
            sys.exit("this benchmark needs curl, nginx, and a release build of motivator")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4_096)), hard))
    few = max(options.count // 10, 1)
    with tempfile.TemporaryDirectory() as folder:
        place = Workplace(Path(folder), logs=False)
        make_certificate(place, "DNS:*.sites.test")
        make_site(place, [])
        server = Nginx(place)
        server.start()
        try:
            commands = {
                "check": check(place, server.port, options.count, options.jobs),
                "curl": curl(place, server.port, options.count, options.jobs),
                "few": check(place, server.port, few, options.jobs),
            }
            found: dict[str, list[tuple[float, int]]] = {name: [] for name in commands}
            for _ in range(options.rounds):
                for name, command in commands.items():
                    seconds, memory, code, text = run(command)
                    if code != 0:
                        sys.exit(f"{name} exited with {code}: {text[-600:]}")
                    found[name].append((seconds, memory))
            whole = place.folder / "whole.ndjson"
            run(commands["check"], whole)
            resumed = resume(commands["check"], place.folder, whole)
        finally:
            server.stop()
    rates = {name: options.count / statistics.median(run[0] for run in found[name]) for name in ("check", "curl")}
    memory = {name: max(run[1] for run in found[name]) / 1024 for name in commands}
    lines = [
        f"{options.count:,} sites, {options.jobs} at a time, {options.rounds} rounds; medians, and maxima of memory.",
        "",
        "| program | sites/s | ratio to curl | maximum resident memory, MiB |",
        "|---|--:|--:|--:|",
        f"| `check --targets` | {rates['check']:.0f} | {rates['check'] / rates['curl']:.2f} | {memory['check']:.1f} |",
        f"| `check --targets`, {few:,} sites | | | {memory['few']:.1f} |",
        f"| `curl --parallel` | {rates['curl']:.0f} | 1.00 | {memory['curl']:.1f} |",
        "",
        resumed,
    ]
    print("\n".join(lines))
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

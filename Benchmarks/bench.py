#!/usr/bin/env python3
"""Measures motivator and its peers in one run, and prints one table. Defines no threshold."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import machine
from client import CannotMeasure
from content import check_equal, make_certificate, make_site
from load import THREADS, Generator, check_handshakes
from progress import Progress
from quantities import (
    LOOPS_SCENARIOS,
    MOST_CONNECTIONS,
    Plan,
    load_notes,
    load_rows,
    loops,
    memory,
    memory_after_load,
    starts,
    under_load,
)
from report import document
from servers import ALL, Motivator, Server, Workplace

EX_USAGE, EX_UNAVAILABLE, EX_CANTCREAT = 64, 69, 73


class Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        self.print_usage(sys.stderr)
        self.exit(EX_USAGE, f"bench: {message}\n")


def parse(words: list[str]) -> argparse.Namespace:
    names = ",".join(kind.name.lower() for kind in ALL)
    usual = ",".join(kind.name.lower() for kind in ALL[:5])
    parser = Arguments(prog="bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of 2 s runs, for a rough estimate")
    parser.add_argument("--only", default=usual, metavar="NAMES", help=f"from {names} (default {usual})")
    parser.add_argument("--scheme", choices=["plain", "TLS"], help="measure only this scheme (default both)")
    parser.add_argument("--no-log", action="store_true", help="disable access logs")
    parser.add_argument("--seconds", type=_positive, metavar="N", help="length of each load run (default 5)")
    parser.add_argument("--rounds", type=_positive, metavar="N", help="number of rounds (default 3)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the Markdown to this file")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="draw plots (SVG) into this folder")
    options = parser.parse_args(words)
    options.kinds = [kind for kind in ALL if kind.name.lower() in options.only.lower().split(",")]
    unknown = set(options.only.lower().split(",")) - set(names.split(","))
    if unknown:
        parser.error(f"--only does not know {', '.join(sorted(unknown))}; it knows {names}")
    if options.out and not options.out.resolve().parent.is_dir():
        parser.error(f"--out {options.out}: there is no such folder; make it first")
    if options.plots and not options.plots.is_dir():
        parser.error(f"--plots {options.plots}: there is no such folder; make it first")
    return options


def plan_for(options: argparse.Namespace) -> Plan:
    seconds, rounds, starts_each = (2, 1, 3) if options.quick else (5, 3, 9)
    return Plan(options.seconds or seconds, options.rounds or rounds, starts_each)


def measure(options: argparse.Namespace, place: Workplace) -> str:
    plan, kinds = plan_for(options), options.kinds
    secure = [kind for kind in kinds if "TLS" in kind.schemes]
    generator = Generator(place)
    make_certificate(place)
    notes = make_site(place, kinds)
    check_handshakes(generator, place, kinds)
    with ExitStack() as stack:
        servers = [kind(place, connections=2 * MOST_CONNECTIONS) for kind in kinds]
        for server in servers:
            stack.callback(server.stop)
            server.start()
        wanted = [options.scheme] if options.scheme else ["plain", "TLS"]
        measured = {scheme: measurable(servers, scheme, notes) for scheme in wanted}
        steps = plan.rounds * sum(len(measured[each.scheme]) for each in plan.scenarios(wanted))
        progress = Progress(steps + (plan.starts + 1) * len(secure) + plan.rounds * len(LOOPS_SCENARIOS))
        facts = [check_equal(place, measured[scheme], scheme) for scheme in wanted]
        samples = under_load(generator, plan, measured, progress)
        rows = load_rows(samples) + memory_after_load(servers)
    if options.plots:
        # Only this option needs matplotlib.
        from plots import draw  # noqa: PLC0415

        draw(samples, options.plots)
    if Motivator in kinds:
        rows += loops(generator, plan, place, progress)
    rows += memory(place, secure, progress)
    rows.append(starts(place, secure, plan, progress))
    versions = [kind(place).version() for kind in kinds] + ["wrk: " + machine.first_line("wrk", "-v")]
    method = (
        f"Load: {plan.rounds} rounds of {plan.seconds} s each, medians; wrk with {THREADS} threads on the same cores; "
        f"access logs of motivator and nginx: {'on' if place.logs else 'off'}"
    )
    names = [kind.name for kind in kinds]
    return document(rows, names, [*machine.description(versions), method, *facts], notes + load_notes(samples))


def measurable(servers: list[Server], scheme: str, notes: list[str]) -> list[Server]:
    """Returns the servers that support the scheme, without servers whose responses are known to differ."""
    plainless = scheme == "plain" and any("motivator's plain port" in note for note in notes)
    return [
        server for server in servers if scheme in server.schemes and not (plainless and isinstance(server, Motivator))
    ]


def check_tools(kinds: list[type[Server]]) -> None:
    # libdispatch runs its threads at nice value 0, whatever the value of the process. The generator would win or lose.
    if os.nice(0) != 0:
        raise CannotMeasure(f"the nice value is {os.nice(0)}, which motivator's threads do not inherit; use 0")
    for tool in ("nginx", "wrk", "openssl", *(kind.tool for kind in kinds if hasattr(kind, "tool"))):
        if shutil.which(tool) is None:
            raise CannotMeasure(f"{tool} is not installed; scripts/bench installs it")
    for kind in kinds:
        binary = getattr(kind, "binary", None)
        if binary is not None and not binary.exists():
            raise CannotMeasure(f"{kind.name} is not built: {binary.name} does not exist; scripts/bench builds it")


def main(words: list[str]) -> int:
    options = parse(words)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        check_tools(options.kinds)
        with tempfile.TemporaryDirectory(prefix="motivator-bench-") as folder:
            text = measure(options, Workplace(Path(folder), logs=not options.no_log))
    except (CannotMeasure, OSError, subprocess.SubprocessError) as error:
        print(f"bench: could not measure: {error}", file=sys.stderr)
        return EX_UNAVAILABLE
    except KeyboardInterrupt:
        return 130
    print(text, end="")
    return write(options.out, text) if options.out else 0


def write(path: Path, text: str) -> int:
    try:
        path.write_text(text)
    except OSError as error:
        print(f"bench: {error}; the table is above", file=sys.stderr)
        return EX_CANTCREAT
    return 0


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return int(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

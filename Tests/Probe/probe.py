"""Probes a live server with third-party tools. scripts/probe sets up the tools and starts this program."""

import argparse
import functools
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from active import SLOW_MODES, schemathesis, slow, wapiti
from findings import (
    Judged,
    Part,
    document_differs,
    judge,
    read_accepted,
    table,
    write_document,
    write_report,
)
from headers import security_headers
from linters import httplint_all, redbot
from malformed import malformed
from scanners import sslscan, sslyze, testssl
from support.server import BINARY, ROOT, Server
from target import start

Probe = Callable[[Server, Path], Part]

SHORT: dict[str, Probe] = {
    "sslyze": sslyze,
    "headers": security_headers,
    "httplint": httplint_all,
    "malformed": malformed,
}
LONG: dict[str, Probe] = {
    "testssl": testssl,
    "sslscan": sslscan,
    "redbot": redbot,
    "schemathesis": schemathesis,
    "wapiti": wapiti,
    **{f"slow{values[0]}": functools.partial(slow, mode=mode) for mode, values in SLOW_MODES.items()},
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/probe", description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="run only the probes that need no additional tools")
    parser.add_argument("--only", action="append", choices=[*SHORT, *LONG], help="run this probe (repeatable)")
    parser.add_argument("--out", type=Path, help="folder for the report (default: a new temporary folder)")
    parser.add_argument("--write-docs", action="store_true", help="write the accepted findings to docs/probe.md")
    return parser.parse_args()


def report_folder(wanted: Path | None) -> Path:
    """Returns the report's folder. It is outside the repository, because a report contains addresses and responses."""
    folder = wanted.absolute() if wanted else Path(tempfile.mkdtemp(prefix="motivator-probe-"))
    if folder.resolve().is_relative_to(ROOT):
        sys.exit(f"probe: {folder} is inside the repository; choose a folder outside it for --out")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def probe_one(name: str, run: Probe, folder: Path, home: Path) -> Part:
    """Runs each probe against a separate server, so that the probes do not exhaust each other's limits."""
    server = start(home)
    began = time.monotonic()
    try:
        try:
            part = run(server, folder)
        except Exception as error:  # a failed tool is a finding, and the other probes still run
            part = Part(name, "failed")
            part.add("run", f"{type(error).__name__}: {error}")
        part.seconds = time.monotonic() - began
        try:
            server.stop()
        except AssertionError as error:
            part.add("server", f"it did not exit cleanly: {error}")
    finally:
        server.kill()
        (folder / f"{name}.server.log").write_text(server.err.text + "\n")
    return part


def main() -> int:
    options = arguments()
    acceptances = read_accepted()
    if options.write_docs:
        write_document(acceptances)
        return 0
    if not os.access(BINARY, os.X_OK):
        print(f"probe: no server at {BINARY}; build it or set MOTIVATOR", file=sys.stderr)
        return 69
    probes = SHORT if options.short else {**SHORT, **LONG}
    if options.only:
        probes = {name: run for name, run in {**SHORT, **LONG}.items() if name in options.only}
    folder = report_folder(options.out)
    rows: list[Judged] = []
    with tempfile.TemporaryDirectory(prefix="motivator-probe-home-") as homes:
        for name, run in probes.items():
            print(f"probe: {name}", file=sys.stderr)
            rows.append(judge(probe_one(name, run, folder, Path(homes) / name), acceptances))
    write_report(folder, rows, acceptances)
    print(table(rows))
    found = [finding for row in rows for finding in row.open]
    for row in rows:
        for finding in row.open:
            print(f"FINDING {row.part.tool}: {finding}")
    stale = document_differs(acceptances)
    if stale:
        print("docs/probe.md differs from Tests/Probe/accepted.toml: run scripts/probe --write-docs")
    print(f"The report is in {folder}.")
    return 1 if found or stale else 0


if __name__ == "__main__":
    sys.exit(main())

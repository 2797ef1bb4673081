"""Measures how fast motivator checks an association file of the maximum size and matches URLs against it."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / ".build/release/motivator"
LIMIT = 131_072
MATCHES = 10_000
APP = "D3KQX62K1A.com.example.App"


def component(number: int) -> dict[str, object]:
    """Returns a rule like those of large sites: folders, exclusions, inner wildcards and query items."""
    match number % 5:
        case 0:
            return {"/": f"/shop/section-{number}/*"}
        case 1:
            return {"/": f"/help/{number}", "exclude": True}
        case 2:
            return {"/": f"/*/article-{number}-?????"}
        case 3:
            return {"/": f"/search/{number}/*", "?": {"q": "?*"}}
        case _:
            return {"/": f"/$(lang)/news/{number}/*"}


def largest_file() -> tuple[bytes, int]:
    """Returns a file of exactly the maximum size that devices accept, and its number of rules."""
    components: list[dict[str, object]] = []
    size = 0
    while size < LIMIT - 400:
        components.append(component(len(components)))
        size += len(json.dumps(components[-1])) + 2
    file = {
        "webcredentials": {"apps": [APP]},
        "applinks": {"details": [{"appIDs": [APP], "components": components}]},
    }
    text = json.dumps(file).encode()
    return text + b" " * (LIMIT - len(text)), len(components)


def urls() -> bytes:
    """Returns URLs. Some match an early rule, some match a late rule, and some match none."""
    lines = []
    for number in range(MATCHES):
        path = [
            f"/shop/section-{number % 2000}/item/{number}",
            f"/en/news/{number % 2000}/today",
            f"/search/{number % 2000}/all?q=word&page={number}",
            f"/nothing/here/{number}",
        ][number % 4]
        lines.append(f"https://example.com{path}")
    return "\n".join(lines).encode()


def seconds(runs: int, *arguments: str, given: bytes = b"") -> list[float]:
    """Returns the duration of each run of the program."""
    found = []
    for _ in range(runs):
        started = time.perf_counter()
        done = subprocess.run([PROGRAM, *arguments], input=given, capture_output=True, timeout=60)
        found.append(time.perf_counter() - started)
        if done.returncode not in (0, 1):
            sys.exit(f"motivator {' '.join(arguments)} exited with status {done.returncode}: {done.stderr.decode()}")
    return found


def row(name: str, found: list[float], target: str, minus: float = 0) -> str:
    values = [f"{(value - minus) * 1000:.1f}" for value in (statistics.median(found), min(found), max(found))]
    return f"| {name} | {values[0]} | {values[1]} | {values[2]} | {target} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=20, help="runs of each command (default: 20)")
    options.add_argument("--out", type=pathlib.Path, help="also write the table to this file")
    chosen = options.parse_args()
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} does not exist: build it with scripts/build, or omit --no-build")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "site.json")
        content, rules = largest_file()
        file.write_bytes(content)
        url = "https://example.com/nothing/here"
        started = seconds(chosen.runs, "association", "explain", "json-comment")
        ordinary = pathlib.Path(folder, "ordinary.json")
        ordinary.write_text(json.dumps({"webcredentials": {"apps": [APP]}}))
        small = seconds(chosen.runs, "association", "check", str(ordinary), "--app", APP)
        checked = seconds(chosen.runs, "association", "check", str(file), "--app", APP)
        matched = seconds(chosen.runs, "association", "match", str(file), "--url", url)
        many = seconds(max(3, chosen.runs // 4), "association", "match", str(file), "--url", "-", given=urls())
    one = statistics.median(matched)
    lines = [
        f"A file of {LIMIT:,} bytes with {rules:,} rules; milliseconds of whole processes, {chosen.runs} runs each.",
        "",
        "| what | median | least | most | target |",
        "|---|--:|--:|--:|--:|",
        row("start alone (`explain`)", started, "-"),
        row("check of an ordinary file", small, "10"),
        row("check of the largest file", checked, "40"),
        row("match of a URL with the largest file", matched, "-"),
        row(f"match of {MATCHES:,} URLs, without the process for one URL", many, "-", minus=one),
    ]
    print("\n".join(lines))
    if chosen.out:
        chosen.out.write_text("\n".join(lines) + "\n")


main()

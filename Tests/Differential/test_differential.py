"""Random files, URLs and entitlement entries: the program and the model give the same results.

The model is a second implementation, written from the specification only. DIFFERENTIAL_CASES is the number of cases.
DIFFERENTIAL_SEED selects other cases. A failure prints a minimal file and URL. The test counts, but does not compare,
cases that the program does not decide or that have no specified result.
"""

import copy
import json
import os
import plistlib
import random
import re
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from generator import APPS, UNDEFINED, make_entry, make_file, make_url
from model import Matcher, Unspecified
from model_entries import PROFILES, SERVICES, Entry, Status
from support.server import BINARY, environment
from support.wire import ADDRESS

CASES = int(os.environ.get("DIFFERENTIAL_CASES", "5000"))
SEED = os.environ.get("DIFFERENTIAL_SEED", "1")
# Four of five cases are URLs, and one is an entry.
URLS, ENTRIES = CASES - CASES // 5, CASES // 5
# Few URLs per file give more variety. Many URLs reduce the number of program starts in a long run.
URLS_PER_FILE = 25 if CASES < 100_000 else 100
ENTRIES_PER_RUN = 1000
# The simulated device sends a request for each entry without a mode, so it installs only some entries.
INSTALLED_PER_RUN = 20
# The time limit in seconds for a test: a start and a time for each case, with a margin for a busy machine.
SECONDS_PER_CASE, SECONDS_TO_START = 0.03, 600
# Minimizing a file and a URL needs many runs of the program.
SECONDS_PER_REPORT = 15
# The number of entries that a failure prints.
SHOWN = 5
SEVERITIES = {"note": Status.accepted, "warning": Status.warning, "error": Status.denied}
EVERY_SERVICE = {
    "applinks": {"details": [{"appIDs": APPS[:1], "components": [{"/": "/buy/*"}]}]},
    **{service: {"apps": APPS[:1]} for service in SERVICES if service != "applinks"},
}


def program(home: Path, *arguments: str, given: str = "") -> str:
    done = subprocess.run(
        [BINARY, *arguments], cwd=home, env=environment(home), input=given.encode(), capture_output=True, timeout=120
    )
    assert done.returncode in (0, 1), (arguments, done.returncode, done.stderr.decode())
    return done.stdout.decode()


def program_decides(home: Path, file: dict, urls: list[str], app: str | None) -> list[tuple[str, str | None]]:
    """Returns the program's result and app for each URL."""
    (home / "file.json").write_text(json.dumps(file))
    options = ["--app", app] if app else []
    output = program(
        home, "association", "match", "file.json", "--url", "-", "--json", *options, given="\n".join(urls) + "\n"
    )
    results = [(result["result"], result["app"]) for result in json.loads(output)["results"]]
    assert len(results) == len(urls), (len(results), len(urls))
    return results


def model_decides(matcher: Matcher, url: str, app: str | None) -> tuple[str, list[str]]:
    """Returns the model's result, and the apps that open the URL."""
    results = matcher.decide(url)
    if app:
        results = {app: results[app]} if app in results else {}
    opened = [app for app, result in results.items() if result == "matched"]
    return "matched" if opened else "blocked" if results else "unmatched", opened


def agree(expected: tuple[str, list[str]], actual: tuple[str, str | None]) -> bool:
    """Compares the results.

    If several apps open the URL, the program may report any of them. The specification defines an order of the
    details for each app, but no order of the apps. With --app, the comparison is exact.
    """
    return expected[0] == actual[0] and (expected[0] != "matched" or actual[1] in expected[1])


def smaller(value: object) -> Iterator[object]:
    """Returns variants of the value. Each variant lacks one part."""
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            less = copy.copy(value)
            del less[key]
            yield less
        for key in keys:
            for part in smaller(value[key]):
                changed = copy.copy(value)
                changed[key] = part
                yield changed
    elif isinstance(value, str):
        for size in (length for length in (64, 16, 4, 1) if length <= len(value)):
            yield from (value[:at] + value[at + size :] for at in range(0, len(value), size))


def smallest(value: object, differs: Callable[[object], bool]) -> object:
    """Removes parts as long as the difference remains."""
    for part in smaller(value):
        try:
            shows = differs(part)
        except (Unspecified, AssertionError, LookupError, TypeError, AttributeError):
            shows = False
        if shows:
            return smallest(part, differs)
    return value


def explained(home: Path, url: str, file: dict, app: str | None) -> str:
    """Returns a report of the smallest file and URL that produce a difference."""

    def answers(pair: list) -> tuple[tuple[str, list[str]], tuple[str, str | None]]:
        assert re.match(r"https://example\.com([/?#]|$)", pair[0]) and not re.search(UNDEFINED, unquote(pair[0]))
        assert not re.search(r"%(?![0-9A-Fa-f]{2})", pair[0])
        return model_decides(Matcher(pair[1]), pair[0], app), program_decides(home, pair[1], [pair[0]], app)[0]

    original = [result[0] for result in answers([url, file])]
    deadline = time.monotonic() + SECONDS_PER_REPORT

    def differs(pair: list) -> bool:
        if time.monotonic() > deadline:
            return False
        expected, actual = answers(pair)
        return not agree(expected, actual) and [expected[0], actual[0]] == original

    url, file = smallest([url, file], differs)
    expected, actual = answers([url, file])
    shown = json.dumps(file, ensure_ascii=False)
    return f"file: {shown}\nURL: {url}\napp: {app}\nmodel: {expected}\nprogram: {actual}"


def summary(name: str, counts: Counter, started: float) -> str:
    parts = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f"{name}: {parts}, {time.monotonic() - started:.1f} s"


@pytest.mark.timeout(SECONDS_TO_START + URLS * SECONDS_PER_CASE)
def test_the_program_and_the_model_decide_urls_alike(tmp_path: Path) -> None:
    counts: Counter = Counter()
    # One report for each kind of difference.
    reports: dict[tuple[str, str], str] = {}
    started = time.monotonic()
    for number in range(-(-URLS // URLS_PER_FILE)):
        source = random.Random(f"{SEED} file {number}")
        file = make_file(source)
        urls = [make_url(source, file) for _ in range(min(URLS_PER_FILE, URLS - number * URLS_PER_FILE))]
        app = source.choice(APPS) if source.random() < 0.4 else None
        matcher = Matcher(file)
        for url, actual in zip(urls, program_decides(tmp_path, file, urls, app), strict=True):
            if actual[0] == "undecided":
                counts["undecided"] += 1
                continue
            try:
                expected = model_decides(matcher, url, app)
            except Unspecified:
                counts["unspecified"] += 1
                continue
            counts[expected[0]] += 1
            if not agree(expected, actual):
                counts["different"] += 1
                kind = expected[0], actual[0]
                if kind not in reports:
                    reports[kind] = explained(tmp_path, url, file, app)
    print(summary("URLs", counts, started))
    assert not reports, "\n\n".join([f"{counts['different']} differences", *reports.values()])
    assert all(counts[result] > URLS / 50 for result in ("matched", "blocked", "unmatched")), counts
    assert counts["undecided"] + counts["unspecified"] < URLS / 10, counts


def effects(home: Path) -> dict[str, dict[str, str]]:
    """Returns the effect of each issue code for each profile."""
    issues = json.loads(program(home, "association", "explain", "--json"))
    return {issue["code"]: issue["effects"] for issue in issues}


def write_entries(home: Path, entries: list[str]) -> None:
    with open(home / "app.entitlements", "wb") as file:
        # The issues for an XML file state its lines. The issues for a binary file state the entries.
        plistlib.dump({"com.apple.developer.associated-domains": entries}, file, fmt=plistlib.FMT_BINARY)


def program_reads(
    home: Path, entries: list[str], meanings: dict[str, dict[str, str]]
) -> tuple[dict[str, dict[str, Status]], dict[str, str]]:
    """Returns the program's status of each entry in each profile, and the combined verdicts of all entries.

    Next to a valid entry, the report lowers a denial to a warning. The issue code distinguishes an ignored entry from
    an entry that is accepted with a warning.
    """
    write_entries(home, entries)
    (home / "file.json").write_text(json.dumps(EVERY_SERVICE))
    report = json.loads(
        program(
            home,
            *("association", "check", "file.json", "--entitlements", "app.entitlements", "--profile", "all", "--json"),
        )
    )
    statuses = {entry: dict.fromkeys(PROFILES, Status.accepted) for entry in entries}
    for issue in report["issues"]:
        for profile, severity in issue["severities"].items() if issue["subject"] in statuses else ():
            status = SEVERITIES[severity]
            if status == Status.warning and meanings[issue["code"]].get(profile) == "denial":
                status = Status.denied
            statuses[issue["subject"]][profile] = max(status, statuses[issue["subject"]][profile])
    return statuses, report["verdicts"]


def program_installs(home: Path, entries: list[str]) -> tuple[set[str], set[str]]:
    """Returns the entries that the simulated device ignores, and its form of the other entries."""
    write_entries(home, entries)
    state = home / "device.json"
    state.unlink(missing_ok=True)
    with socket.socket() as closed:
        # Nothing listens on this port, so each request fails immediately.
        closed.bind((ADDRESS, 0))
        report = json.loads(
            program(
                home,
                *("device", "install", "--app", APPS[0], "--entitlements", "app.entitlements", "--json"),
                *("--state", str(state), "--connect-to", f"::{ADDRESS}:{closed.getsockname()[1]}"),
            )
        )
    return {dropped["entry"] for dropped in report["dropped"]}, {used["entry"] for used in report["associations"]}


def model_reads(entry: str) -> Entry | None:
    try:
        return Entry(entry)
    except Unspecified:
        return None


def names(statuses: dict[str, Status]) -> str:
    return ", ".join(f"{profile} {status.name}" for profile, status in statuses.items())


@pytest.mark.timeout(SECONDS_TO_START + ENTRIES * SECONDS_PER_CASE)
def test_the_program_and_the_model_read_entries_alike(tmp_path: Path) -> None:
    counts: Counter = Counter()
    differences: list[str] = []
    meanings = effects(tmp_path)
    started = time.monotonic()
    for number in range(-(-ENTRIES // ENTRIES_PER_RUN)):
        source = random.Random(f"{SEED} entries {number}")
        size = min(ENTRIES_PER_RUN, ENTRIES - number * ENTRIES_PER_RUN)
        unique: dict[str, Entry | None] = {}
        while len(unique) < size:
            entry = make_entry(source)
            unique[entry] = model_reads(entry)
        actual, verdicts = program_reads(tmp_path, list(unique), meanings)
        for entry, model in unique.items():
            if not model:
                counts["unspecified"] += 1
                continue
            expected = model.statuses()
            counts[f"{model.device.name} by devices"] += 1
            if actual[entry] != expected:
                differences.append(f"{entry}\nmodel: {names(expected)}\nprogram: {names(actual[entry])}")
        known = {entry: model for entry, model in unique.items() if model}
        sample = source.sample(list(known), min(INSTALLED_PER_RUN, len(known)))
        dropped, used = program_installs(tmp_path, sample)
        if dropped != {entry for entry in sample if not known[entry].canonical}:
            differences.append(f"the device drops {sorted(dropped)} of {sample}")
        if used != {known[entry].canonical for entry in sample} - {None}:
            differences.append(f"the device uses {sorted(used)} of {sample}")
        # On its own, an entry that the device ignores or the documentation rejects results in a denied association.
        alone = sample[0]
        _, verdicts = program_reads(tmp_path, [alone], meanings)
        for profile in ("device", "documented", "ios9"):
            denied = known[alone].statuses()[profile] == Status.denied
            if (verdicts[profile] == "denied") != denied:
                differences.append(f"{alone} alone: {profile} {verdicts[profile]}")
        counts["installed"] += len(sample)
    counts["different"] = len(differences)
    print(summary("Entries", counts, started))
    shortest = sorted(differences, key=len)[:SHOWN]
    assert not differences, "\n\n".join([f"{len(differences)} differences", *shortest])
    assert all(counts[f"{status.name} by devices"] > ENTRIES / 50 for status in Status), counts
    assert counts["unspecified"] < ENTRIES / 10, counts

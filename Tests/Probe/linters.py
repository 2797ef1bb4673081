"""Linters for responses: httplint on recorded exchanges, and redbot on live pages."""

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httplint

from exchanges import STATUSES, Exchange, all_exchanges, routes
from findings import Part
from support.server import ROOT, Server
from support.wire import ADDRESS
from target import run

LEVELS = (httplint.levels.BAD, httplint.levels.WARN)
REDBOT = ROOT / ".venv-probe/redbot/bin/redbot"
REDBOT_LIMIT = 60.0


def lint(exchange: Exchange) -> list[tuple[str, str]]:
    """Returns the level and summary of each note on a response, including nested notes."""
    asked = httplint.HttpRequestLinter()
    asked.process_request_topline(exchange.method.encode(), exchange.target.encode(), b"1.1")
    asked.process_headers([tuple(part.strip().encode() for part in line.split(":", 1)) for line in exchange.lines])
    asked.finish_content(True)
    answer = exchange.answer
    linter = httplint.HttpResponseLinter(start_time=time.time(), _related=asked)
    linter.is_head_response = exchange.method == "HEAD"
    linter.process_response_topline(b"1.1", str(answer.status).encode(), answer.reason.encode())
    linter.process_headers([(name.encode(), value.encode("latin-1")) for name, value in answer.fields])
    if answer.content:
        linter.feed_content(answer.content)
    linter.finish_content(True)
    notes = [note for parent in linter.notes for note in (parent, *parent.subnotes)]
    return [(note.level.name, f"{note.category.value}: {note.summary}") for note in notes if note.level in LEVELS]


def httplint_all(server: Server, folder: Path) -> Part:
    """Lints the response of every route and status. Equal notes on several responses become one finding per status."""
    exchanges = all_exchanges(server)
    part = Part("httplint", f"{len(exchanges)} responses of every route")
    seen: dict[tuple[str, str], list[str]] = {}
    for exchange in exchanges:
        for level, summary in lint(exchange):
            seen.setdefault((str(exchange.answer.status), f"{level} {summary}"), []).append(exchange.name)
    for (status, note), names in seen.items():
        part.add(f"{status} [{len(names)}, first {names[0]}]", note)
    counts = Counter(exchange.answer.status for exchange in exchanges)
    missing = STATUSES - set(counts)
    if missing:
        part.add("coverage", f"no response has the status {', '.join(str(status) for status in sorted(missing))}")
    lines = [f"{status} × {count}" for status, count in sorted(counts.items())]
    lines += [f"{status} {note}\n    " + "\n    ".join(names) for (status, note), names in seen.items()]
    (folder / "httplint.txt").write_text("\n".join(lines) + "\n")
    part.note = f"{len(counts)} statuses"
    return part


def redbot(server: Server, folder: Path) -> Part:
    """Runs redbot on every route, with its own conditional, partial and compressed requests.

    redbot resolves names only with DNS, so it gets the address. It sends only GET.
    """
    targets = [f"https://{ADDRESS}:{server.port}{path}" for path in routes(server)]
    targets += [f"http://{ADDRESS}:{server.plain_port}{path}" for path in ("/", "/signin", "/api/signin")]
    part = Part("redbot", f"{len(targets)} locations")

    def fetch(number: int) -> str:
        command: list[str | Path] = [REDBOT, "-o", "har", targets[number]]
        log = f"redbot-{number:02}.har"
        return run(command, folder, log, REDBOT_LIMIT, SSL_CERT_FILE=str(server.authority)).stdout

    with ThreadPoolExecutor(2) as pool:
        outputs = list(pool.map(fetch, range(len(targets))))
    statuses: Counter[int] = Counter()
    for target, output in zip(targets, outputs, strict=True):
        subject = f"{'plain ' if target.startswith('http:') else ''}/{target.split('/', 3)[3]}"
        try:
            (entry,) = json.loads(output)["log"]["entries"]
        except ValueError:
            part.add(subject, f"redbot got no response: {output[:120]}")
            continue
        statuses[entry["response"]["status"]] += 1
        for parent in entry["_red_messages"]:
            for note in (parent, *parent.get("subnotes", ())):
                if note["level"] in ("BAD", "WARN"):
                    part.add(f"{subject} {entry['response']['status']}", f"{note['level']} {note['summary']}")
    part.note = ", ".join(f"{status} × {count}" for status, count in sorted(statuses.items()))
    return part

"""Findings, the list of accepted findings, and the table that a run prints."""

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ACCEPTED = HERE / "accepted.toml"
DOCUMENT = HERE.parents[1] / "docs/probe.md"
BEGIN, END = "<!-- accepted findings: begin -->", "<!-- accepted findings: end -->"


@dataclass(frozen=True)
class Finding:
    """A tool's finding about a subject, such as a route, a status or a test."""

    subject: str
    text: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.text}"


@dataclass
class Part:
    """A row of the table: the work of a tool, and its findings."""

    tool: str
    ran: str
    findings: list[Finding] = field(default_factory=list)
    note: str = ""
    seconds: float = 0.0

    def add(self, subject: str, text: str) -> None:
        self.findings.append(Finding(subject, " ".join(text.split())))


@dataclass
class Acceptance:
    """A kind of finding that is not a defect of the server, and the reason."""

    tool: str
    pattern: re.Pattern[str]
    judgement: str
    reason: str
    seen: int = 0

    def covers(self, tool: str, finding: Finding) -> bool:
        return tool == self.tool and self.pattern.fullmatch(str(finding)) is not None


def read_accepted(path: Path = ACCEPTED) -> list[Acceptance]:
    """Reads the list. An entry is "wrong" (the tool is mistaken) or "accepted" (correct, but not a defect)."""
    entries = []
    for entry in tomllib.loads(path.read_text())["accepted"]:
        if set(entry) != {"tool", "pattern", "judgement", "reason"} or entry["judgement"] not in ("wrong", "accepted"):
            raise ValueError(f"{path}: an entry needs tool, pattern, judgement (wrong, accepted) and reason: {entry}")
        pattern = re.compile(entry["pattern"])
        entries.append(Acceptance(entry["tool"], pattern, entry["judgement"], " ".join(entry["reason"].split())))
    return entries


@dataclass
class Judged:
    """The findings of a part of the probe, classified by the list."""

    part: Part
    accepted: list[tuple[Finding, Acceptance]]
    open: list[Finding]

    @property
    def verdict(self) -> str:
        if self.open:
            return "FINDING"
        return "accepted" if self.accepted else "ok"


def judge(part: Part, acceptances: Iterable[Acceptance]) -> Judged:
    judged = Judged(part, [], [])
    for finding in part.findings:
        cover = next((entry for entry in acceptances if entry.covers(part.tool, finding)), None)
        if cover:
            cover.seen += 1
            judged.accepted.append((finding, cover))
        else:
            judged.open.append(finding)
    return judged


def table(rows: Sequence[Judged]) -> str:
    """Returns a table with a line per part and aligned columns."""
    lines = [("tool", "what ran", "open", "accepted", "judged", "s", "note")]
    lines += [
        (
            row.part.tool,
            row.part.ran,
            str(len(row.open)),
            str(len(row.accepted)),
            row.verdict,
            f"{row.part.seconds:.0f}",
            row.part.note,
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(7)]
    rendered = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    rendered.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in rendered)


def write_report(folder: Path, rows: Sequence[Judged], acceptances: Sequence[Acceptance]) -> None:
    """Writes report.txt for people and report.json for programs."""
    text = [table(rows), ""]
    for row in rows:
        text.append(f"== {row.part.tool}: {row.part.ran}")
        text += [f"OPEN      {finding}" for finding in row.open]
        text += [f"{cover.judgement:9} {finding}\n          ({cover.reason})" for finding, cover in row.accepted]
        text.append("")
    text += ["== entries in the list that this run did not need"]
    text += [f"{entry.tool}: {entry.pattern.pattern}" for entry in acceptances if not entry.seen]
    (folder / "report.txt").write_text("\n".join(text) + "\n")
    document = [
        {
            "tool": row.part.tool,
            "ran": row.part.ran,
            "verdict": row.verdict,
            "note": row.part.note,
            "open": [str(finding) for finding in row.open],
            "accepted": [{"finding": str(finding), "reason": cover.reason} for finding, cover in row.accepted],
        }
        for row in rows
    ]
    (folder / "report.json").write_text(json.dumps(document, indent=2) + "\n")


def documented(acceptances: Iterable[Acceptance]) -> str:
    """Returns the list as the table of docs/probe.md."""
    lines = ["| tool | finding (regular expression) | judged | reason |", "|---|---|---|---|"]
    for entry in acceptances:
        pattern = entry.pattern.pattern.replace("|", "\\|")
        lines.append(f"| {entry.tool} | `{pattern}` | {entry.judgement} | {entry.reason} |")
    return "\n".join(lines)


def document_differs(acceptances: Iterable[Acceptance], document: Path = DOCUMENT) -> bool:
    _, _, rest = document.read_text().partition(BEGIN + "\n")
    return rest.partition("\n" + END)[0] != documented(acceptances)


def write_document(acceptances: Iterable[Acceptance], document: Path = DOCUMENT) -> None:
    text = document.read_text()
    before, begin, rest = text.partition(BEGIN + "\n")
    _, end, after = rest.partition("\n" + END)
    if not begin or not end:
        raise ValueError(f"{document} has no lines {BEGIN} and {END}")
    document.write_text(before + begin + documented(acceptances) + end + after)

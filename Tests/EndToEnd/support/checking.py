"""`motivator association` as a command: its results read strictly."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.server import BINARY, TRACE, environment
from support.wire import ADDRESS

YES, NO, USAGE, BAD_INPUT, NO_INPUT, UNAVAILABLE, RETRY, NOT_PERMITTED = 0, 1, 64, 65, 66, 69, 75, 77
READINGS = ("documented", "device", "legacy")
VERDICTS = ("associated", "denied", "retry")
SEVERITIES = ("error", "warning", "note")
SERVICES = ("webcredentials", "applinks", "appclips", "activitycontinuation")
LIMIT = 30.0
# Everything that commands a terminal, but for the line end.
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]")


@dataclass(frozen=True)
class Done:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


def association(
    home: Path, *arguments: str | bytes | Path, given: bytes = b"", variables: dict[str, str] | None = None
) -> Done:
    """Runs `motivator association` in `home` until it ends by itself."""
    return command(home, "association", *arguments, given=given, variables=variables)


def command(
    home: Path, *arguments: str | bytes | Path, given: bytes = b"", variables: dict[str, str] | None = None
) -> Done:
    """Runs `motivator` in `home` until it ends by itself."""
    done = subprocess.run(
        [BINARY, *(one if isinstance(one, bytes) else str(one) for one in arguments)],
        cwd=home,
        env=environment(home) | (variables or {}),
        input=given,
        capture_output=True,
        timeout=LIMIT,
    )
    err = done.stderr.decode()
    assert not TRACE.search(err), err
    assert done.returncode >= 0, f"ended by signal {-done.returncode}: {err}"
    assert not CONTROL.search(err), repr(err)
    return Done(done.returncode, done.stdout, err)


def refused(done: Done, code: int, *words: str) -> None:
    """The exit code, nothing on standard output, and a sentence with the words."""
    assert done.code == code, done
    assert done.out == b""
    for word in words:
        assert word in done.err, done.err


@dataclass(frozen=True)
class Report:
    """The JSON document of a check, and the exit code."""

    code: int
    document: dict[str, Any]

    @property
    def verdicts(self) -> tuple[str, str, str]:
        told = self.document["verdicts"]
        return told["documented"], told["device"], told["legacy"]

    @property
    def codes(self) -> set[str]:
        return {finding["code"] for finding in self.document["findings"]}

    def codes_of(self, *groups: str) -> set[str]:
        return {code for code in self.codes if code.startswith(tuple(f"{group}-" for group in groups))}

    @property
    def placed(self) -> list[str]:
        """The findings as `code`, or `code@line:column`, in the order of the alphabet."""
        return sorted(
            finding["code"] + ("@{line}:{column}".format(**finding["place"]) if "place" in finding else "")
            for finding in self.document["findings"]
        )

    def finding(self, code: str) -> dict[str, Any]:
        return next(finding for finding in self.document["findings"] if finding["code"] == code)


def check(home: Path, *arguments: str | bytes | Path, given: bytes = b"", verdict: int | None = None) -> Report:
    """Runs `check --json` and holds its document to the published form."""
    done = association(home, "check", "--json", *arguments, given=given)
    assert done.err == "", done.err
    assert done.out.endswith(b"\n")
    document = json.loads(done.out)
    hold_to_the_form(document)
    if verdict is not None:
        assert done.code == verdict, done.text
    return Report(done.code, document)


def steered(port: int, name: str, at: int = 443) -> tuple[str, str]:
    return "--connect-to", f"{name}:{at}:{ADDRESS}:{port}"


def hold_to_the_form(document: Any) -> None:
    """The form that scripts depend on; every member is named here, so that none comes or goes unseen."""
    members(document, target=str, verdicts=dict, findings=list, fetches=list, services=dict)
    assert tuple(document["verdicts"]) == READINGS
    assert set(document["verdicts"].values()) <= set(VERDICTS)
    for finding in document["findings"]:
        optional: dict[str, Any] = {"place": dict} if "place" in finding else {}
        members(
            finding,
            code=str,
            severity=str,
            readings=list,
            message=str,
            remedy=str,
            subject=str,
            source=str,
            **optional,
        )
        assert re.fullmatch("[a-z]+(-[a-z0-9]+)+", finding["code"]), finding
        assert finding["severity"] in SEVERITIES
        assert finding["readings"]
        assert finding["readings"] == [one for one in READINGS if one in finding["readings"]]
        assert finding["message"] and finding["source"]
        if "place" in finding:
            members(finding["place"], line=int, column=int)
            assert finding["place"]["line"] >= 1 and finding["place"]["column"] >= 1
    for fetch in document["fetches"]:
        members(
            fetch,
            url=str,
            status=(int, None),
            content_type=(str, None),
            bytes=(int, None),
            tls=(str, None),
            address=(str, None),
            milliseconds=int,
            error=(str, None),
        )
        assert fetch["url"].startswith("https://")
    for service, told in document["services"].items():
        assert service in SERVICES
        members(told, apps=list)
        assert all(isinstance(app, str) for app in told["apps"])


def members(value: Any, /, **kinds: Any) -> None:
    assert isinstance(value, dict), value
    assert set(value) == set(kinds), value
    for name, kind in kinds.items():
        known = kind if isinstance(kind, tuple) else (kind,)
        assert any(value[name] is None if one is None else type(value[name]) is one for one in known), (name, value)


def corpus() -> Path | None:
    """Real files that are not part of the repository."""
    return Path(os.environ["ASSOCIATION_CORPUS"]) if "ASSOCIATION_CORPUS" in os.environ else None

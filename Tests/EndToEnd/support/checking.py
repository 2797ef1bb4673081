"""Runs `motivator association` as a command, and parses its results strictly."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from support.server import BINARY, TRACE, environment
from support.waiting import LIMIT
from support.wire import ADDRESS

YES, NO, USAGE, BAD_INPUT, NO_INPUT, UNAVAILABLE, RETRY, NOT_PERMITTED = 0, 1, 64, 65, 66, 69, 75, 77
PROFILES = ("device", "documented", "ios9", "ios8")
# Control characters of a terminal, except the line break.
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
    home: Path,
    *arguments: str | bytes | Path,
    given: bytes = b"",
    variables: dict[str, str] | None = None,
    limit: float = LIMIT,
    through: tuple[str, ...] = (),
) -> Done:
    """Runs `motivator association` in `home` until it exits."""
    return command(home, "association", *arguments, given=given, variables=variables, limit=limit, through=through)


def command(
    home: Path,
    *arguments: str | bytes | Path,
    given: bytes = b"",
    variables: dict[str, str] | None = None,
    limit: float = LIMIT,
    through: tuple[str, ...] = (),
) -> Done:
    """Runs `motivator` in `home` until it exits. `through` is a command that starts it."""
    done = subprocess.run(
        [*through, BINARY, *(one if isinstance(one, bytes) else str(one) for one in arguments)],
        cwd=home,
        env=environment(home) | (variables or {}),
        input=given,
        capture_output=True,
        timeout=limit,
    )
    err = done.stderr.decode()
    assert not TRACE.search(err), err
    assert done.returncode >= 0, f"killed by signal {-done.returncode}: {err}"
    assert not CONTROL.search(err), repr(err)
    return Done(done.returncode, done.stdout, err)


def refused(done: Done, code: int, *words: str) -> None:
    """Asserts the exit code, an empty standard output, and an error message that contains the words."""
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
        """The verdicts of documented, device and ios8."""
        verdicts = self.document["verdicts"]
        return verdicts["documented"], verdicts["device"], verdicts["ios8"]

    @property
    def codes(self) -> set[str]:
        return {issue["code"] for issue in self.document["issues"]}

    def codes_of(self, *groups: str) -> set[str]:
        return {code for code in self.codes if code.startswith(tuple(f"{group}-" for group in groups))}

    @property
    def placed(self) -> list[str]:
        """The sorted issues, each as `code` or `code@line:column`."""
        return sorted(
            issue["code"] + ("@{line}:{column}".format(**issue["location"]) if "location" in issue else "")
            for issue in self.document["issues"]
        )

    def issue(self, code: str) -> dict[str, Any]:
        return next(issue for issue in self.document["issues"] if issue["code"] == code)


def check(home: Path, *arguments: str | bytes | Path, given: bytes = b"", verdict: int | None = None) -> Report:
    """Runs `check --json` with all profiles, treats the test hosts as public, and validates the document."""
    profile = () if "--profile" in arguments else ("--profile", "all")
    done = association(home, "check", "--json", "--assume-public", *profile, *arguments, given=given)
    assert done.err == "", done.err
    assert done.out.endswith(b"\n")
    document = json.loads(done.out)
    validate(home, document)
    if verdict is not None:
        assert done.code == verdict, done.text
    return Report(done.code, document)


def steered(port: int, name: str, at: int = 443) -> tuple[str, str]:
    return "--connect-to", f"{name}:{at}:{ADDRESS}:{port}"


def validate(home: Path, document: Any) -> None:
    """Validates a report against the program's schema. Also checks rules that a schema cannot express."""
    schema(home).validate(document)
    for report in document.get("results", [document]):
        assert tuple(report["verdicts"]) == tuple(one for one in PROFILES if one in report["verdicts"])
        for issue in report["issues"]:
            assert re.fullmatch("[a-z]+(-[a-z0-9]+)+", issue["code"]), issue
            assert issue["profiles"] == list(issue["severities"])
            assert issue["severity"] in issue["severities"].values()
            assert issue["message"][-1] in ".?", issue
            assert not issue["fix"] or issue["fix"].endswith("."), issue
            if "location" in issue:
                assert issue["location"]["line"] >= 1 and issue["location"]["column"] >= 1
        for fetch in report["fetches"]:
            assert fetch["url"].startswith("https://")


_schemas: list[jsonschema.Draft202012Validator] = []


def schema(home: Path) -> jsonschema.Draft202012Validator:
    """The JSON schema of reports, shared by all tests."""
    if not _schemas:
        document = json.loads(association(home, "explain", "--schema").out)
        jsonschema.Draft202012Validator.check_schema(document)
        _schemas.append(jsonschema.Draft202012Validator(document))
    return _schemas[0]


def members(value: Any, /, **kinds: Any) -> None:
    assert isinstance(value, dict), value
    assert set(value) == set(kinds), value
    for name, kind in kinds.items():
        known = kind if isinstance(kind, tuple) else (kind,)
        assert any(value[name] is None if one is None else type(value[name]) is one for one in known), (name, value)


def corpus() -> Path | None:
    """Returns real files that are not part of the repository."""
    return Path(os.environ["ASSOCIATION_CORPUS"]) if "ASSOCIATION_CORPUS" in os.environ else None

"""`association check` of files: each fault with its code, its location and the verdict of each profile."""

import codecs
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.checking import NO, YES, check
from support.keys import APPS, OTHER_APP, association, padded_association

APP = APPS[0]
A, D = "associated", "denied"
TAKEN, DENIED = (A, A, D), (D, D, D)
LINKS = {"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/buy/*"}]}]}}
RTF = b"{\\rtf1\\ansi\\ansicpg1252\n{\\fonttbl\\f0\\fswiss Helvetica;}\n\\f0 \\{\\}\n}"


@dataclass(frozen=True)
class Case:
    """A file, the options, the exact issues (code@line:column) except signature-missing, and the verdicts."""

    name: str
    content: bytes
    findings: tuple[str, ...]
    verdicts: tuple[str, str, str] = DENIED
    asked: tuple[str, ...] = ()


def of(value: object) -> bytes:
    return json.dumps(value).encode()


def apps(value: object) -> bytes:
    return of({"webcredentials": {"apps": value}})


ASKING = ("--app", APP)
CASES = [
    Case("right", association(), (), TAKEN, ASKING),
    Case("exactly 131,072 bytes", padded_association(131_072), ("file-nearly-too-large",), TAKEN),
    Case("131,073 bytes", padded_association(131_073), ("file-too-large",)),
    Case("16 MB", padded_association(16 << 20), ("file-too-large",)),
    Case("empty", b"", ("json-empty@1:1",)),
    Case("spaces alone", b" \n\t\r\n", ("json-empty@1:1",)),
    Case("BOM", codecs.BOM_UTF8 + association(), ("json-byte-order-mark@1:1",), TAKEN),
    Case("UTF-16", association().decode().encode("utf-16"), ("json-encoding@1:1",)),
    Case("UTF-16 without a mark", association().decode().encode("utf-16-le"), ("json-encoding@1:1",)),
    Case("UTF-32", association().decode().encode("utf-32"), ("json-encoding@1:1",)),
    Case("trailing comma", b'{"webcredentials": {"apps": ["%b",]}}' % APP.encode(), ("json-trailing-comma@1:62",)),
    Case("comment", b"// why\n" + association(), ("json-comment@1:1",)),
    Case("comment behind", association() + b"\n/* why */\n", ("json-comment@9:1",)),
    Case(
        "typographic quotes",
        '{\n  “webcredentials”: {\n    "apps": []\n  }\n}'.encode(),
        ("apps-empty@3:13", "app-none@1:1", "json-typographic-quote@2:3"),
    ),
    Case(
        "missing comma",
        b'{"webcredentials": {"apps": ["%b"]}\n"appclips": {"apps": ["%b"]}}' % ((APP.encode(),) * 2),
        ("json-missing-comma@1:64",),
    ),
    Case("array at top", b"[]", ("file-not-an-object@1:1",)),
    Case("string at top", b'\n "x"', ("file-not-an-object@2:2",)),
    Case("RTF", RTF, ("json-rich-text@1:1",)),
    Case("HTML", b"<!DOCTYPE html><title>x</title>", ("json-html@1:1",)),
    Case("cut off", association()[:-2], ("json-cut-off@7:4",)),
    Case("two objects", association() + b"\n{}", ("json-extra-content@9:1",)),
    Case("invalid UTF-8", apps([APP]) + b"\xff", ("json-invalid-utf8@1:65",)),
    Case("an image", b"\x89PNG\r\n\x1a\n" + bytes(64), ("file-neither-json-nor-cms",)),
    Case("DER that is no CMS", bytes([0x30, 0x82, 0x01, 0x00, 0x02, 0x01, 0x05]), ("signature-malformed",)),
    Case(
        "duplicate key",
        b'{"webcredentials": {"apps": ["%b"]},\n "webcredentials": {"apps": []}}' % APP.encode(),
        ("json-duplicate-key@2:2",),
        TAKEN,
        ASKING,
    ),
    Case("app missing", apps([OTHER_APP]), ("app-not-listed@1:1",), DENIED, ASKING),
    Case(
        "app only in applinks",
        of({"webcredentials": {"apps": [OTHER_APP]}} | LINKS),
        ("app-listed-elsewhere@1:101", "app-not-for-every-service@1:1"),
        TAKEN,
        ASKING,
    ),
    Case(
        "app only in applinks, and asked for credentials",
        of({"webcredentials": {"apps": [OTHER_APP]}} | LINKS),
        ("app-listed-elsewhere@1:101",),
        DENIED,
        (*ASKING, "--service", "webcredentials"),
    ),
    Case("links alone", of(LINKS), (), TAKEN, ASKING),
    Case(
        "links alone, and asked for credentials",
        of(LINKS),
        ("service-missing@1:1",),
        DENIED,
        (*ASKING, "--service", "webcredentials"),
    ),
    Case("no service", b"{}", ("service-none@1:1",), DENIED, ASKING),
    Case("links asked for", of(LINKS), ("service-not-in-version@1:1",), TAKEN, (*ASKING, "--service", "applinks")),
    Case(
        "wildcard bundle id",
        apps(["D3KQX62K1A.com.example.*"]),
        ("app-not-listed@1:1", "app-wildcard@1:30"),
        DENIED,
        ASKING,
    ),
    Case("wrong prefix", apps(["A1B2C3D4E5" + APP[10:]]), ("app-other-prefix@1:30",), DENIED, ASKING),
    Case(
        "short prefix",
        apps(["D3KQX62K1" + APP[10:]]),
        ("app-other-prefix@1:30", "app-prefix-length@1:30"),
        DENIED,
        ASKING,
    ),
    Case("lower-case prefix", apps([APP[:10].lower() + APP[10:]]), ("app-lower-case-prefix@1:30",), TAKEN, ASKING),
    Case("no prefix", apps(["com.example.DemoApp"]), ("app-no-prefix@1:30", "app-not-listed@1:1"), DENIED, ASKING),
    Case("wrong case", apps([APP.upper()]), ("app-other-case@1:30",), DENIED, ASKING),
    Case("space around", apps([f"{APP} "]), ("app-not-listed@1:1", "app-surrounding-space@1:30"), DENIED, ASKING),
    Case("a placeholder", apps(["TEAMID.com.example.app"]), ("app-none@1:1", "app-placeholder@1:30")),
    Case("twice the same", apps([APP, APP]), ("app-twice@1:64",), TAKEN, ASKING),
    Case("apps as a string", apps(APP), ("app-none@1:1", "apps-not-an-array@1:29")),
    Case("non-string among apps", apps([7, APP]), ("app-not-a-string@1:30",), TAKEN, ASKING),
    Case("no apps", of({"webcredentials": {}}), ("app-none@1:1", "apps-missing@1:2")),
    Case("apps empty", apps([]), ("app-none@1:1", "apps-empty@1:29")),
    Case("apps in upper case", of({"webcredentials": {"Apps": [APP]}}), ("app-none@1:1", "service-key-misspelt@1:21")),
    Case("a prefix of ten X", apps(["XXXXXXXXXX.com.example.app"]), ("app-placeholder@1:30",), TAKEN),
    Case(
        "words of Python",
        b'{"webcredentials":{"apps":[NaN,True]}}',
        ("app-none@1:1", "json-word@1:28", "json-word@1:32"),
    ),
    Case("a service that is none", of({"webcredentials": [APP]}), ("service-not-an-object@1:20",)),
    Case("misspelt service", of({"webCredentials": {"apps": [APP]}}), ("service-misspelt@1:2",)),
    Case("another member", of({"webcredentials": {"apps": [APP]}, "x": 1}), ("service-unknown@1:66",), TAKEN),
    Case("an empty object", b"{}", ("service-none@1:1",)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_file_has_its_findings(tmp_path: Path, case: Case) -> None:
    file = tmp_path / "association.json"
    file.write_bytes(case.content)
    report = check(tmp_path, file.name, *case.asked, verdict=YES if case.verdicts[0] == A else NO)
    placed = [one for one in report.placed if one != "signature-missing"]
    assert (report.verdicts, placed) == (case.verdicts, sorted(case.findings))
    assert report.document["target"] == file.name
    assert report.document["fetches"] == []
    # Standard input contains the same file, but has another name.
    again = check(tmp_path, "-", *case.asked, given=case.content)
    assert (again.verdicts, again.placed) == (report.verdicts, report.placed)


def test_a_file_is_a_file_whatever_it_is_called(tmp_path: Path) -> None:
    for name in ("apple-app-site-association", "example.com", "a b.json", "é.json"):
        (tmp_path / name).write_bytes(association())
        report = check(tmp_path, name, verdict=YES)
        assert report.document["target"] == name
        assert {issue["subject"] for issue in report.document["issues"]} == {name}


def test_depth_without_end_is_refused(tmp_path: Path) -> None:
    report = check(tmp_path, "-", given=b'{"a":' * 20_000, verdict=NO)
    assert "json-too-deep" in report.codes
    report = check(tmp_path, "-", given=b"[" * 131_000, verdict=NO)
    assert "json-too-deep" in report.codes


def test_a_thousand_faults_are_told_in_bounds(tmp_path: Path) -> None:
    for piece in (b"'", b",", b"[", b"]", b"{}", b'"\\', b"\xff", b"/*", b":"):
        content = (b'{"webcredentials":{"apps":[' + piece * 131_000)[:131_000]
        report = check(tmp_path, "-", given=content, verdict=NO)
        assert report.verdicts == DENIED

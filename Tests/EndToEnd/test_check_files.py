"""`association check` of files: each fault with its code, its location and the verdict of each profile."""

import codecs
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.checking import NO, YES, check
from support.checking import association as motivator_association
from support.keys import APPS, OTHER_APP, association

APP = APPS[0]
A, D = "associated", "denied"
TAKEN, DENIED = (A, A, D), (D, D, D)
LINKS = {"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/buy/*"}]}]}}


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
    Case("BOM", codecs.BOM_UTF8 + association(), ("json-byte-order-mark@1:1",), TAKEN),
    Case("UTF-16", association().decode().encode("utf-16"), ("json-encoding@1:1",)),
    Case("trailing comma", b'{"webcredentials": {"apps": ["%b",]}}' % APP.encode(), ("json-trailing-comma@1:62",)),
    Case(
        "duplicate key",
        b'{"webcredentials": {"apps": ["%b"]},\n "webcredentials": {"apps": []}}' % APP.encode(),
        ("json-duplicate-key@2:2",),
        TAKEN,
        ASKING,
    ),
    Case("app missing", apps([OTHER_APP]), ("app-not-listed@1:29",), DENIED, ASKING),
    Case(
        "app only in applinks, and asked for credentials",
        of({"webcredentials": {"apps": [OTHER_APP]}} | LINKS),
        ("app-listed-elsewhere@1:101",),
        DENIED,
        (*ASKING, "--service", "webcredentials"),
    ),
    Case("links asked for", of(LINKS), ("service-not-in-version@1:1",), TAKEN, (*ASKING, "--service", "applinks")),
    Case("an empty object", b"{}", ("service-none@1:1",)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_file_has_its_issues(tmp_path: Path, case: Case) -> None:
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


def test_an_existing_file_is_a_file_under_any_name(tmp_path: Path) -> None:
    for name in ("apple-app-site-association", "example.com", "a b.json", "é.json"):
        (tmp_path / name).write_bytes(association())
        report = check(tmp_path, name, verdict=YES)
        assert report.document["target"] == name
        assert {issue["subject"] for issue in report.document["issues"]} == {name}


def test_url_tests_beside_a_file_and_the_forms_of_a_page_decide_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "site.json").write_bytes(of(LINKS))
    for place, code in (("app", YES), ("browser", NO)):
        (tmp_path / "links.tests").write_text(f"https://example.com/buy/1 → {place}\n", "utf-8")
        report = check(tmp_path, "site.json", verdict=code)
        assert report.verdicts[0] == A and ("links-test-failed" in report.codes) == (code == NO)
    (tmp_path / "p.html").write_text("<form action=https://a.test/><input type=password></form>", "utf-8")
    done = check(tmp_path, "--page", "p.html", "--domain", "example.com", verdict=YES)
    assert [one["code"] for one in done.document["issues"]] == ["form-target", "form-user-name", "form-token"]


def test_fix_changes_what_needs_no_choice_and_keeps_a_backup(tmp_path: Path) -> None:
    broken = of(LINKS)[:-1] + b",}"
    (tmp_path / "site.json").write_bytes(broken)
    change = check(tmp_path, "site.json", verdict=NO).issue("json-trailing-comma")["replacement"]
    assert (change["text"], change["end"]["offset"] - change["start"]["offset"]) == ("", 1)
    done = motivator_association(tmp_path, "check", "site.json", "--fix")
    assert done.code == YES and "\n-1: {" in done.err and "\n+1: {" in done.err
    assert (tmp_path / "site.json").read_bytes() == of(LINKS)
    assert (tmp_path / "site.json.bak").read_bytes() == broken

"""The formats of a report: JSON, JUnit, GitHub commands, and text with a caret. Color only if requested."""

import json
import re
import unicodedata
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from support.checking import CONTROL, NO, YES, Done, association, check
from support.keys import APPS
from support.keys import association as plain
from support.output_terminal import on_a_terminal

APP = APPS[0]
COLOUR = b"\x1b["
FAULTY = b'{\n  "webcredentials": {"apps": ["D3KQX62K1A.com.example.DemoApp",]},\n  "x": {},\n}\n'


def checked(home: Path, content: bytes, *options: str) -> Done:
    (home / "site.json").write_bytes(content)
    done = association(home, "check", "site.json", *options)
    assert done.err == ""
    return done


def test_both_options_for_json_print_the_same_document(tmp_path: Path) -> None:
    assert checked(tmp_path, FAULTY, "--json").out == checked(tmp_path, FAULTY, "--format", "json").out
    report = check(tmp_path, "site.json", verdict=NO)
    assert report.placed == [
        "json-trailing-comma@2:63",
        "json-trailing-comma@3:10",
        "service-unknown@3:3",
        "signature-missing",
    ]
    assert report.issue("signature-missing")["profiles"] == ["ios8"]


@pytest.mark.parametrize(
    ("content", "profile", "cases", "failed"),
    [
        pytest.param(
            FAULTY,
            "all",
            {"json-trailing-comma", "service-unknown", "signature-missing"},
            {"json-trailing-comma", "signature-missing"},
            id="several codes",
        ),
        pytest.param(
            plain(f"{APP}<&\"'>\x0b\ud7ff"), "device", {"app-placeholder"}, {"app-placeholder"}, id="signs of XML"
        ),
    ],
)
def test_junit_has_a_case_for_each_code(
    tmp_path: Path, content: bytes, profile: str, cases: set[str], failed: set[str]
) -> None:
    done = checked(tmp_path, content, "--format", "junit", "--profile", profile)
    suites = ElementTree.fromstring(done.out).findall("testsuite")
    assert [suite.get("name") for suite in suites] == ["site.json"]
    counts = [suites[0].get(name) for name in ("tests", "failures", "errors")]
    assert counts == [str(len(cases)), str(len(failed)), "0"]
    found = {case.get("name"): case.find("failure") for case in suites[0].findall("testcase")}
    assert set(found) == cases
    assert {name for name, failure in found.items() if failure is not None} == failed
    assert all(failure.get("message") and failure.text for failure in found.values() if failure is not None)
    assert done.code == (NO if failed else YES)


def test_sarif_names_rules_and_lines(tmp_path: Path) -> None:
    document = json.loads(checked(tmp_path, FAULTY, "--format", "sarif").out)
    assert document["version"] == "2.1.0"
    run = document["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [result["ruleId"] for result in run["results"]] == [
        "json-trailing-comma",
        "json-trailing-comma",
        "service-unknown",
    ]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "site.json"
        assert place["region"]["startLine"] >= 1


def test_github_gets_a_line_for_each_issue(tmp_path: Path) -> None:
    lines = checked(tmp_path, FAULTY, "--format", "github", "--profile", "all").text.splitlines()
    assert [line.split("::")[1] for line in lines] == [
        "error file=site.json,line=2,col=63,title=json-trailing-comma",
        "error file=site.json,line=3,col=10,title=json-trailing-comma",
        "warning file=site.json,line=3,col=3,title=service-unknown",
        "error file=site.json,title=signature-missing",
    ]
    assert all(re.fullmatch(r"::(error|warning|notice) [^:]+::.+", line) for line in lines)
    # The output omits issues that affect only other profiles.
    assert "signature-missing" not in checked(tmp_path, FAULTY, "--format", "github").text
    assert checked(tmp_path, plain(), "--format", "github").out == b""


def test_github_commands_cannot_be_forged(tmp_path: Path) -> None:
    name = "a,line=9::error title=x%0A::x.json"
    (tmp_path / name).write_bytes(plain("x\n::error::forged\r\n%0A::warning::forged"))
    done = association(tmp_path, "check", name, "--format", "github")
    for line in done.text.splitlines():
        properties = line.split("::")[1]
        assert properties.split(" ")[0] in ("error", "warning", "notice")
        assert "::" not in properties
        assert line.startswith(("::error ", "::warning ", "::notice "))
        assert "forged" not in properties
    assert len(done.text.splitlines()) == len({*done.text.splitlines()})


def width(text: str) -> int:
    """Returns the number of columns that a terminal uses for a text."""
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text
    )


@pytest.mark.parametrize(
    ("before", "found"),
    [
        pytest.param(b'{\t"webcredentials":\t{"apps":\t["%b"' % APP.encode(), ",", id="tabs"),
        pytest.param(
            '{"日本語": "中文", "webcredentials": {"apps": ["%s"'.replace("%s", APP).encode(), ",", id="wide characters"
        ),
        pytest.param(
            '{"e\u0301e\u0301": "x", "webcredentials": {"apps": ["%s"'.replace("%s", APP).encode(),
            ",",
            id="combining marks",
        ),
        pytest.param(
            b'{"pad": "' + b"x" * 500 + b'", "webcredentials": {"apps": ["%b"' % APP.encode(), ",", id="a wide line"
        ),
    ],
)
def test_the_caret_is_below_the_error(tmp_path: Path, before: bytes, found: str) -> None:
    done = checked(tmp_path, before + b",]}, " + b'"y": "' + b"z" * 300 + b'"}')
    lines = done.text.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("error[json-trailing-comma] "))
    column = len(before.decode()) + 1
    assert lines[head + 1] == f"  in site.json:1:{column}"
    shown, caret = next(
        (lines[at], lines[at + 1]) for at in range(head, len(lines)) if re.match(r" +\d+ \| ", lines[at])
    )
    assert caret.strip().lstrip("| ") == "^"
    at = width(caret) - 1
    # The comma is in the caret's column on a terminal.
    reached = next(number for number in range(len(shown)) if width(shown[:number]) == at and width(shown[number]))
    assert shown[reached] == found
    assert shown[reached + 1] == "]"
    assert width(shown) < 170


def test_quiet_prints_only_the_conclusion_and_verbose_adds_details(tmp_path: Path) -> None:
    assert checked(tmp_path, FAULTY, "--quiet").text == "iPhones will not accept site.json: 2 errors, 1 warning.\n"
    text = checked(tmp_path, FAULTY, "--verbose").text
    assert "warning[service-unknown]" in text and "  Reason: " in text and "  Source: RFC 8259" in text


@pytest.mark.parametrize(
    ("variables", "colored"),
    [
        pytest.param({"TERM": "xterm"}, True, id="a terminal"),
        pytest.param({"TERM": "xterm", "NO_COLOR": ""}, True, id="NO_COLOR without a value"),
        pytest.param({"TERM": "xterm", "NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param({"TERM": "dumb"}, False, id="a terminal without colors"),
    ],
)
def test_color_is_for_terminals_that_want_it(tmp_path: Path, variables: dict[str, str], colored: bool) -> None:
    (tmp_path / "site.json").write_bytes(FAULTY)
    written = on_a_terminal(tmp_path, "association", "check", "site.json", **variables)
    assert (COLOUR in written) is colored
    bare = re.sub(rb"\x1b\[\d*m", b"", written).replace(b"\r\n", b"\n")
    assert bare == association(tmp_path, "check", "site.json").out
    assert COLOUR not in on_a_terminal(tmp_path, "association", "check", "site.json", "--json", **variables)


HOSTILE = (
    '{"webcredentials": {"apps": ["\x1b[31mred\x07\x08\u009b31m\u202eabc\u2028\u200f", "ok\\u001b[2J\\u202e"]},\n'
    '"\x1b]0;title\x07": {"x": \x1b[5m},'
).encode()


@pytest.mark.parametrize("content", [HOSTILE, HOSTILE + bytes(range(256)), bytes(range(1, 256)) * 9], ids=len)
def test_no_content_controls_a_terminal(tmp_path: Path, content: bytes) -> None:
    for options in ((), ("--json",), ("--format", "junit"), ("--format", "github")):
        done = checked(tmp_path, content, *options)
        assert done.code == NO
        # Programs read JUnit's text. XML has no escape for invisible characters, and needs none here.
        if "junit" not in options:
            assert not CONTROL.search(done.text), options
        assert COLOUR not in done.out


def test_several_targets_have_a_report_each(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes(plain())
    done = checked(tmp_path, FAULTY, "good.json", "--json")
    assert done.code == NO
    assert [(one["target"], one["ok"]) for one in json.loads(done.out)["results"]] == [
        ("site.json", False),
        ("good.json", True),
    ]


def test_github_gets_no_file_name_for_standard_input(tmp_path: Path) -> None:
    done = association(tmp_path, "check", "-", "--format", "github", "--profile", "all", given=FAULTY)
    lines = done.text.splitlines()
    assert len(lines) == 4
    assert all("file=" not in line and "::standard input: " in line for line in lines)
    # An issue that is not about the file is still an annotation on the file, and names its subject.
    (tmp_path / "site.json").write_bytes(plain())
    done = association(
        tmp_path, "check", "site.json", "--format", "github", "--entitlement", "webcredential:example.com"
    )
    lines = [line for line in done.text.splitlines() if "entitlement-" in line]
    assert lines
    assert all(" file=site.json,title=" in line and "webcredential:example.com" in line for line in lines)


def test_color_can_be_forced(tmp_path: Path) -> None:
    assert COLOUR in checked(tmp_path, FAULTY, "--color", "always").out
    assert COLOUR not in checked(tmp_path, FAULTY, "--color", "never").out


def test_the_conclusion_comes_first(tmp_path: Path) -> None:
    assert checked(tmp_path, plain()).text == "iPhones will accept site.json.\n"
    lines = checked(tmp_path, FAULTY, "--app", APP).text.splitlines()
    assert " ".join(lines[:2]) == f"iPhones will not associate {APP} based on site.json: 2 errors, 1 warning."
    assert "To learn more about an issue, run: motivator association explain CODE" in lines
    noted = checked(tmp_path, plain().replace(b'"apps"', b'"owner": "me", "apps"')).text
    assert "1 note is hidden. Show it with --verbose." in noted.splitlines()

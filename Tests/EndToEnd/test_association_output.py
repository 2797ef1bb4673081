"""The formats of a report: JSON, JUnit, GitHub commands, and text with a caret. Color only if requested."""

import json
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest

from support.checking import CONTROL, NO, NO_INPUT, Done, association, check
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


def test_each_format_has_its_reader(tmp_path: Path) -> None:
    done = checked(tmp_path, FAULTY, "--format", "junit", "--profile", "all")
    (suite,) = ElementTree.fromstring(done.out).findall("testsuite")
    assert [suite.get(name) for name in ("name", "tests", "failures")] == ["site.json", "3", "2"]
    run = json.loads(checked(tmp_path, FAULTY, "--format", "sarif").out)["runs"][0]
    codes = ["json-trailing-comma", "json-trailing-comma", "service-unknown"]
    assert [result["ruleId"] for result in run["results"]] == codes
    lines = checked(tmp_path, FAULTY, "--format", "github", "--profile", "all").text.splitlines()
    assert [line.split("::")[1] for line in lines] == [
        "error file=site.json,line=2,col=63,title=json-trailing-comma",
        "error file=site.json,line=3,col=10,title=json-trailing-comma",
        "warning file=site.json,line=3,col=3,title=service-unknown",
        "error file=site.json,title=signature-missing",
    ]
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


def test_the_caret_is_below_the_error(tmp_path: Path) -> None:
    before = '{"日本語": 1, "webcredentials": {"apps": ["x"'
    lines = checked(tmp_path, f"{before},]}}}}".encode()).text.splitlines()
    head = lines.index(f"  in site.json:1:{len(before) + 1}")
    shown, caret = next(pair for pair in pairwise(lines[head:]) if pair[1].strip(" |") == "^")
    # Each of the three characters has two columns.
    assert shown[len(caret) - 4 :] == ",]}}"


def test_quiet_prints_only_the_conclusion_and_verbose_adds_details(tmp_path: Path) -> None:
    assert checked(tmp_path, FAULTY, "--quiet").text == "iPhones will not accept site.json: 2 errors, 1 warning.\n"
    text = checked(tmp_path, FAULTY, "--verbose").text
    assert "warning[service-unknown]" in text and "  Reason: " in text and "  Source: RFC 8259" in text


@pytest.mark.parametrize(
    ("variables", "colored"),
    [
        pytest.param({"TERM": "xterm"}, True, id="a terminal"),
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


@pytest.mark.parametrize("content", [HOSTILE, bytes(range(1, 256)) * 9], ids=len)
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
    results = json.loads(done.out)["results"]
    assert [(one["target"], one["ok"]) for one in results] == [("site.json", False), ("good.json", True)]
    for missing in (["none.json"], ["--page", "none.html"]):
        done = association(tmp_path, "check", "good.json", *missing, "--json")
        assert (done.code, [one["ok"] for one in json.loads(done.out)["results"]]) == (NO_INPUT, [True])


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

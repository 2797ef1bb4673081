"""`association match`: whether an app opens a URL, for a file, standard input and a site."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.authorities import SITE
from support.checking import (
    BAD_INPUT,
    CONTROL,
    NO,
    NO_INPUT,
    UNAVAILABLE,
    USAGE,
    YES,
    association,
    members,
    refused,
)
from support.device import Issuer
from support.keys import APPS, OTHER_APP
from support.sites import always, response

APP, ADMIN = APPS
LINKS = {
    "applinks": {
        "details": [
            {
                "appIDs": [APP],
                "components": [
                    {"#": "browser", "exclude": True},
                    {"/": "/buy/*"},
                    {"/": "/help/*", "?": {"articleNumber": "????"}},
                    {"/": "/Case", "caseSensitive": False},
                ],
            },
            {"appIDs": [ADMIN], "components": [{"/": "/buy/42", "exclude": True}, {"/": "*"}]},
            {"appID": OTHER_APP, "paths": ["NOT /old/secret", "/old/*"]},
        ]
    }
}
TEXT = json.dumps(LINKS, indent=2).encode()


def place_of(text: bytes, number: int) -> dict[str, int]:
    """Returns the location of a component: the brace with this number at the indentation of components."""
    lines = text.decode().splitlines()
    starts = [at for at, line in enumerate(lines, 1) if line == " " * 10 + "{"]
    return {"line": starts[number], "column": 11}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "site.json"
    path.write_bytes(TEXT)
    return path


def matched(home: Path, target: str | Path, url: str, *options: str, given: bytes = b"") -> tuple[int, dict[str, Any]]:
    done = association(home, "match", target, "--url", url, "--json", *options, given=given)
    assert done.err == "", done.err
    document = json.loads(done.out)
    members(
        document,
        result=str,
        app=(str, None),
        detail=(int, None),
        component=(int, None),
        reason=(str, None),
        explanation=list,
        obstacles=list,
    )
    return done.code, document


@pytest.mark.parametrize(
    ("url", "app", "expected"),
    [
        pytest.param("/buy/1", APP, ("matched", APP, 0, 1), id="a folder"),
        pytest.param("/buy/1#browser", APP, ("blocked", APP, 0, 0), id="excluded by the fragment"),
        pytest.param("/buy/42", "", ("matched", APP, 0, 1), id="whichever app opens it first"),
        pytest.param("/buy/42", "Z9Z9Z9Z9Z9.com.example.None", ("unmatched", None, None, None), id="an unknown app"),
    ],
)
def test_a_url_is_matched_by_the_rules_of_a_device(file: Path, url: str, app: str, expected: tuple[Any, ...]) -> None:
    options = ("--app", app) if app else ()
    code, document = matched(file.parent, file.name, f"https://example.com{url}", *options)
    got = (document["result"], document["app"], document["detail"], document["component"])
    if expected[0] == "unmatched":
        got = (got[0], None, None, None)
    assert got == expected
    assert code == (YES if expected[0] == "matched" else NO)
    assert document["explanation"] == []
    # The result for a pipe is identical to the result for the file.
    assert matched(file.parent, "-", f"https://example.com{url}", *options, given=TEXT) == (code, document)


def test_each_component_is_explained_with_what_did_not_match(file: Path) -> None:
    url = "https://example.com/help/x?articleNumber=12345"
    code, document = matched(file.parent, file.name, url, "--explain", "--app", APP)
    assert (code, document["result"]) == (NO, "unmatched")
    told = document["explanation"]
    assert [(one["detail"], one["component"]) for one in told] == [(0, 0), (0, 1), (0, 2), (0, 3)]
    for number, one in enumerate(told):
        members(one, app=str, detail=int, component=int, location=dict, result=str, sentence=str, parts=list)
        assert one["location"] == place_of(TEXT, number)
        for part in one["parts"]:
            members(part, key=str, item=(str, None), pattern=str, value=str, matched=bool, furthest=int)
    failed = [part for part in told[2]["parts"] if not part["matched"]]
    assert [(part["key"], part["item"], part["pattern"], part["value"]) for part in failed] == [
        ("?", "articleNumber", "????", "12345")
    ]
    assert "articleNumber" in told[2]["sentence"]


def test_the_text_output_is_a_sentence(file: Path) -> None:
    done = association(file.parent, "match", file.name, "--url", "https://example.com/buy/1", "--app", APP)
    assert (done.code, done.err) == (YES, "")
    assert (
        done.text == f"matched: {APP} opens https://example.com/buy/1 (line {place_of(TEXT, 1)['line']}, column 11)\n"
    )
    done = association(file.parent, "match", file.name, "--url", "https://example.com/x", "--app", APP, "--explain")
    assert done.code == NO
    assert done.text.splitlines()[-1].startswith("unmatched: ")
    assert len(done.text.splitlines()) == 5


def test_bad_usage_is_reported(file: Path) -> None:
    home = file.parent
    refused(association(home, "match", file.name), USAGE, "--url")
    refused(association(home, "match", file.name, "--url", "not a url"), USAGE, "--url")
    refused(association(home, "match", file.name, "--url", "https://[::1"), USAGE, "--url")
    refused(association(home, "match", file.name, "--url", "https://x.com/", "--app", "x"), USAGE, "--app")
    refused(association(home, "match", "none.json", "--url", "https://x.com/"), NO_INPUT, "none.json")
    done = association(home, "match", "-", "--url", "https://x.com/", "--json", given=TEXT[:-3])
    refused(done, BAD_INPUT, "standard input", "ends inside", "motivator association check -")


def test_a_site_is_matched_like_a_file(issuer: Issuer, tmp_path: Path) -> None:
    with issuer.site(always(response(TEXT))) as site:
        options = (*issuer.options(site.port), "--app", APP)
        code, document = matched(tmp_path, SITE, f"https://{SITE}/buy/1", *options)
        other = matched(tmp_path, SITE, "https://other.example/buy/1", *options, "--explain")
        listed = association(
            tmp_path,
            "match",
            SITE,
            "--url",
            "-",
            *options,
            given=b"https://other.example/buy/1\nhttps://other.example/",
        )
    assert (code, document["result"], document["component"]) == (YES, "matched", 1)
    # Another host has its own file.
    assert (other[0], other[1]["result"], other[1]["explanation"]) == (NO, "unmatched", [])
    assert other[1]["reason"] == f"other.example has its own file, and the file of {SITE} does not apply to it"
    assert (listed.code, {line.split("\t")[0] for line in listed.text.splitlines()}) == (NO, {"unmatched"})
    assert "2 URLs belong to another host" in listed.err
    done = association(tmp_path, "match", SITE, "--url", f"https://{SITE}/buy/1", *options)
    refused(done, UNAVAILABLE, "Connection refused")


def test_a_list_of_urls_gets_a_line_for_each(file: Path) -> None:
    urls = [f"https://example.com{path}" for path in ("/buy/1", "/buy/1#browser", "/x")]
    options = ("match", file.name, "--url", "-", "--app", APP)
    done = association(file.parent, *options, given="\r\n".join(urls).encode())
    assert (done.code, done.err) == (NO, "")
    assert [line.split("\t") for line in done.text.splitlines()] == [
        ["matched", APP, urls[0]],
        ["blocked", APP, urls[1]],
        ["unmatched", "-", urls[2]],
    ]
    assert association(file.parent, *options, given=urls[0].encode()).code == YES
    # The command ignores empty lines, and prints a single document.
    done = association(file.parent, *options, "--json", given=b"\n\n".join(map(str.encode, urls)) + b"\n")
    document = json.loads(done.text)
    members(document, results=list)
    for one in document["results"]:
        members(one, url=str, result=str, app=(str, None), reason=(str, None))
    assert [(one["result"], one["url"]) for one in document["results"]] == list(
        zip(("matched", "blocked", "unmatched"), urls, strict=True)
    )
    refused(association(file.parent, *options, "--json", given=b"\n"), BAD_INPUT, "standard input has no URLs")


@pytest.mark.parametrize("line", ["x", "https://example.com/\x1b[31m"])
def test_an_invalid_line_has_its_own_result(file: Path, line: str) -> None:
    given = f"https://example.com/buy/1\r\n\n{line}\nhttps://example.com/x\n".encode()
    options = ("match", file.name, "--url", "-", "--app", APP)
    done = association(file.parent, *options, given=given)
    assert not CONTROL.search(done.text.replace("\t", ""))
    assert done.code == NO
    assert "line 3: " in done.err
    assert [row.split("\t")[0] for row in done.text.splitlines()] == ["matched", "invalid", "unmatched"]
    results = json.loads(association(file.parent, *options, "--json", given=given).text)["results"]
    assert [one["result"] for one in results] == ["matched", "invalid", "unmatched"]
    assert results[1]["reason"].startswith("line 3: ")
    refused(association(file.parent, "match", "-", "--url", "-", given=given), USAGE, "--url -")
    refused(association(file.parent, "match", file.name, "--url", "-", "--explain", given=given), USAGE, "--explain")

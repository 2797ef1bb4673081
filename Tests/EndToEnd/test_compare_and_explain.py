"""`association compare`: the differences between two files or sites. `association explain`: each code's explanation."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.authorities import SITE
from support.checking import NO, NO_INPUT, PROFILES, USAGE, YES, association, members, refused
from support.device import CDN, Issuer
from support.keys import APPS, OTHER_APP
from support.keys import association as plain
from support.server import ROOT
from support.sites import Stream, response

APP = APPS[0]
EFFECTS = ("note", "warning", "retry", "denial")


def links(*components: dict[str, Any], app: str = APP) -> bytes:
    return json.dumps({"applinks": {"details": [{"appIDs": [app], "components": list(components)}]}}).encode()


BUY, HELP, ALL = {"/": "/buy/*"}, {"/": "/help/*", "exclude": True}, {"/": "*"}


def compared(home: Path, before: bytes, after: bytes, *options: str) -> list[tuple[str, str, Any, Any]]:
    (home / "before.json").write_bytes(before)
    (home / "after.json").write_bytes(after)
    done = association(home, "compare", "before.json", "after.json", "--json", *options)
    assert done.err == ""
    document = json.loads(done.out)
    members(document, before=str, after=str, same=bool, changes=list, unchanged=list)
    assert (document["before"], document["after"]) == ("before.json", "after.json")
    for change in document["changes"]:
        members(change, kind=str, subject=str, before=(str, None), after=(str, None))
    assert document["same"] is (document["changes"] == [])
    assert done.code == (YES if document["same"] else NO)
    text = association(home, "compare", "before.json", "after.json", *options)
    assert text.code == done.code
    assert len(text.text.splitlines()) == max(len(document["changes"]), 1) + len(document["unchanged"])
    return [(one["kind"], one["subject"], one["before"], one["after"]) for one in document["changes"]]


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        pytest.param(plain(), plain(), [], id="the same"),
        pytest.param(plain(APP), plain(APP, OTHER_APP), [("app", "webcredentials", None, OTHER_APP)], id="an app more"),
        pytest.param(
            links({"/": "/$(food)"}),
            links({"/": "/$(food)"}).replace(b'"details"', b'"substitutionVariables": {"food": ["soup"]}, "details"'),
            [
                *(("verdict", profile, "denied", "associated") for profile in ("device", "documented", "ios9")),
                ("variable", "food", None, '["soup"]'),
            ],
            id="a variable that is used",
        ),
    ],
)
def test_each_difference_is_listed(tmp_path: Path, before: bytes, after: bytes, changes: list[Any]) -> None:
    assert compared(tmp_path, before, after) == changes


def test_rules_that_are_only_rewritten_are_named(tmp_path: Path) -> None:
    assert len(compared(tmp_path, links(BUY), links({**BUY, "#": "*"}))) == 2
    done = association(tmp_path, "compare", "before.json", "after.json")
    assert done.text.endswith(f"rules    the same result for every URL ({APP})\n")


def test_origin_and_cdn_are_compared(issuer: Issuer, tmp_path: Path) -> None:
    def answer(stream: Stream, path: str) -> None:
        # Devices request only the URLs below /a/v1/ from the CDN.
        old = path.startswith("/a/v1/")
        stream.sendall(response(plain(APP) if old else plain(APP, OTHER_APP)))

    with issuer.site(answer) as site:
        options = issuer.options(site.port)
        done = association(tmp_path, "compare", SITE, f"https://{CDN}/a/v1/{SITE}", *options)
        same = association(tmp_path, "compare", SITE, SITE, *options)
    assert (done.code, done.text) == (NO, f"app      - {OTHER_APP} (webcredentials)\n")
    assert (same.code, same.text) == (YES, "No differences.\n")


def test_standard_input_can_be_one_of_the_two(tmp_path: Path) -> None:
    (tmp_path / "site.json").write_bytes(plain())
    assert association(tmp_path, "compare", "-", "site.json", given=plain()).code == YES
    assert association(tmp_path, "compare", "site.json", "-", given=plain(APP)).code == NO
    refused(association(tmp_path, "compare", "-", "-", given=plain()), USAGE, "standard input")
    refused(association(tmp_path, "compare", "site.json", "none.json"), NO_INPUT, "none.json")
    refused(association(tmp_path, "compare", "site.json"), USAGE, "after")


def codes_of_the_source() -> set[str]:
    """Returns all codes that reports can contain. Reads the source instead of the list of `explain`."""
    texts = [file.read_text() for file in (ROOT / "Sources").rglob("*.swift")]
    rows = "".join(text for text in texts if re.search(r": (\w+, )*CatalogIssue\b", text))
    # The code is the first value of a row. A row about one of two files has the rest of a code.
    files = {"relatedOrigins": ["related-origins"], "endpoints": ["passkey-endpoints"]}
    files["file"] = [name for names in files.values() for name in names]
    rest = re.findall(r'\(\s*of: \.?(\w+), "([a-z-]+)",', rows)
    codes = re.findall(r'\(\s*"([a-z0-9]+(?:-[a-z0-9]+)+)",', rows)
    return {*codes, *(f"{name}-{part}" for file, part in rest for name in files[file])}


def test_every_code_explains_itself(tmp_path: Path) -> None:
    done = association(tmp_path, "explain")
    assert (done.code, done.err) == (YES, "")
    codes = [line.split()[0] for line in done.text.splitlines()]
    assert len(codes) == len(set(codes))
    assert set(codes) == codes_of_the_source()
    # The text has the members of the JSON list, which has every code.
    for code in codes[::80]:
        told = association(tmp_path, "explain", code.upper())
        assert (told.code, told.err) == (YES, "")
        lines = told.text.splitlines()
        assert lines[0] == code
        labels = [line.split()[0] for line in lines[1:] if not line.startswith("            ")]
        assert labels == ["Rule", "Reason", "Before", "After", "Effect", "Source", "Date"]
        assert all(len(line.split(maxsplit=1)) == 2 for line in lines[1:] if line[2] != " ")


def test_the_list_as_json_has_everything(tmp_path: Path) -> None:
    document = json.loads(association(tmp_path, "explain", "--json").out)
    assert {rule["code"] for rule in document} == codes_of_the_source()
    for rule in document:
        members(
            rule,
            code=str,
            rule=str,
            reason=str,
            example=str,
            fixed=str,
            effects=dict,
            source=str,
            date=str,
            link=(str, None),
        )
        assert rule["rule"].endswith(".") and rule["reason"].endswith(".")
        assert rule["effects"]
        assert set(rule["effects"]) <= set(PROFILES)
        assert set(rule["effects"].values()) <= set(EFFECTS)
        assert rule["date"] and rule["source"]
        assert rule["link"] is None or rule["link"].startswith("https://")
    one = json.loads(association(tmp_path, "explain", document[0]["code"], "--json").out)
    assert one == document[0]


@pytest.mark.parametrize("code", ["x", "\x1b[31m"])
def test_an_unknown_code_is_bad_usage(tmp_path: Path, code: str) -> None:
    refused(association(tmp_path, "explain", code), USAGE, "motivator association explain")


def test_the_results_of_a_url_are_compared(tmp_path: Path) -> None:
    url, other = "https://example.com/help/1", "https://example.com/buy/1"
    changes = compared(tmp_path, links(BUY), links(HELP, ALL), "--url", url, "--url", other, "--app", APP)
    assert ("url", f"{url} {APP}", "unmatched", "blocked") in changes

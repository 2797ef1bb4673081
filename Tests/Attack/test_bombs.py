"""Small files that cost much work: patterns, JSON and signed messages. The work limit ends them, and others are served.

Unit tests count the steps (`MatchingHostileTests`, `JSONDocumentTests`, `HostileMessageTests`).
"""

import json
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attackers.crowd import sources
from support.page import Page
from support.people import Visitor
from support.server import Server, run

APP = "D3KQX62K1A.com.example.DemoApp"
# The largest file that the checker reads.
MOST = 131_072
URL = "https://example.com/" + "a" * 7_000


def links(components: list[dict[str, Any]], **members: Any) -> str:
    file = {"applinks": {"details": [{"appIDs": [APP], "components": components}], **members}}
    return json.dumps(file, separators=(",", ":"))


def fill(piece: str, size: int = MOST - 1_000) -> str:
    return piece * (size // len(piece))


VARIABLES = {"v": ["a" * length for length in range(1, 300)] + ["*a*a?", "a*"]}
BOMBS = {
    "stars": links([{"/": fill("*a", 60_000) + "b"}]),
    "many patterns with stars": links([{"/": f"*{'a' * 20}*{'a' * 20}*{number}"} for number in range(1_800)]),
    "a variable in a pattern": links([{"/": "$(v)*" * 8_000 + "b"}], substitutionVariables=VARIABLES),
    "a variable without a star": links([{"/": "$(v)" * 10_000 + "b"}], substitutionVariables=VARIABLES),
    "many apps": json.dumps({"applinks": {"details": [{"appIDs": [f"A{number}" for number in range(11_000)]}]}}),
    "query items": links([{"?": {f"k{number}": "*a*a*a*b" for number in range(5_000)}}]),
    "nesting": "[" * MOST,
    "objects in objects": '{"a":' * (MOST // 5),
    "the same key again and again": "{" + fill('"a":0,') + '"a":0}',
    "numbers with many digits": "[" + "9" * (MOST - 2) + "]",
    "escapes": '{"' + fill("\\ud83d\\ude00") + '":0}',
    "lone surrogates": '{"' + fill("\\ud83d") + '":0}',
    "errors": fill("{,"),
    "commas": "[" + fill(","),
}


def check(server: Server, source: str, file: str, **fields: str) -> Page:
    with Visitor(server, source) as visitor:
        answer = visitor.post("/check", {"file": file, **fields})
    assert answer.status == 200, (answer.status, answer.text[:500])
    return Page.of(answer.content)


def test_files_that_cost_much_work_are_checked_and_others_are_served(attack: Callable[..., Any]) -> None:
    with attack() as under:
        for (name, file), source in zip(BOMBS.items(), sources(len(BOMBS), first=20), strict=True):
            assert len(file.encode()) <= MOST, name
            page = check(under.server, source, file, url=URL, app=APP)
            assert page.all("dl"), name
        under.bystander.wait_for_requests(4)
        # 40,000 issues need 130 MB. Only one check runs at a time, so this is the bound for all clients together.
        under.hold(most=200 << 20)


def processor_seconds(folder: Path, *options: str) -> float:
    """Returns the CPU time of a check in the command line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = run(folder, "association", "check", "file.json", *options)
    assert done.code == 1, done.err
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


@pytest.mark.parametrize("name", ["the same key again and again", "many apps"])
def test_a_report_as_text_costs_about_as_much_as_json(tmp_path: Path, name: str) -> None:
    """The text shows the line of each issue, and the line can be as long as the file."""
    (tmp_path / "file.json").write_text(BOMBS[name])
    text, data = processor_seconds(tmp_path), processor_seconds(tmp_path, "--format", "json")
    # With a copy of the line for each issue, the text costs 15 times as much.
    assert text < 5 * data, f"{text:.1f} s instead of {data:.1f} s"


def signed(folder: Path, certificates: int) -> str:
    """Returns a signed file in PEM, with many certificates that all claim to have issued each other."""

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    pems = []
    for number in range(certificates):
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{number}.key"]
        openssl("req", "-x509", *key, "-subj", "/CN=a.test", "-days", "90", "-out", f"{number}.pem")
        pems.append((folder / f"{number}.pem").read_text())
    (folder / "others.pem").write_text("".join(pems[1:]))
    (folder / "file.json").write_text(json.dumps({"webcredentials": {"apps": [APP]}}))
    signer = ("-signer", "0.pem", "-inkey", "0.key", "-certfile", "others.pem")
    openssl("cms", "-sign", "-binary", "-nodetach", "-in", "file.json", *signer, "-outform", "PEM", "-out", "file.pem")
    return (folder / "file.pem").read_text()


@pytest.mark.parametrize("certificates", [100, pytest.param(180, marks=pytest.mark.full)])
def test_a_signed_file_with_a_maze_of_certificates_is_checked(
    attack: Callable[..., Any], tmp_path: Path, certificates: int
) -> None:
    with attack() as under:
        page = check(under.server, "127.0.0.40", signed(tmp_path, certificates), app=APP)
        assert page.all("dl")
        under.bystander.wait_for_requests(4)

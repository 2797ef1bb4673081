"""The decisions of the probe: which findings count, and how headers are graded."""

import subprocess
import sys
from pathlib import Path

import pytest

from findings import Part, document_differs, judge, read_accepted, table, write_document
from headers import (
    Score,
    content_security_policy,
    cookies,
    cross_origin_sharing,
    framing,
    grade,
    referrer_policy,
    strict_transport,
)
from support.answers import Answer
from support.server import ROOT

LIST = """
[[accepted]]
tool = "scanner"
pattern = 'old: weak .*'
judgement = "accepted"
reason = "For a reason."
"""


def accepted(folder: Path, text: str = LIST) -> Path:
    path = folder / "accepted.toml"
    path.write_text(text)
    return path


def test_a_finding_is_accepted_only_for_its_tool_and_as_a_whole(tmp_path: Path) -> None:
    entries = read_accepted(accepted(tmp_path))
    part = Part("scanner", "all")
    part.add("old", "weak cipher")
    part.add("very old", "weak cipher")
    other = Part("another scanner", "all")
    other.add("old", "weak cipher")
    judged, judged_other = judge(part, entries), judge(other, entries)
    assert [str(finding) for finding in judged.open] == ["very old: weak cipher"]
    assert [str(finding) for finding, _ in judged.accepted] == ["old: weak cipher"]
    assert (judged.verdict, judged_other.verdict) == ("FINDING", "FINDING")
    assert judge(Part("scanner", "all"), entries).verdict == "ok"
    assert "FINDING" in table([judged]).splitlines()[2]


def test_an_entry_without_a_reason_is_refused(tmp_path: Path) -> None:
    path = accepted(tmp_path, LIST.replace('reason = "For a reason."', ""))
    with pytest.raises(ValueError, match="judgement"):
        read_accepted(path)


def test_the_document_shows_the_accepted_findings() -> None:
    assert not document_differs(read_accepted()), "run: scripts/probe --write-docs"


def test_a_document_that_shows_other_entries_differs(tmp_path: Path) -> None:
    document = tmp_path / "probe.md"
    document.write_text((ROOT / "docs/probe.md").read_text())
    entries = read_accepted(accepted(tmp_path))
    assert document_differs(entries, document)
    write_document(entries, document)
    assert not document_differs(entries, document)


def test_a_report_is_never_written_into_the_repository() -> None:
    done = subprocess.run(
        [sys.executable, "-B", ROOT / "Tests/Probe/probe.py", "--only", "sslyze", "--out", ROOT / "reports/probe"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "MOTIVATOR": "/bin/true", "PYTHONPATH": str(ROOT / "Tests/EndToEnd")},
    )
    assert done.returncode == 1
    assert "inside the repository" in done.stderr
    assert not (ROOT / "reports/probe").exists()


def answer(**fields: str) -> Answer:
    return Answer(200, "OK", tuple((name.replace("_", "-"), value) for name, value in fields.items()))


@pytest.mark.parametrize(
    ("policy", "points"),
    [
        ("default-src 'none'; style-src 'self'", 10),
        ("default-src 'self'", 5),
        ("default-src 'none'; style-src 'unsafe-inline'", 0),
        ("default-src 'none'; script-src 'self' 'unsafe-eval'", -10),
        ("default-src 'self' http://example.com", -20),
        ("default-src 'self'; script-src 'unsafe-inline'", -20),
        ("frame-ancestors 'none'", -20),
    ],
)
def test_content_security_policies_score_as_published(policy: str, points: int) -> None:
    assert content_security_policy(answer(Content_Security_Policy=policy)).points == points


def test_a_page_without_any_field_gets_the_worst_grade() -> None:
    bare = answer()
    tests = (content_security_policy, strict_transport, framing, referrer_policy)
    assert [test(bare).points for test in tests] == [-25, -20, -20, 0]
    assert grade([content_security_policy(bare), strict_transport(bare), framing(bare)]) == (35, "D")


@pytest.mark.parametrize(
    ("cookie", "points"),
    [
        ("session=1; Secure; HttpOnly; SameSite=Lax", 5),
        ("session=1; Secure; HttpOnly", 0),
        ("session=1; Secure; SameSite=Lax", -30),
        ("session=1; HttpOnly; SameSite=Lax", -40),
        ("theme=1", -20),
    ],
)
def test_cookies_score_as_published(cookie: str, points: int) -> None:
    assert cookies(answer(Set_Cookie=cookie)).points == points


def test_the_worst_cookie_counts() -> None:
    fields = (("Set-Cookie", "a=1; Secure; SameSite=Lax"), ("Set-Cookie", "token=1"))
    assert cookies(Answer(200, "OK", fields)).points == -40


@pytest.mark.parametrize(
    ("value", "points"), [("max-age=31536000", 0), ("max-age=3600", -10), ("includeSubDomains", -20)]
)
def test_strict_transport_scores_as_published(value: str, points: int) -> None:
    assert strict_transport(answer(Strict_Transport_Security=value)).points == points


def test_shared_credentials_and_unsafe_referrers_cost_points() -> None:
    shared = answer(Access_Control_Allow_Origin="https://evil.example", Access_Control_Allow_Credentials="true")
    assert cross_origin_sharing(shared).points == -50
    assert referrer_policy(answer(Referrer_Policy="unsafe-url")).points == -5


@pytest.mark.parametrize(
    ("points", "expected"),
    [([10, 5], (115, "A+")), ([10, -5], (105, "A+")), ([50, -20], (80, "B+")), ([-100, -50], (0, "F"))],
)
def test_bonus_points_count_from_90_points_on(points: list[int], expected: tuple[int, str]) -> None:
    assert grade([Score("", one, "") for one in points]) == expected

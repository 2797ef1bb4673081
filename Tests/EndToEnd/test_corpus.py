"""Files from public sites: the exact issues of each. The files are not part of the repository.

ASSOCIATION_CORPUS specifies their folder. A person has examined each file. The numbers are from the folder's index.
"""

from pathlib import Path

import pytest

from support.checking import NO, YES, check, corpus

FOLDER = corpus() or Path("none")
pytestmark = pytest.mark.skipif(corpus() is None, reason="ASSOCIATION_CORPUS does not specify a folder")

# Files that every device rejects.
DENIED = {
    "001": ("app-placeholder@5:28",),
    "015": ("json-typographic-quote@8:18",),
    "031": ("app-prefix-length@6:20",),
    "049": ("json-empty@1:1",),
    "051": ("json-trailing-comma@17:5",),
    "074": ("json-missing-comma@12:6",),
    "102": ("json-cut-off@10:5",),
    "105": ("links-key-misspelt@6:5",),
    "121": ("json-unclosed-string@6:16", "links-rule-unreachable@7:21"),
}
# Files that devices accept, but that have issues.
REMARKED = {
    "056": ("links-rule-unreachable@11:11", "links-rule-unreachable@18:11", "links-rule-unreachable@20:11"),
    "065": (
        "links-rule-unreachable@15:11",
        "links-rule-unreachable@17:11",
        "links-rule-unreachable@31:11",
        "links-rule-unreachable@33:11",
    ),
    "069": ("links-rule-unreachable@9:11",),
    "076": ("links-details-dictionary@4:20",),
    "078": ("apps-missing@6:3", "links-without-details@2:15"),
    "110": ("links-matches-absent-item@10:18",),
    "116": ("app-prefix-length@17:17", "links-both-generations@6:14"),
    "148": ("app-twice@7:16",),
    "155": ("links-matches-absent-item@21:27",),
    "157": ("links-query-in-path@20:11",),
}
SIGNED = {
    "061": (
        "links-rule-unreachable@339:11",
        "links-rule-unreachable@346:11",
        "links-rule-unreachable@353:11",
        "links-rule-unreachable@360:11",
        "links-rule-unreachable@86:11",
        "links-rule-unreachable@93:11",
        "signature-needless",
        "signer-domain-unknown",
        "signer-expired",
    ),
    "115": ("signature-needless", "signer-domain-unknown", "signer-expired", "signer-untrusted", "signer-weak"),
}
FILES = sorted(FOLDER.glob("*.json")) + sorted(FOLDER.glob("*.der"))


def test_the_corpus_has_the_expected_files() -> None:
    numbers = {file.stem for file in FILES}
    assert len(FILES) == len(numbers) == 40
    assert numbers >= {*DENIED, *REMARKED, *SIGNED}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_of_the_corpus_has_its_issues(tmp_path: Path, file: Path) -> None:
    expected = (DENIED | REMARKED | SIGNED).get(file.stem, ())
    denied = file.stem in DENIED | SIGNED
    report = check(tmp_path, file, verdict=NO if denied else YES)
    placed = report.placed
    if file.suffix == ".json":
        # Every unsigned file has this issue, which affects only iOS 8.
        placed.remove("signature-missing")
    assert tuple(placed) == tuple(sorted(expected))
    verdict = "denied" if denied else "associated"
    assert report.verdicts == (verdict, verdict, "denied")

"""The tables of statements in docs/references.md: each row names an existing test."""

import re
from functools import cache

import pytest

from support.server import ROOT

PAGE = ROOT / "docs/references.md"
TESTS = ROOT / "Tests"
REFERENCES = ("SWC", "SAD", "MSC", "TU1", "TU2")
ROW = re.compile(r"^\| *([A-Z0-9]{3})-(\d+) *\|(.*)\|(.*)\|$", re.MULTILINE)
SWIFT = re.compile(r'`(\w+)/(\w+)` — "([^"]+)"')
PYTHON = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
# The name of a test may be followed by a table case in parentheses.
CASES = re.compile(r"\([^()]*\)")
ROWS = ROW.findall(PAGE.read_text())


@cache
def swift_tests(target: str, file: str) -> set[str]:
    """Returns the display names of the tests in a file of a target."""
    texts = [path.read_text() for path in (TESTS / target).rglob(f"{file}.swift")]
    return {name for text in texts for name in re.findall(r'@Test\(\s*"((?:[^"\\]|\\.)*)"', text)}


@cache
def python_tests(file: str) -> set[str]:
    """Returns the test functions of a file."""
    path = TESTS / "EndToEnd" / file
    return set(re.findall(r"^def (test_\w+)\(", path.read_text(), re.MULTILINE)) if path.is_file() else set()


def fault(cell: str) -> str | None:
    """Returns the errors in the tests of a row."""
    if "**missing**" in cell:
        return cell
    swift, python = SWIFT.findall(cell), PYTHON.findall(cell)
    if not swift + python:
        return "names no test"
    unknown = [f"{target}/{file}: {name}" for target, file, name in swift if name not in swift_tests(target, file)]
    unknown += [f"{file}::{name}" for file, name in python if name not in python_tests(file)]
    rest = CASES.sub("", PYTHON.sub("", SWIFT.sub("", cell))).replace(";", "").strip()
    return f"unknown: {', '.join(unknown)}" if unknown else f"not understood: {rest}" if rest else None


@pytest.mark.parametrize("reference", REFERENCES)
def test_each_statement_of_a_reference_has_a_test_that_exists(reference: str) -> None:
    rows = [
        (int(number), statement.strip(), cell.strip()) for group, number, statement, cell in ROWS if group == reference
    ]
    assert rows, "the page has no table for this reference"
    assert [number for number, _, _ in rows] == list(range(1, len(rows) + 1)), "the numbers have a gap"
    assert all(statement for _, statement, _ in rows), "a row has no statement"
    faults = [f"{reference}-{number}: {found}" for number, _, cell in rows if (found := fault(cell))]
    assert not faults, "\n".join(faults)

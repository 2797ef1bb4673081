"""The table in docs/references.md: one row for each statement, with existing tests and existing cases."""

import re
from functools import cache
from pathlib import Path

import pytest

from support.server import ROOT

PAGE = ROOT / "docs/references.md"
TESTS = ROOT / "Tests"
# The number of statements of each reference.
STATEMENTS = {"R": 39, "S": 11, "M": 10, "T": 41, "C": 9}
IDS = [f"{letter}{number}" for letter, count in STATEMENTS.items() for number in range(1, count + 1)]
ROW = re.compile(r"^\| *([A-Z]+\d+) *\|([^|]*)\|([^|]*)\|([^|]*)\|$", re.MULTILINE)
ROWS = {row[0]: tuple(cell.strip() for cell in row[1:]) for row in ROW.findall(PAGE.read_text())}
# A test, and the cases of its table in parentheses.
TEST = re.compile(
    r'(?:`(?P<target>\w+)/(?P<file>\w+)` — "(?P<name>[^"]+)"|`(?P<module>test_\w+\.py)::(?P<function>test_\w+)`)'
    r"(?: \((?P<cases>`[^`]+`(?:, `[^`]+`)*)\))?(?:; |$)"
)

ADD = '`SharedWebCredentialsTests/AddTests` — "Each row of the table has its result, prompts and effect"'


@cache
def swift_file(target: str, file: str) -> Path | None:
    return next((TESTS / target).rglob(f"{file}.swift"), None)


@cache
def folder_text(folder: Path) -> str:
    """Returns the Swift sources of a folder. The cases of a test may be in another file of its folder."""
    return "".join(path.read_text() for path in sorted(folder.glob("*.swift")))


def errors(cell: str) -> list[str]:
    """Returns the errors in the tests of a row."""
    found: list[str] = []
    end = 0
    while end < len(cell):
        test = TEST.match(cell, end)
        if not test:
            return [*found, f"not understood: {cell[end:]}"]
        end = test.end()
        if test["module"]:
            path = TESTS / "EndToEnd" / test["module"]
            text = path.read_text() if path.is_file() else ""
            exists = re.search(rf"^def {test['function']}\(", text, re.MULTILINE)
        else:
            source = swift_file(test["target"], test["file"])
            text = folder_text(source.parent) if source else ""
            exists = source and re.search(rf'@Test\(\s*"{re.escape(test["name"])}"', source.read_text())
        if not exists:
            found.append(f"unknown test: {test[0]}")
        cases = re.findall(r"`([^`]+)`", test["cases"] or "")
        found += [f"unknown case: {case} of {test[0]}" for case in cases if f'"{case}"' not in text]
    return found or ([] if cell else ["names no test"])


def test_each_statement_has_exactly_one_row() -> None:
    assert [row[0] for row in ROW.findall(PAGE.read_text())] == IDS
    # A row with another number of cells would not match.
    assert len(re.findall(r"^\| *[A-Z]+-?\d", PAGE.read_text(), re.MULTILINE)) == len(IDS)


@pytest.mark.parametrize("number", IDS)
def test_the_tests_of_a_statement_exist(number: str) -> None:
    statement, tests, difference = ROWS[number]
    assert statement.endswith(".") and (not difference or difference.endswith("."))
    assert errors(tests) == []


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("", ["names no test"]),
        ("the table", ["not understood: the table"]),
        ("`test_references.py::test_of_nothing`", ["unknown test: `test_references.py::test_of_nothing`"]),
        ("`test_nothing.py::test_of_nothing`", ["unknown test: `test_nothing.py::test_of_nothing`"]),
        ('`NoTests/NoTests` — "Nothing"', ['unknown test: `NoTests/NoTests` — "Nothing"']),
        (f"{ADD} (`no such case`)", [f"unknown case: no such case of {ADD} (`no such case`)"]),
    ],
)
def test_an_error_in_a_row_is_found(cell: str, expected: list[str]) -> None:
    assert errors(cell) == expected

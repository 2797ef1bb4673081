"""The table: one row for each quantity, one column for each server, then the ratios of the first one to the others."""

from dataclasses import dataclass, field
from statistics import median


@dataclass
class Row:
    """A quantity; `values` has a number for each run of each server, `marks` the servers whose number has a note."""

    title: str
    unit: str
    values: dict[str, list[float]]
    marks: dict[str, str] = field(default_factory=dict)

    def number(self, server: str) -> float | None:
        values = self.values.get(server)
        return median(values) if values else None

    def cell(self, server: str) -> str:
        number = self.number(server)
        return "–" if number is None else rounded(number) + self.marks.get(server, "")

    def ratio(self, above: str, below: str) -> str:
        numbers = self.number(above), self.number(below)
        if numbers[0] is None or not numbers[1]:
            return "–"
        return f"{numbers[0] / numbers[1]:.2f}"


def spaced(number: float) -> str:
    """An integer, thousands apart."""
    return f"{number:,.0f}".replace(",", " ")


def rounded(number: float) -> str:
    """Three digits that mean something, thousands apart."""
    if abs(number) >= 100:
        return spaced(number)
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"


def table(rows: list[Row], servers: list[str]) -> list[str]:
    """The lines of a Markdown table, columns padded so that it reads well as plain text too."""
    ratios = [(servers[0], other) for other in servers[1:]]
    header = ["quantity", "unit", *servers, *(f"{above} ÷ {below}" for above, below in ratios)]
    cells = [[row.title, row.unit, *map(row.cell, servers), *(row.ratio(*pair) for pair in ratios)] for row in rows]
    widths = [max(len(line[column]) for line in [header, *cells]) for column in range(len(header))]
    rule = ["-" * width if column < 2 else "-" * (width - 1) + ":" for column, width in enumerate(widths)]
    padded = [[_pad(cell, widths[i], i) for i, cell in enumerate(line)] for line in [header, *cells]]
    return ["| " + " | ".join(line) + " |" for line in [padded[0], rule, *padded[1:]]]


def document(rows: list[Row], servers: list[str], facts: list[str], notes: list[str]) -> str:
    """The whole result of one run."""
    parts = [*_bullets(facts), "", *table(rows, servers)]
    return "\n".join([*parts, "", *_bullets(notes)] if notes else parts) + "\n"


def _bullets(lines: list[str]) -> list[str]:
    return [f"- {line}" for line in lines]


def _pad(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column < 2 else cell.rjust(width)

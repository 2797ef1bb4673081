"""Formats the table: a row per quantity, a column per server, and the first server's ratios to the others."""

from dataclasses import dataclass, field
from statistics import median


@dataclass
class Row:
    """A quantity. `values` contains a number per run of each server, and `marks` a footnote mark per server."""

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
    """Formats an integer with spaces between groups of thousands."""
    return f"{number:,.0f}".replace(",", " ")


def rounded(number: float) -> str:
    """Formats a number with about three significant digits and spaces between groups of thousands."""
    if abs(number) >= 100:
        return spaced(number)
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"


def table(rows: list[Row], servers: list[str]) -> list[str]:
    """Returns the lines of a Markdown table, with padded columns for legibility as plain text."""
    ratios = [(servers[0], other) for other in servers[1:]]
    header = ["quantity", "unit", *servers, *(f"{above} ÷ {below}" for above, below in ratios)]
    cells = [[row.title, row.unit, *map(row.cell, servers), *(row.ratio(*pair) for pair in ratios)] for row in rows]
    widths = [max(len(line[column]) for line in [header, *cells]) for column in range(len(header))]
    rule = ["-" * width if column < 2 else "-" * (width - 1) + ":" for column, width in enumerate(widths)]
    padded = [[_pad(cell, widths[i], i) for i, cell in enumerate(line)] for line in [header, *cells]]
    return ["| " + " | ".join(line) + " |" for line in [padded[0], rule, *padded[1:]]]


def document(rows: list[Row], servers: list[str], facts: list[str], notes: list[str]) -> str:
    """Returns the complete report of one run."""
    parts = [*_bullets(facts), "", *table(rows, servers)]
    return "\n".join([*parts, "", *_bullets(notes)] if notes else parts) + "\n"


def _bullets(lines: list[str]) -> list[str]:
    return [f"- {line}" for line in lines]


def _pad(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column < 2 else cell.rjust(width)

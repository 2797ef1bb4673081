"""Analyzes whether the samples of a soak test stay flat, and plots them."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape


@dataclass(frozen=True)
class Series:
    """A measured quantity over time, and the maximum rise of a flat quantity.

    The rise is measured on a straight line through the last two thirds. Caches and pools fill during the first third.
    """

    name: str
    unit: str
    most_rise: float
    points: Sequence[tuple[float, float]]

    @property
    def settled(self) -> list[tuple[float, float]]:
        end = self.points[-1][0]
        begin = self.points[0][0] + (end - self.points[0][0]) / 3
        return [point for point in self.points if point[0] >= begin]

    @property
    def slope(self) -> float:
        """Returns the median slope between all pairs of points (Theil and Sen). Outliers hardly affect this median."""
        settled = self.settled
        # An hour yields too many samples to compare all pairs. 300 points result in 45,000 slopes.
        step = max(1, len(settled) // 300)
        points = settled[::step]
        slopes = [
            (after[1] - before[1]) / (after[0] - before[0])
            for at, before in enumerate(points)
            for after in points[at + 1 :]
            if after[0] > before[0]
        ]
        return statistics.median(slopes) if slopes else 0.0

    @property
    def rise(self) -> float:
        """Returns the rise of the line over the last two thirds."""
        settled = self.settled
        return self.slope * (settled[-1][0] - settled[0][0])

    @property
    def is_flat(self) -> bool:
        return self.rise <= self.most_rise

    def __str__(self) -> str:
        values = [value for _, value in self.settled]
        verdict = "flat" if self.is_flat else "NOT FLAT"
        return (
            f"{self.name}: {verdict}; rises by {self.rise:.2f} {self.unit} (at most {self.most_rise:g}), "
            f"median {statistics.median(values):.1f}, from {min(values):.1f} to {max(values):.1f} {self.unit}"
        )


WIDTH, HEIGHT, MARGIN, GAP = 900, 180, 70, 60


def plot(path: Path, title: str, all_series: Sequence[Series]) -> None:
    """Writes an SVG image with a chart for each series."""
    total = GAP + len(all_series) * (HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{total}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{total}" fill="white"/>',
        f'<text x="{MARGIN}" y="30" font-size="16">{escape(title)}</text>',
    ]
    for index, series in enumerate(all_series):
        parts += _diagram(series, GAP + index * (HEIGHT + GAP))
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")


def _diagram(series: Series, top: float) -> list[str]:
    times = [time for time, _ in series.points]
    first, last = times[0], max(times[-1], times[0] + 1)
    highest = max(max(value for _, value in series.points) * 1.1, 1e-9)

    def x(time: float) -> float:
        return MARGIN + (time - first) / (last - first) * (WIDTH - 2 * MARGIN)

    def y(value: float) -> float:
        return top + HEIGHT - value / highest * HEIGHT

    line = " ".join(f"{x(time):.1f},{y(value):.1f}" for time, value in series.points)
    begin, end = series.settled[0], series.settled[-1]
    middle = sorted(value for _, value in series.settled)[len(series.settled) // 2]
    low, high = middle - series.rise / 2, middle + series.rise / 2
    grid = []
    for part in range(5):
        value = highest * part / 4
        grid += [
            f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>',
            f'<text x="{MARGIN - 6}" y="{y(value) + 4:.1f}" font-size="11" text-anchor="end">{value:.4g}</text>',
        ]
    for part in range(7):
        time = first + (last - first) * part / 6
        text = f"{(time - first) / 60:.1f} min"
        grid.append(
            f'<text x="{x(time):.1f}" y="{top + HEIGHT + 16}" font-size="11" text-anchor="middle">{text}</text>'
        )
    return [
        f'<text x="{MARGIN}" y="{top - 8}" font-size="13">{escape(f"{series.name} in {series.unit}")}</text>',
        *grid,
        f'<polyline points="{line}" fill="none" stroke="#06c" stroke-width="1.2"/>',
        f'<line x1="{x(begin[0]):.1f}" x2="{x(end[0]):.1f}" y1="{y(max(low, 0)):.1f}" y2="{y(max(high, 0)):.1f}" '
        'stroke="#c30" stroke-width="1.5" stroke-dasharray="6 4"/>',
    ]


def percentile(values: Sequence[float], part: float) -> float:
    """Returns the value at this quantile."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def gaps(times: Sequence[float]) -> float:
    """Returns the longest interval between two samples."""
    return max((after - before for before, after in pairwise(times)), default=0.0)

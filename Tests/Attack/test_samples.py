"""Tests the soak test's verdict: it detects a leak and tolerates noise."""

import random
from pathlib import Path
from xml.etree import ElementTree

import pytest

from attackers.samples import Series, percentile, plot

TIMES = [float(second) for second in range(0, 1800, 5)]


def series(values: list[float], most_rise: float = 4.0) -> Series:
    return Series("memory", "MB", most_rise, list(zip(TIMES, values, strict=True)))


def noise(amplitude: float) -> list[float]:
    dice = random.Random(1)
    return [100 + dice.uniform(-amplitude, amplitude) for _ in TIMES]


@pytest.mark.parametrize(
    "values",
    [
        noise(10),
        [100 if time > 300 else 50 + time / 6 for time in TIMES],
        [400 if time in (600, 900) else 100 for time in TIMES],
        [100 - time / 100 for time in TIMES],
    ],
    ids=["noise", "a rise at the start", "outliers", "a fall"],
)
def test_values_without_a_trend_count_as_flat(values: list[float]) -> None:
    assert series(values).is_flat, str(series(values))


@pytest.mark.parametrize(
    "values",
    [
        [100 + time / 200 for time in TIMES],
        [value + time / 150 for value, time in zip(noise(5), TIMES, strict=True)],
    ],
    ids=["a leak", "a leak in noise"],
)
def test_a_leak_is_noticed(values: list[float]) -> None:
    assert not series(values).is_flat, str(series(values))


def test_the_plot_is_an_image_with_a_diagram_for_each_series(tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    plot(path, "Soak <test>", [series(noise(5)), series(noise(1))])
    root = ElementTree.parse(path).getroot()
    assert root.tag.endswith("svg")
    assert len(root.findall("{*}polyline")) == 2


def test_percentiles() -> None:
    values = [float(number) for number in range(1, 101)]
    assert percentile(values, 0.5) == 51
    assert percentile(values, 0.99) == 100
    assert percentile([7.0], 0.99) == 7

"""Draws the results of one run as SVG files."""

from collections.abc import Callable
from pathlib import Path
from statistics import median

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from load import Scenario
from quantities import CONNECTIONS_RATE, OPEN_CONNECTIONS, Samples

# Each server also has its own marker, for readers who cannot distinguish colors.
LOOKS = {
    "motivator": ("#0b62b5", "o"),
    "nginx": ("#3a7d34", "s"),
    "Hummingbird": ("#b5570b", "^"),
    "FlyingFox": ("#c4a000", "v"),
    "Node": ("#75507b", "D"),
    "h2o": ("#777777", "P"),
    "lighttpd": ("#ce5c9b", "*"),
    "Caddy": ("#a40000", "X"),
}


def draw(samples: Samples, folder: Path) -> None:
    """Writes `requests.svg`, `rates.svg` and `connections.svg` into the folder."""
    # The same run always produces the same files. The files contain text instead of glyph outlines.
    mpl.rcParams.update({"svg.hashsalt": "motivator", "svg.fonttype": "none"})
    offered = [scenario for scenario in samples if scenario.offered]
    rates = [scenario for scenario in offered if scenario.connections not in OPEN_CONNECTIONS]
    connections = sorted(
        (scenario for scenario in offered if scenario.offered == CONNECTIONS_RATE), key=lambda one: one.connections
    )
    if closed := [scenario for scenario in samples if not scenario.offered]:
        _write(_bars(samples, closed), folder / "requests.svg")
    if offered:
        _write(_latencies(samples, rates), folder / "rates.svg")
        _write(_costs(samples, connections), folder / "connections.svg")


def _write(figure: Figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def _median(samples: Samples, scenario: Scenario, server: str, name: str) -> float:
    return median(getattr(sample, name) for sample in samples[scenario][server])


def _bars(samples: Samples, scenarios: list[Scenario]) -> Figure:
    """Draws each scenario's rates and costs, relative to nginx or else to the first server."""
    servers = list(dict.fromkeys(server for scenario in scenarios for server in samples[scenario]))
    reference = "nginx" if "nginx" in servers else servers[0]
    thickness = 0.8 / len(servers)
    figure = Figure(figsize=(10, 0.5 * len(scenarios) + 1.6))
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, name, title in ((left, "rate", "requests per second"), (right, "cpu_us", "server CPU per request")):
        for place, server in enumerate(servers):
            measured = [(index, one) for index, one in enumerate(scenarios) if {server, reference} <= set(samples[one])]
            positions = [index - 0.4 + (place + 0.5) * thickness for index, _ in measured]
            widths = [
                _median(samples, one, server, name) / _median(samples, one, reference, name) for _, one in measured
            ]
            axes.barh(positions, widths, height=thickness, color=LOOKS[server][0], label=server)
        axes.set(title=f"{title} ÷ {reference}'s", yticks=range(len(scenarios)))
        axes.set_yticklabels([scenario.title for scenario in scenarios])
        axes.grid(axis="x", alpha=0.4)
        axes.set_axisbelow(True)
    left.invert_yaxis()
    right.legend(loc="lower right")
    return figure


def _latencies(samples: Samples, scenarios: list[Scenario]) -> Figure:
    figure = Figure(figsize=(10, 4))
    for axes, name, title in zip(figure.subplots(1, 2, sharey=True), ("p50_ms", "p99_ms"), ("p50", "p99"), strict=True):
        _lines(axes, samples, scenarios, name, lambda one: one.offered)
        axes.set(title=f"latency, {title}", xlabel="requests per second offered", ylabel="ms", yscale="log")
    return figure


def _costs(samples: Samples, scenarios: list[Scenario]) -> Figure:
    figure = Figure(figsize=(10, 4))
    for axes, name, title in zip(
        figure.subplots(1, 2), ("cpu_us", "p99_ms"), ("server CPU per request, µs", "latency, p99, ms"), strict=True
    ):
        _lines(axes, samples, scenarios, name, lambda one: one.connections)
        axes.set(title=title, xlabel="open connections", xscale="log")
        axes.set_ylim(bottom=0)
    return figure


def _lines(
    axes: Axes, samples: Samples, scenarios: list[Scenario], name: str, place: Callable[[Scenario], int]
) -> None:
    for server in samples[scenarios[0]]:
        color, marker = LOOKS[server]
        heights = [_median(samples, one, server, name) for one in scenarios]
        axes.plot([place(one) for one in scenarios], heights, color=color, marker=marker, label=server)
    axes.grid(alpha=0.4)
    axes.legend()

"""Fixtures for attacks. Each test has its own server and a well-behaved client."""

import os
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from attackers.bystander import Bystander, Report
from attackers.memory import MOST_ABOVE_START, MemoryWatch, status_value
from support.fixtures import Start
from support.fixtures import start as start
from support.server import BINARY, Server
from support.waiting import LIMIT

os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="also run the attacks at full size and duration")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full"):
        return
    full = [item for item in items if item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=full)
    items[:] = [item for item in items if item not in full]


def pytest_sessionstart() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if sys.platform != "linux":
        pytest.exit("the attacks use loopback addresses, epoll and /proc: run them on Linux", returncode=3)
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"no server found at {BINARY}; build it with: scripts/test --attack", returncode=3)


# The least number of requests of the well-behaved client before, during and after an attack.
ENOUGH = 10


@dataclass
class Attack:
    """A server under attack, the well-behaved client, and the reports of both."""

    server: Server
    bystander: Bystander
    memory: MemoryWatch
    report: Report | None = None

    def hold(self, *, requests: int = ENOUGH, latency: float | None = None, most: int = MOST_ABOVE_START) -> Report:
        """Asserts that every request of the well-behaved client succeeded, and that memory stayed within its limit.

        Also waits for requests after the attack, to detect a server that fails later: at least four, and more after an
        attack that was so short that the client has sent few.
        """
        sent = len(self.bystander.so_far().services)
        self.bystander.wait_for_requests(max(4, ENOUGH - sent))
        report = self.report = self.bystander.stop()
        above = self.memory.above_start
        print(f"well-behaved client: {report}; memory at most {above / 1e6:.0f} MB above start")
        assert len(report.services) >= requests, report
        assert not report.failures, f"{report}; first failure: {report.failures[0]}"
        self.memory.hold(most)
        if latency is not None:
            assert report.worst < latency, f"{report}; at most {latency:.0f} ms"
        return report


@pytest.fixture
def attack(start: Start) -> Iterator[Callable[..., Any]]:
    """Starts a server and a well-behaved client: `with attack(options) as under: ...; under.hold()`."""

    @contextmanager
    def begin(*options: str, interval: float = 0.05, server: Server | None = None) -> Iterator[Attack]:
        server = server or start(*options)
        with Bystander(server, interval) as bystander:
            bystander.wait_for_requests(4)
            under = Attack(server, bystander, MemoryWatch(server))
            yield under
            if under.report is None:
                under.hold()

    yield begin


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """Closes the connections of a test, even if the test fails."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def recovered() -> Callable[..., Any]:
    """Asserts that the number of descriptors and the memory return to their earlier values."""
    from attackers.memory import wait_until

    # The amount of memory that allocators may keep, in bytes. The server must release TLS sessions and content.
    growth = 12 << 20

    @contextmanager
    def hold(server: Server, *, most: int = growth, limit: float = LIMIT, spare: int = 0) -> Iterator[None]:
        """`spare` is the number of descriptors that the well-behaved client may use."""
        for _ in range(10):
            with server.connect() as wire:
                wire.ask("/digits.txt", "Connection: close")
                wire.wait_for_end()
        assert wait_until(lambda: True, server)
        before, resident = server.descriptors, status_value(server, "VmRSS")
        yield
        assert wait_until(lambda: server.descriptors <= before + spare, server, limit), (
            f"{server.descriptors} descriptors are open, but {before} were open before"
        )
        assert wait_until(lambda: status_value(server, "VmRSS") - resident < most, server, limit), (
            f"{(status_value(server, 'VmRSS') - resident) / 1e6:.1f} MB more than before"
        )

    return hold

"""The servers that the tests talk to."""

import os
import resource
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.server import BINARY, ROOT, Server

# Chromium's driver and everything else here is on this machine; a proxy has no business in between.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"

Start = Callable[..., Server]


def pytest_sessionstart() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8192), most))
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"there is no server at {BINARY}; build it with: scripts/test --end-to-end", returncode=3)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that leave it as it was: the defaults, with `/echo` and the plain port."""
    running = Server(tmp_path_factory.mktemp("server"), "--echo", plain=True)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def context(server: Server) -> ssl.SSLContext:
    """The TLS settings of a client that trusts the shared server."""
    return server.context


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts servers with options of the test's own; each is ended cleanly when the test is over."""
    running: list[Server] = []

    def begin(*options: str, **settings: Any) -> Server:
        home = tmp_path / f"server-{len(running)}"
        home.mkdir()
        running.append(Server(home, *options, **settings))
        return running[-1]

    yield begin
    failures = []
    for one in running:
        try:
            one.stop()
        except AssertionError as failure:
            failures.append(str(failure))
    assert not failures, "\n".join(failures)


@pytest.fixture(scope="session")
def reports() -> Path:
    """Where what a person may want to look at is left; git ignores it."""
    folder = ROOT / "reports"
    folder.mkdir(exist_ok=True)
    return folder

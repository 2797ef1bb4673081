"""The servers that the tests talk to."""

import os
import resource
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

# A fixture that is imported here is one of this folder.
from support.fixtures import start as start
from support.server import BINARY, ROOT, Server

# Chromium's driver and everything else here is on this machine; a proxy has no business in between.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"


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


@pytest.fixture(scope="session")
def reports() -> Path:
    """Where what a person may want to look at is left; git ignores it."""
    folder = ROOT / "reports"
    folder.mkdir(exist_ok=True)
    return folder

"""The fixtures of the end-to-end tests."""

import os
import resource
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

# pytest finds imported fixtures in this folder.
from support.browser import driver as driver
from support.browser import one_driver as one_driver
from support.device import Issuer
from support.faulty import FaultyServer
from support.fixtures import start as start
from support.network import laptop as laptop
from support.server import BINARY, ROOT, UNLIMITED, Server

# All programs run on this machine, so connections must not use a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"


def pytest_sessionstart() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8192), most))
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"no server found at {BINARY}; build it with: scripts/test --end-to-end", returncode=3)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests that do not change its state. It has the default options, `/echo` and a plain port."""
    running = Server(tmp_path_factory.mktemp("server"), "--echo", plain=True)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyServer]:
    """A server with hosts that are broken on purpose, for tests that do not change its state."""
    running = Server(tmp_path_factory.mktemp("faulty"), "--faults", "--echo", plain=True, public=ROOT / "Public")
    yield FaultyServer.of(running)
    running.stop()


@pytest.fixture(scope="session")
def inspected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the inspector and with hosts that are broken on purpose. The tests add entries."""
    running = Server(tmp_path_factory.mktemp("inspected"), "--inspector", "--faults", "--echo", plain=True)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the accounts of one module, with the demo's files, a plain port and no limit on attempts."""
    running = Server(tmp_path_factory.mktemp("site"), *UNLIMITED, plain=True, public=ROOT / "Public")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Issuer:
    """The CA of the test sites."""
    return Issuer.new(tmp_path_factory.mktemp("issuer"))


@pytest.fixture(scope="session")
def context(server: Server) -> ssl.SSLContext:
    """The TLS context of a client that trusts the shared server."""
    return server.context


@pytest.fixture(scope="session")
def reports() -> Path:
    """The folder for reports that are meant for people. Git ignores this folder."""
    folder = ROOT / "reports"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """Closes the test's connections, even if the test fails."""
    with ExitStack() as stack:
        yield stack

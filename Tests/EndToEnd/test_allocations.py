"""The allocations of a kept-alive request for a ready response, in the release build."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.fixtures import Start
from support.server import BINARY, ROOT, Server
from support.wire import Wire

SOURCE = Path(__file__).parent / "support/count_allocations.c"
ASSOCIATION = "/.well-known/apple-app-site-association"
REQUESTS = 2_000
# A debug build allocates far more, and a sanitizer has its own allocator.
is_release = BINARY.resolve() == (ROOT / ".build/release/motivator").resolve()


@pytest.fixture
def counted(start: Start, tmp_path: Path) -> tuple[Server, Path]:
    """Returns a server, and the file with the number of its allocations."""
    library, count = tmp_path / "count_allocations.so", tmp_path / "count"
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "no C compiler (cc, clang)"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    count.write_bytes(bytes(8))
    variables = {"LD_PRELOAD": str(library), "ALLOCATION_COUNT": str(count)}
    return start("--loops", "1", plain=True, variables=variables), count


def allocations(wire: Wire, count: Path) -> float:
    """Returns the number of allocations per request. The first requests fill caches and buffers."""
    number = [0, 0]
    for round_ in range(2):
        number[round_] = int.from_bytes(count.read_bytes(), "little")
        for _ in range(REQUESTS):
            assert wire.ask(ASSOCIATION).status == 200
    return (int.from_bytes(count.read_bytes(), "little") - number[1]) / REQUESTS


@pytest.mark.skipif(not is_release, reason="only the release build optimizes allocations away")
def test_a_ready_response_needs_no_allocation(counted: tuple[Server, Path]) -> None:
    server, count = counted
    with server.connect_plain() as wire:
        # Work that does not belong to a request allocates now and then. An allocation per request would make 1.
        assert allocations(wire, count) < 0.5


@pytest.mark.skipif(not is_release, reason="only the release build optimizes allocations away")
def test_over_tls_only_openssl_allocates(counted: tuple[Server, Path]) -> None:
    server, count = counted
    with server.connect() as wire:
        # OpenSSL 3 allocates six times per request: twice per record that it reads or writes, and for its locks.
        assert allocations(wire, count) < 6.5

"""The allocations of a kept-alive request for a ready response, in the release build."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.fixtures import Start
from support.server import BINARY, ROOT

SOURCE = Path(__file__).parent / "support/count_allocations.c"
REQUESTS = 2_000
ROUNDS = 20
# The allocations per request. OpenSSL 3.0 allocates six times to read a record and to write one. One allocation of the
# server for each request would make seven.
MOST = 6.5
# A debug build allocates far more, and a sanitizer has its own allocator.
is_release = BINARY.resolve() == (ROOT / ".build/release/motivator").resolve()


def allocations(count: Path) -> int:
    return int.from_bytes(count.read_bytes(), "little")


@pytest.mark.skipif(not is_release, reason="only the release build optimizes allocations away")
def test_only_openssl_allocates_for_a_ready_response(start: Start, tmp_path: Path) -> None:
    library, count = tmp_path / "count_allocations.so", tmp_path / "count"
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "no C compiler (cc, clang)"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    count.write_bytes(bytes(8))
    server = start("--loops", "1", variables={"LD_PRELOAD": str(library), "ALLOCATION_COUNT": str(count)})
    rounds: list[float] = []
    with server.connect() as wire:
        # The requests of the first round fill caches and buffers. Work that belongs to no request, such as rendering
        # the pages after the start, can take several rounds on a busy machine.
        while len(rounds) < 2 or (rounds[-1] >= MOST and len(rounds) < ROUNDS):
            before = allocations(count)
            for _ in range(REQUESTS):
                assert wire.ask("/.well-known/apple-app-site-association").status == 200
            rounds.append((allocations(count) - before) / REQUESTS)
    assert rounds[-1] < MOST, rounds

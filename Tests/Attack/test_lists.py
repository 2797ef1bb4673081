"""A long list of sites: the memory of a check does not depend on the number of sites."""

import re
import subprocess
from pathlib import Path

from support.checking import RETRY
from support.server import BINARY, environment

ROUND, ROUNDS = 1_000, 25
# On a busy machine, each thread has worked, and so has its memory, only after many sites.
FIRST = 10
# The maximum growth in KiB after the first rounds. A block of 64 bytes that remains for each site would add 1,200 KiB,
# and one for each name lookup twice as much.
GROWTH = 600


def test_memory_does_not_grow_with_the_number_of_sites(tmp_path: Path) -> None:
    """Connections to the sites are refused after a name lookup."""
    options = ("--targets", "-", "--jobs", "64", "--format", "ndjson", "--connect-to", "::localhost:1")
    # Without the caches of the threads, and with one arena, the growth is the memory that the sites leave.
    settings = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1"}
    process = subprocess.Popen(
        [BINARY, "association", "check", "--assume-public", *options],
        env=environment(tmp_path) | settings,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin and process.stdout
    peaks = []
    for number in range(ROUNDS):
        process.stdin.write("".join(f"s{number}-{site}.sites.test\n" for site in range(ROUND)).encode())
        process.stdin.flush()
        for _ in range(ROUND):
            assert process.stdout.readline()
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
        assert found
        peaks.append(int(found[1]))
    process.stdin.close()
    process.stdout.close()
    assert process.wait() == RETRY
    assert peaks[-1] - peaks[FIRST - 1] < GROWTH, f"KiB after each {ROUND} sites: {peaks}"

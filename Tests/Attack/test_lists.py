"""A long list of sites: the memory of a check does not depend on the number of sites."""

import os
import subprocess
from pathlib import Path

from support.checking import RETRY
from support.server import BINARY, environment

FEW, MANY = 1_000, 25_000
# The maximum growth in KiB. A block of 64 bytes that remains for each site would add 1,900 KiB, and one for each name
# lookup twice as much.
GROWTH = 1_200


def peak(folder: Path, count: int) -> int:
    """Checks sites whose connections are refused after a name lookup. Returns the maximum resident memory in KiB."""
    options = ("--targets", "-", "--jobs", "64", "--quiet", "--assume-public", "--connect-to", "::localhost:1")
    # Without the caches of the threads, and with one arena, the growth is the memory that the sites leave.
    settings = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1"}
    process = subprocess.Popen(
        [BINARY, "association", "check", *options],
        env=environment(folder) | settings,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert process.stdin
    process.stdin.write("".join(f"s{number}.sites.test\n" for number in range(count)).encode())
    process.stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == RETRY
    return used.ru_maxrss


def test_memory_does_not_grow_with_the_number_of_sites(tmp_path: Path) -> None:
    few, many = (peak(tmp_path, count) for count in (FEW, MANY))
    assert many - few < GROWTH, f"{few} KiB for {FEW} sites, but {many} KiB for {MANY}"

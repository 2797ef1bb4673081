"""`association check` of servers that stall, lie, reset or never end. Reports an issue in time, with bounded memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import LIMIT, NO, check
from support.device import Issuer
from support.keys import association
from support.server import BINARY, environment
from support.sites import Stream, response, without_end

ENTRY = ("--entitlement", f"webcredentials:{SITE}?mode=developer")
MOST_MEMORY = 80 << 10
FILE = response(association())
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("head", "piece", "code"),
    [
        pytest.param(HEAD + b"Content-Length: 10737418240\r\n\r\n", b" " * 65536, "file-too-large", id="content"),
        pytest.param(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 512, "http-malformed", id="interim responses"),
    ],
)
def test_an_endless_response_is_denied_and_uses_little_memory(
    issuer: Issuer, tmp_path: Path, head: bytes, piece: bytes, code: str
) -> None:
    def behave(stream: Stream, _: str) -> None:
        stream.sendall(head)
        without_end(stream, piece)

    with issuer.site(behave) as site:
        options = issuer.options(site.port)
        report = check(tmp_path, SITE, *options, *ENTRY, verdict=NO)
        peak = peak_memory(tmp_path, "check", SITE, *options)
    assert report.verdicts == ("denied",) * 3
    assert code in report.codes
    assert peak < MOST_MEMORY


# A separate process measures the memory. Memory inherited from pytest would count toward the child's peak.
MEASURE = """
import os, resource, sys
away = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=away)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_memory(home: Path, *arguments: str) -> int:
    """Returns the peak resident memory of `motivator association`, in KiB."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", MEASURE, BINARY, "association", *arguments],
        cwd=home,
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=LIMIT,
    )
    code, peak = map(int, done.stdout.split())
    assert code == NO
    return peak

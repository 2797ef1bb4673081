"""`association check` of servers that stall, lie, reset or never end. Reports an issue in time, with bounded memory."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import LIMIT, NO, PROFILES, RETRY, check, steered
from support.keys import association
from support.server import BINARY, environment
from support.sites import Site, Stream, over_tls, reset, response, wait_for_the_end, without_end
from support.trusted import Trusted

ENTRY = ("--entitlement", f"webcredentials:{SITE}?mode=developer")
MOST_MEMORY = 80 << 10
FILE = response(association())
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Trusted:
    return Trusted.make(tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize(
    ("message", "end", "code"),
    [
        pytest.param(b"", wait_for_the_end, "network-timed-out", id="no response"),
        pytest.param(FILE[:-10], reset, "network-closed", id="a reset in the content"),
    ],
)
def test_a_device_tries_again_after_a_timeout_and_after_a_reset(
    trusted: Trusted, tmp_path: Path, message: bytes, end: Callable[[Stream], None], code: str
) -> None:
    def behave(stream: Stream, _: str) -> None:
        stream.sendall(message)
        end(stream)

    with Site(over_tls(trusted.context, behave)) as site:
        options = (*steered(site.port, SITE), "--trust", trusted.root, "--timeout", "1", *ENTRY)
        report = check(tmp_path, SITE, *options, verdict=RETRY)
    assert report.verdicts == ("retry",) * 3
    assert report.codes - {"entitlement-developer-mode", "signature-missing"} == {code}
    assert len(report.document["fetches"]) == 2


@pytest.mark.parametrize(
    ("head", "piece", "code"),
    [
        pytest.param(HEAD + b"Content-Length: 10737418240\r\n\r\n", b" " * 65536, "file-too-large", id="content"),
        pytest.param(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 512, "http-malformed", id="interim responses"),
    ],
)
def test_an_endless_response_is_denied_and_uses_little_memory(
    trusted: Trusted, tmp_path: Path, head: bytes, piece: bytes, code: str
) -> None:
    def behave(stream: Stream, _: str) -> None:
        stream.sendall(head)
        without_end(stream, piece)

    with Site(over_tls(trusted.context, behave)) as site:
        options = (*steered(site.port, SITE), "--trust", str(trusted.root), "--timeout", "60")
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


def moving(stream: Stream, path: str) -> None:
    """Redirects to another path, endlessly."""
    number = int(match[1]) + 1 if (match := re.fullmatch(r"/to/(\d+)", path)) else 0
    stream.sendall(response(b"", 302, fields=[f"Location: https://{SITE}/to/{number}"]))


@pytest.mark.parametrize(
    ("mode", "codes", "most"),
    [
        pytest.param("", {"http-redirect"}, 2, id="without a mode"),
        pytest.param("?mode=developer", {"http-redirect-followed", "http-redirect-loop"}, 24, id="with a mode"),
    ],
)
def test_endless_redirects_are_an_error(
    trusted: Trusted, tmp_path: Path, mode: str, codes: set[str], most: int
) -> None:
    entry = ("--entitlement", f"webcredentials:{SITE}{mode}")
    with Site(over_tls(trusted.context, moving)) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), "--trust", trusted.root, *entry, verdict=NO)
        assert site.connections <= most
    assert report.verdicts == ("denied",) * 3
    assert report.codes_of("http") == codes
    # The issues cover all profiles: `documented` stops at the first redirect.
    assert set(PROFILES) == {
        reading for issue in report.document["issues"] if issue["code"] in codes for reading in issue["profiles"]
    }

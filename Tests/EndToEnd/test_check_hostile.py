"""`association check` of servers that stall, lie, reset or never end. Reports an issue in time, with bounded memory."""

import contextlib
import re
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.authorities import SERVERS, SITE, Maker, named
from support.checking import LIMIT, NO, PROFILES, RETRY, check, steered
from support.keys import association
from support.server import BINARY, environment
from support.sites import (
    Serve,
    Site,
    Stream,
    always,
    bytewise,
    head_of,
    over_tls,
    reset,
    response,
    tls_context,
    wait_for_the_end,
    without_end,
)

ENTRY = ("--entitlement", f"webcredentials:{SITE}?mode=developer")
SECONDS = 1
MOST_MEMORY = 80 << 10
FILE = response(association())
NEVER = threading.Event()
HEAD = b"HTTP/1.1 200 OK\r\n"
ENDLESS = HEAD + b"Content-Type: application/json\r\n"


@dataclass(frozen=True)
class Trusted:
    context: ssl.SSLContext
    root: Path


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Trusted:
    maker = Maker(tmp_path_factory.mktemp("hostile"))
    root = maker.authority("Test Root")
    leaf = maker.make(SITE, root, named(SITE), SERVERS)
    return Trusted(tls_context(leaf), root.certificate)


@dataclass(frozen=True)
class Case:
    """A server's behavior after the request, the exact issues except those about the root, and the verdict."""

    name: str
    behave: Callable[[Stream, str], None]
    codes: set[str]
    verdict: str = "denied"


def says(name: str, message: bytes, *codes: str, verdict: str = "denied") -> Case:
    """Creates a case: the server sends the message and closes the connection properly."""
    return Case(name, always(message), set(codes), verdict)


def then(message: bytes, end: Callable[[Stream], None]) -> Callable[[Stream, str], None]:
    def behave(stream: Stream, _: str) -> None:
        stream.sendall(message)
        end(stream)

    return behave


def again_and_again(head: bytes, piece: bytes) -> Callable[[Stream, str], None]:
    return then(head, lambda stream: without_end(stream, piece))


SLOW = [
    Case("stalls before the head", then(b"", wait_for_the_end), {"network-timed-out"}, "retry"),
    Case("stalls in the head", then(HEAD + b"Content-", wait_for_the_end), {"network-timed-out"}, "retry"),
    Case(
        "sends the head byte by byte",
        lambda stream, _: bytewise(stream, FILE, NEVER),
        {"network-timed-out"},
        "retry",
    ),
    Case("stalls in the content", then(FILE[:-10], wait_for_the_end), {"network-timed-out"}, "retry"),
    Case(
        "sends the content byte by byte",
        lambda stream, _: (stream.sendall(FILE[:-100]), bytewise(stream, FILE[-100:], NEVER))[1],
        {"network-timed-out"},
        "retry",
    ),
    Case(
        "stalls after half a chunk",
        then(ENDLESS + b"Transfer-Encoding: chunked\r\n\r\n40\r\n{", wait_for_the_end),
        {"network-timed-out"},
        "retry",
    ),
]
FALSE = [
    says("announces more than it sends", response(b"{}", length=100), "network-closed", verdict="retry"),
    says("announces less than it sends", response(association(), length=len(association()) - 1), "json-cut-off"),
    says("cuts the head short", HEAD + b"Content-Len", "network-closed", verdict="retry"),
    Case(
        "cuts a chunk short",
        always(ENDLESS + b"Transfer-Encoding: chunked\r\n\r\n40\r\n{"),
        {"network-closed"},
        "retry",
    ),
    says("announces a negative length", ENDLESS + b"Content-Length: -1\r\n\r\n", "http-malformed"),
    says("announces two lengths", ENDLESS + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}", "http-malformed"),
    says("announces a huge length", ENDLESS + b"Content-Length: 9" + b"9" * 30 + b"\r\n\r\n{}", "http-malformed"),
    says(
        "announces a length and chunks",
        ENDLESS + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "http-malformed",
    ),
    says("sends a bad chunk size", ENDLESS + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}", "http-malformed"),
    says(
        "sends a chunk size of 20 digits",
        ENDLESS + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 20 + b"\r\n{}",
        "http-malformed",
    ),
    says("sends a chunk without its end", ENDLESS + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}xx", "http-malformed"),
    says("speaks another protocol", b"220 mail.example.test ESMTP\r\n", "http-malformed"),
    says("speaks HTTP/2", b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + b"\x00\x03\x00\x00\x00\x64" * 3, "http-malformed"),
    says("speaks HTTP/9", b"HTTP/9.9 200 OK\r\n\r\n{}", "http-malformed"),
    says("sends bare line feeds", b"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", "http-malformed"),
    says("sends NUL in a field", HEAD + b"X: \x00\r\nContent-Length: 2\r\n\r\n{}", "http-malformed"),
    says("changes the protocol", b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", "http-malformed"),
    says("sends nothing and ends", b"", "network-closed", verdict="retry"),
    Case("resets after the request", then(b"", reset), {"network-closed"}, "retry"),
    Case("resets in the content", then(FILE[:-10], reset), {"network-closed"}, "retry"),
]
LARGE = [
    Case(
        "content without a length and without end",
        again_and_again(ENDLESS + b"\r\n", b" " * 65536),
        {"file-too-large"},
    ),
    Case(
        "10 GB as it is announced",
        again_and_again(ENDLESS + b"Content-Length: 10737418240\r\n\r\n", b" " * 65536),
        {"file-too-large"},
    ),
    Case(
        "chunks without end",
        again_and_again(ENDLESS + b"Transfer-Encoding: chunked\r\n\r\n", b"4000\r\n" + b" " * 0x4000 + b"\r\n"),
        {"file-too-large"},
    ),
    Case(
        "chunk extensions without end",
        again_and_again(ENDLESS + b"Transfer-Encoding: chunked\r\n\r\n1;", b"a=b;" * 4096),
        {"http-malformed"},
    ),
    Case("a field without end", again_and_again(HEAD + b"X: ", b"x" * 65536), {"http-malformed"}),
    Case("fields without end", again_and_again(HEAD, b"X: x\r\n" * 4096), {"http-malformed"}),
    Case("a status line without end", again_and_again(b"HTTP/1.1 200 ", b"x" * 65536), {"http-malformed"}),
    Case(
        "interim answers without end", again_and_again(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 512), {"http-malformed"}
    ),
    Case(
        "trailers without end",
        again_and_again(ENDLESS + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", b"X: x\r\n" * 4096),
        {"http-malformed"},
    ),
]


@pytest.mark.parametrize("case", SLOW + FALSE, ids=lambda case: case.name)
def test_a_server_that_stalls_or_lies_is_found_out(trusted: Trusted, tmp_path: Path, case: Case) -> None:
    with Site(over_tls(trusted.context, case.behave)) as site:
        report = check(
            *(tmp_path, SITE, *steered(site.port, SITE), "--trust", trusted.root, "--timeout", str(SECONDS), *ENTRY),
            verdict=RETRY if case.verdict == "retry" else NO,
        )
    assert report.verdicts == (case.verdict,) * 3
    assert report.codes - {"entitlement-developer-mode", "signature-missing"} == case.codes
    assert len(report.document["fetches"]) == 2


@pytest.mark.parametrize("case", LARGE, ids=lambda case: case.name)
def test_what_never_ends_costs_no_memory(trusted: Trusted, tmp_path: Path, case: Case) -> None:
    with Site(over_tls(trusted.context, case.behave)) as site:
        report = check(
            *(tmp_path, SITE, *steered(site.port, SITE), "--trust", trusted.root, "--timeout", "5", *ENTRY), verdict=NO
        )
        peak = peak_memory(
            tmp_path,
            *("check", SITE, *steered(site.port, SITE), "--trust", str(trusted.root), "--timeout", "5"),
        )
    assert report.verdicts == ("denied",) * 3
    assert report.codes - {"entitlement-developer-mode", "signature-missing"} == case.codes
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


def test_a_server_that_says_nothing_before_the_handshake_is_left(tmp_path: Path) -> None:
    with Site(wait_for_the_end) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), "--timeout", "1", verdict=RETRY)
    assert report.codes == {"network-timed-out"}


@pytest.mark.parametrize(
    ("serve", "code"),
    [
        pytest.param(
            lambda connection: (path_less(connection), connection.sendall(FILE))[1], "tls-not-spoken", id="plain HTTP"
        ),
        pytest.param(lambda connection: connection.sendall(b"SSH-2.0-x\r\n"), "tls-not-spoken", id="another protocol"),
        pytest.param(
            lambda connection: (path_less(connection), connection.sendall(b"\x15\x03\x03\x00\x02\x02\x28"))[1],
            "tls-handshake-failed",
            id="an alert",
        ),
        pytest.param(
            lambda connection: without_end(connection, b"\x16\x03\x03\x40\x00" + b"\x0b" * 0x4000),
            "tls-handshake-failed",
            id="handshake records without end",
        ),
    ],
)
def test_a_port_without_tls_is_denied(tmp_path: Path, serve: Serve, code: str) -> None:
    with Site(serve) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), "--timeout", "2", verdict=NO)
    assert (report.verdicts, report.codes) == (("denied",) * 3, {code})


def path_less(connection: Stream) -> None:
    """Reads the first available bytes."""
    connection.recv(65536)


def test_a_plain_port_is_shown_as_what_it_is(tmp_path: Path) -> None:
    def serve(connection: Stream) -> None:
        connection.sendall(b"HTTP/1.1 400 Bad Request\x1b[31m\r\n\r\n")
        with contextlib.suppress(OSError):
            head_of(connection)

    with Site(serve) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), "--timeout", "2", verdict=NO)
    assert "HTTP/1.1 400 Bad Request" in report.issue("tls-not-spoken")["message"]


def test_nobody_at_the_port_is_tried_again(tmp_path: Path) -> None:
    with Site(wait_for_the_end) as site:
        port = site.port
    report = check(tmp_path, SITE, *steered(port, SITE), "--timeout", "2", verdict=RETRY)
    assert (report.verdicts, report.codes) == (("retry",) * 3, {"network-unreachable"})
    assert report.document["fetches"][0]["status"] is None


def test_a_name_that_nobody_has_is_denied(tmp_path: Path) -> None:
    # RFC 6761 §6.4: resolvers answer queries for .invalid themselves. An unreachable resolver results in another code.
    report = check(tmp_path, "site.invalid", "--timeout", "5")
    assert report.codes <= {"network-unknown-host", "network-name-failed"}
    assert report.verdicts == (("denied" if "network-unknown-host" in report.codes else "retry"),) * 3


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
def test_redirects_come_to_an_end(trusted: Trusted, tmp_path: Path, mode: str, codes: set[str], most: int) -> None:
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

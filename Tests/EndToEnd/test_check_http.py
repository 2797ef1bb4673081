"""`association check` of servers with unsuitable responses: the codes and the verdict of each profile."""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from support.authorities import SERVERS, SITE, Maker, named
from support.checking import NO, RETRY, YES, check, steered
from support.checking import association as command
from support.keys import APPS, association
from support.sites import JSON, Site, Stream, always, over_tls, response, tls_context
from support.trusted import BESIDE, A, D, R, Trusted, asked, redirect

MODE = ("--entitlement", f"webcredentials:{SITE}?mode=developer")
FILE = response(association())


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Trusted:
    return Trusted.make(tmp_path_factory.mktemp("http"))


def moved(stream: Stream, path: str) -> None:
    """Redirects to a path that has the file."""
    stream.sendall(FILE if path == "/file" else redirect(301, "/file"))


PAGE = b"<!doctype html>\n<title>Welcome</title>\n<p>Hello.\n"
INTERIM = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + FILE
DEFLATED = response(zlib.compress(association()), fields=["Content-Encoding: deflate"])
# A site, and the code and the verdicts (documented, device, ios8) without a mode and in developer mode.
CASES = [
    ("200", always(FILE), None, (A, A, D), None, (A, A, D)),
    ("301 to https", moved, "http-redirect", (D, D, D), "http-redirect-followed", (D, A, D)),
    ("500", always(response(PAGE, 500)), "http-status-server-error", (R, R, R), "http-status-server-error", (R, R, R)),
    ("after an interim response", always(INTERIM), None, (A, A, D), None, (A, A, D)),
    ("deflate", always(DEFLATED), "http-content-encoding", (A, A, D), "http-content-encoding", (A, A, D)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_a_response_has_its_issue_and_verdicts(trusted: Trusted, tmp_path: Path, case: Any) -> None:
    _, site_answers, code, verdicts, mode_code, mode_verdicts = case
    with Site(over_tls(trusted.context, site_answers)) as site:
        report = check(tmp_path, *asked(trusted, site.port), verdict={A: YES, D: NO, R: RETRY}[verdicts[0]])
        with_mode = check(tmp_path, *asked(trusted, site.port, *MODE))
    assert (report.verdicts, report.codes - BESIDE) == (verdicts, {code} - {None})
    assert (with_mode.verdicts, with_mode.codes - BESIDE) == (mode_verdicts, {mode_code} - {None})


def test_the_reason_of_the_cdn_is_reported(trusted: Trusted, tmp_path: Path) -> None:
    reason = "SWCERR00101 Bad HTTP Response: 404"
    fields = [f"Apple-Failure-Reason: {reason}", 'Apple-Failure-Details: {"cause":"it"}']
    with Site(over_tls(trusted.context, always(response(b"", 404, None, fields)))) as site:
        url = f"https://{SITE}/a/v1/{SITE}"
        options = (*steered(site.port, SITE), "--trust", trusted.root)
        report = check(tmp_path, url, *options, verdict=NO)
    found = report.issue("network-cdn-failure")
    assert reason in found["message"]
    assert found["profiles"] == ["device"]


def test_the_cdn_cannot_reach_a_private_address(trusted: Trusted, tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    root = maker.authority("Test Root")
    leaf = maker.make("localhost", root, named("localhost"), SERVERS)
    with Site(over_tls(tls_context(leaf), always(FILE))) as site:
        done = command(tmp_path, "check", "--json", f"localhost:{site.port}", "--trust", root.certificate)
    assert done.code == NO
    issues = json.loads(done.out)["issues"]
    # The root is private too, but no connection reaches it. One cause must result in one issue.
    assert [issue["code"] for issue in issues if issue["severity"] == "error"] == ["network-private-host"]
    assert "SWCERR00202" in issues[0]["message"] and "--assume-public" in issues[0]["fix"]


def test_the_size_limit_applies_to_the_content(trusted: Trusted, tmp_path: Path) -> None:
    for size, verdicts, codes in (
        (131_072, (A, A, D), {"file-nearly-too-large"}),
        (131_073, (D, D, D), {"file-too-large"}),
    ):
        content = association()[:-1] + b" " * (size - len(association())) + b"}"
        compressed = response(gzip.compress(content), fields=[f"Content-Type: {JSON}", "Content-Encoding: gzip"])
        for message in (response(content, kind=JSON), compressed):
            with Site(over_tls(trusted.context, always(message))) as site:
                report = check(tmp_path, *asked(trusted, site.port))
            assert (report.verdicts, report.codes - BESIDE - {"http-content-encoding"}) == (verdicts, codes)


def test_a_compressed_response_is_too_large_when_decompressed(trusted: Trusted, tmp_path: Path) -> None:
    bomb = gzip.compress(b" " * (100 << 20))
    message = response(bomb, fields=["Content-Encoding: gzip"])
    with Site(over_tls(trusted.context, always(message))) as site:
        report = check(tmp_path, *asked(trusted, site.port), verdict=NO)
    assert report.verdicts == (D, D, D)
    assert "file-too-large" in report.codes


def test_a_url_with_a_path_is_fetched_unchanged(trusted: Trusted, tmp_path: Path) -> None:
    def answer(stream: Stream, path: str) -> None:
        stream.sendall(FILE if path == "/a/v1/site?x=%20" else response(b"", 404, None))

    with Site(over_tls(trusted.context, answer)) as site:
        url = f"https://{SITE}:{site.port}/a/v1/site?x=%20"
        options = (*steered(site.port, SITE, site.port), "--trust", trusted.root)
        report = check(tmp_path, url, *options, verdict=NO)
    assert [fetch["url"] for fetch in report.document["fetches"]] == [url]
    assert report.document["fetches"][0]["status"] == 200
    # No device requests this path, regardless of the file.
    assert (report.verdicts, report.codes - BESIDE) == ((D, D, D), {"path-not-read"})
    assert report.document["services"] == {"webcredentials": {"apps": APPS}}

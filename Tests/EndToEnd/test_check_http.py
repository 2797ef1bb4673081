"""`association check` of servers with unsuitable responses: the codes and the verdict of each profile."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from support.authorities import SITE
from support.checking import NO, RETRY, YES, check, steered
from support.device import Issuer
from support.keys import APPS, association
from support.sites import JSON, Stream, always, response

MODE = ("--entitlement", f"webcredentials:{SITE}?mode=developer")
FILE = response(association())
A, D, R = "associated", "denied", "retry"
# The issues that any unsigned file, the root and names below .test cause. None of them concerns the response.
BESIDE = {
    "signature-missing",
    "tls-given-root",
    "entitlement-developer-mode",
    "entitlement-private-host",
    "service-not-in-version",
}


def moved(stream: Stream, path: str) -> None:
    """Redirects to a path that has the file."""
    stream.sendall(FILE if path == "/file" else response(b"", 301, "text/html", ["Location: /file"]))


# A site, and the code and the verdicts (documented, device, ios8) without a mode and in developer mode.
CASES = [
    ("200", always(FILE), None, (A, A, D), None, (A, A, D)),
    ("301 to https", moved, "http-redirect", (D, D, D), "http-redirect-followed", (D, A, D)),
    ("500", always(response(b"", 500)), "http-status-server-error", (R, R, R), "http-status-server-error", (R, R, R)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_a_response_has_its_issue_and_verdicts(issuer: Issuer, tmp_path: Path, case: Any) -> None:
    _, site_answers, code, verdicts, mode_code, mode_verdicts = case
    with issuer.site(site_answers) as site:
        report = check(tmp_path, SITE, *issuer.options(site.port), verdict={A: YES, D: NO, R: RETRY}[verdicts[0]])
        with_mode = check(tmp_path, SITE, *issuer.options(site.port), *MODE)
    assert (report.verdicts, report.codes - BESIDE) == (verdicts, {code} - {None})
    assert (with_mode.verdicts, with_mode.codes - BESIDE) == (mode_verdicts, {mode_code} - {None})


def test_the_size_limit_applies_to_the_content(issuer: Issuer, tmp_path: Path) -> None:
    for size, verdicts, codes in (
        (131_072, (A, A, D), {"file-nearly-too-large"}),
        (131_073, (D, D, D), {"file-too-large"}),
    ):
        content = association()[:-1] + b" " * (size - len(association())) + b"}"
        compressed = response(gzip.compress(content), fields=[f"Content-Type: {JSON}", "Content-Encoding: gzip"])
        for message in (response(content, kind=JSON), compressed):
            with issuer.site(always(message)) as site:
                report = check(tmp_path, SITE, *issuer.options(site.port))
            assert (report.verdicts, report.codes - BESIDE - {"http-content-encoding"}) == (verdicts, codes)


def test_a_compressed_response_is_too_large_when_decompressed(issuer: Issuer, tmp_path: Path) -> None:
    bomb = gzip.compress(b" " * (100 << 20))
    message = response(bomb, fields=["Content-Encoding: gzip"])
    with issuer.site(always(message)) as site:
        report = check(tmp_path, SITE, *issuer.options(site.port), verdict=NO)
    assert report.verdicts == (D, D, D)
    assert "file-too-large" in report.codes


def test_a_url_with_a_path_is_fetched_unchanged(issuer: Issuer, tmp_path: Path) -> None:
    def answer(stream: Stream, path: str) -> None:
        stream.sendall(FILE if path == "/a/v1/site?x=%20" else response(b"", 404, None))

    with issuer.site(answer) as site:
        url = f"https://{SITE}:{site.port}/a/v1/site?x=%20"
        options = (*steered(site.port, SITE, site.port), "--trust", issuer.root)
        report = check(tmp_path, url, *options, verdict=NO)
    assert [fetch["url"] for fetch in report.document["fetches"]] == [url]
    assert report.document["fetches"][0]["status"] == 200
    # No device requests this path, regardless of the file.
    assert (report.verdicts, report.codes - BESIDE) == ((D, D, D), {"path-not-read"})
    assert report.document["services"] == {"webcredentials": {"apps": APPS}}

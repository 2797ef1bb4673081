"""`association check` of servers with unsuitable responses: the codes and the verdict of each profile."""

import gzip
import json
import threading
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.authorities import SERVERS, SITE, Maker, named
from support.checking import NO, RETRY, YES, check, steered
from support.checking import association as command
from support.keys import association
from support.sites import JSON, Answering, Site, Stream, always, over_tls, response, tls_context
from support.trusted import BESIDE, OTHER, A, D, R, Trusted, asked, redirect

MODE = ("--entitlement", f"webcredentials:{SITE}?mode=developer")
FILE = response(association())


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Trusted:
    return Trusted.make(tmp_path_factory.mktemp("http"))


@dataclass(frozen=True)
class Case:
    """The response of both paths, the codes, the verdicts (documented, device, legacy), and the same with a mode."""

    name: str
    answering: Callable[[], Answering]
    codes: set[str]
    verdicts: tuple[str, str, str]
    mode_codes: set[str]
    mode_verdicts: tuple[str, str, str]


def case(
    name: str,
    message: bytes | Callable[[], Answering],
    codes: Iterable[str],
    verdicts: tuple[str, str, str],
    mode_codes: Iterable[str] | None = None,
    mode_verdicts: tuple[str, str, str] | None = None,
) -> Case:
    answering = (lambda: always(message)) if isinstance(message, bytes) else message
    found = set(codes)
    return Case(
        name, answering, found, verdicts, found if mode_codes is None else set(mode_codes), mode_verdicts or verdicts
    )


def elsewhere(status: int) -> Callable[[], Answering]:
    """Redirects to a path that has the file."""

    def answer(stream: Stream, path: str) -> None:
        stream.sendall(FILE if path == "/file" else redirect(status, "/file"))

    return lambda: answer


def to_and_fro() -> Answering:
    def answer(stream: Stream, path: str) -> None:
        stream.sendall(redirect(302, "/two" if path == "/one" else "/one"))

    return answer


def with_cookie_alone() -> Answering:
    """Redirects a client without a cookie to the same path and sets a cookie."""

    def answer(stream: Stream, path: str) -> None:
        stream.sendall(response(b"", 302, None, [f"Location: {path}", "Set-Cookie: seen=1"]))

    return answer


PAGE = b"<!doctype html>\n<title>Welcome</title>\n<p>Hello.\n"
# A device with a mode reads any response whose status is not 400 to 499. An error page is not JSON.
ERROR_PAGE = response(PAGE, 500, "text/html")
CASES = [
    case("200", FILE, (), (A, A, D)),
    *(
        case(
            f"{status} to https",
            elsewhere(status),
            ("http-redirect",),
            (D, D, D),
            ("http-redirect-followed",),
            (D, A, D),
        )
        for status in (301, 302, 303, 307, 308)
    ),
    case(
        "302 to https of another host",
        redirect(302, f"https://{OTHER}/file"),
        ("http-redirect",),
        (D, D, D),
        ("http-redirect-followed", "http-redirect-loop"),
    ),
    case("302 to http", redirect(302, f"http://{SITE}/file"), ("http-redirect-insecure",), (D, D, D)),
    case("302 to nowhere", redirect(302, "https://[::bad"), ("http-redirect",), (D, D, D)),
    case(
        "a redirect loop",
        to_and_fro,
        ("http-redirect",),
        (D, D, D),
        ("http-redirect-followed", "http-redirect-loop"),
    ),
    case("cookies demanded", with_cookie_alone, ("http-redirect-loop",), (D, D, D)),
    *(
        case(f"{status}", response(PAGE, status, "text/html"), ("http-status-refused",), (D, D, D))
        for status in (400, 404, 410, 429)
    ),
    *(
        case(f"{status}", response(PAGE, status, "text/html"), ("http-status-access-denied",), (D, D, D))
        for status in (401, 403)
    ),
    case(
        "300 with the file",
        response(association(), 300),
        ("http-status-refused",),
        (D, D, D),
        ("http-status-parsed",),
        (D, A, D),
    ),
    case(
        "500",
        ERROR_PAGE,
        ("http-status-server-error",),
        (R, R, R),
    ),
    case(
        "500 with the file",
        response(association(), 500),
        ("http-status-server-error",),
        (R, R, R),
    ),
    case(
        "204",
        response(b"", 204, None),
        ("http-status-without-file",),
        (D, D, D),
        ("http-status-parsed", "json-empty", "http-content-type"),
    ),
    case(
        "203 with the file",
        response(association(), 203),
        ("http-status-without-file",),
        (D, D, D),
        ("http-status-parsed",),
        (D, A, D),
    ),
    case(
        "chunked",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"".join(b"%x;a=b\r\n%b\r\n" % (len(part), part) for part in (association()[:9], association()[9:]))
        + b"0\r\nX: y\r\n\r\n",
        (),
        (A, A, D),
    ),
    case(
        "until the end of the connection",
        b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + association(),
        (),
        (A, A, D),
    ),
    case(
        "after interim answers",
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + FILE,
        (),
        (A, A, D),
    ),
    case("no Content-Type", response(association(), kind=None), ("http-content-type",), (A, A, D)),
    case("text/html", response(association(), kind="text/html"), ("http-content-type",), (A, A, D)),
    case("octet-stream", response(association(), kind="application/octet-stream"), ("http-content-type",), (A, A, D)),
    case("json with a charset", response(association(), kind="Application/JSON; charset=utf-8"), (), (A, A, D)),
    case("a cookie beside the file", response(association(), fields=["Set-Cookie: seen=1"]), (), (A, A, D)),
    case(
        "an HTML page with 200",
        response(PAGE, kind="text/html"),
        ("json-html", "http-content-type"),
        (D, D, D),
    ),
    case("a file of nothing", response(b""), ("json-empty",), (D, D, D)),
    case(
        "gzip that nobody asked for",
        response(gzip.compress(association()), fields=["Content-Encoding: gzip"]),
        ("http-content-encoding",),
        (A, A, D),
    ),
    case(
        "deflate that nobody asked for",
        response(zlib.compress(association()), fields=["Content-Encoding: deflate"]),
        ("http-content-encoding",),
        (A, A, D),
    ),
    case("identity said aloud", response(association(), fields=["Content-Encoding: identity"]), (), (A, A, D)),
]


def code_of(verdict: str) -> int:
    return {A: YES, D: NO, R: RETRY}[verdict]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_answer_has_its_codes_and_verdicts(trusted: Trusted, tmp_path: Path, case: Case) -> None:
    with Site(over_tls(trusted.context, case.answering())) as site:
        report = check(tmp_path, *asked(trusted, site.port), verdict=code_of(case.verdicts[0]))
    assert (report.verdicts, report.codes - BESIDE) == (case.verdicts, case.codes)
    assert all(issue["subject"].startswith("https://") for issue in report.document["issues"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_device_with_a_mode_asks_the_host_itself(trusted: Trusted, tmp_path: Path, case: Case) -> None:
    with Site(over_tls(trusted.context, case.answering())) as site:
        report = check(tmp_path, *asked(trusted, site.port, *MODE))
    assert (report.verdicts, report.codes - BESIDE) == (case.mode_verdicts, case.mode_codes)


def test_what_a_retry_says_about_waiting_is_told(trusted: Trusted, tmp_path: Path) -> None:
    message = response(b"", 503, None, ["Retry-After: 120"])
    with Site(over_tls(trusted.context, always(message))) as site:
        report = check(tmp_path, *asked(trusted, site.port), verdict=RETRY)
    assert report.verdicts == (R, R, R)
    assert "120" in report.issue("http-status-server-error")["message"]


def test_a_site_that_recovers_is_associated_then(trusted: Trusted, tmp_path: Path) -> None:
    seen: dict[str, int] = {}
    lock = threading.Lock()

    def answer(stream: Stream, path: str) -> None:
        with lock:
            seen[path] = seen.get(path, 0) + 1
            message = FILE if seen[path] > 2 else response(b"", 503, None)
        stream.sendall(message)

    with Site(over_tls(trusted.context, answer)) as site:
        codes = [check(tmp_path, *asked(trusted, site.port)).code for _ in range(3)]
    assert codes == [RETRY, RETRY, YES]


@pytest.mark.parametrize(
    "reason",
    ["SWCERR00101 Bad HTTP Response: 404", "SWCERR00202 Private IP", "SWCERR00301 Timeout", "SWCERR00401 Bad JSON"],
)
def test_the_reason_of_the_cdn_is_told(trusted: Trusted, tmp_path: Path, reason: str) -> None:
    fields = [f"Apple-Failure-Reason: {reason}", 'Apple-Failure-Details: {"cause":"it"}']
    with Site(over_tls(trusted.context, always(response(b"", 404, None, fields)))) as site:
        url = f"https://{SITE}/a/v1/{SITE}"
        options = (*steered(site.port, SITE), "--trust", trusted.root)
        report = check(tmp_path, url, *options, verdict=NO)
    found = report.issue("network-cdn-failure")
    assert reason in found["message"]
    assert found["profiles"] == ["device"]


def test_a_private_address_is_what_the_cdn_cannot_reach(trusted: Trusted, tmp_path: Path) -> None:
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


def test_the_limit_of_size_is_that_of_the_content(trusted: Trusted, tmp_path: Path) -> None:
    for size, verdicts, codes in (
        (131_072, (A, A, D), {"file-nearly-too-large"}),
        (131_073, (D, D, D), {"file-too-large"}),
    ):
        content = association()[:-1] + b" " * (size - len(association())) + b"}"
        with Site(over_tls(trusted.context, always(response(content, kind=JSON)))) as site:
            report = check(tmp_path, *asked(trusted, site.port))
        assert (report.verdicts, report.codes - BESIDE) == (verdicts, codes)


def test_a_small_answer_that_unpacks_without_end_is_too_large(trusted: Trusted, tmp_path: Path) -> None:
    bomb = gzip.compress(b" " * (100 << 20))
    message = response(bomb, fields=["Content-Encoding: gzip"])
    with Site(over_tls(trusted.context, always(message))) as site:
        report = check(tmp_path, *asked(trusted, site.port), verdict=NO)
    assert report.verdicts == (D, D, D)
    assert "file-too-large" in report.codes

"""The security headers of every response, with every status and on every port."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from support.answers import Answer
from support.people import FORM, JSON, App, Client, Visitor
from support.server import ROOT, Server, make_public, run
from support.wire import NAME, Wire, request

Start = Callable[..., Server]

SCRIPT = (ROOT / "Sources/UltraMotivator/Embedded/script.js").read_bytes()
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; "
    f"script-src 'sha256-{b64encode(sha256(SCRIPT).digest()).decode()}'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ALWAYS = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
PAGES = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
HSTS = "Strict-Transport-Security"


def secured(answer: Answer, pictures: str = "") -> None:
    """Asserts the fields that every response has, and the additional fields of documents that could run scripts."""
    is_page = any(kind.startswith(("text/html", "image/svg+xml")) for kind in answer.values("Content-Type"))
    policy = POLICY.replace("img-src 'self'", f"img-src 'self'{pictures}")
    for name, value in (ALWAYS | PAGES | {"Content-Security-Policy": policy}).items():
        expected = [value] if is_page or name in ALWAYS else []
        assert answer.values(name) == expected, f"{answer.status}: {name}: {answer.values(name)}"
    if answer.status >= 400:
        assert answer.field("Cache-Control") == "no-store", answer
    if not is_page:
        assert answer.values("Permissions-Policy") == []
        return
    powers = answer.field("Permissions-Policy")
    for power in ("camera", "geolocation", "microphone"):
        assert f"{power}=()" in powers.replace(" ", ""), powers


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("site")
    (make_public(home) / "picture.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    running = Server(home, plain=True)
    yield running
    running.stop()


@dataclass(frozen=True)
class Case:
    """A request, and the expected status of its response."""

    name: str
    message: bytes
    status: int


def posted(target: str, kind: str, content: bytes, *lines: str) -> bytes:
    return request(target, kind, *lines, method="POST", content=content)


CASES = [
    *(
        Case(f"GET {target}", request(target), 200)
        for target in (
            *("/", "/signup", "/signin", "/update", "/docs", "/openapi.json", "/digits.txt"),
            *("/.well-known/apple-app-site-association", "/apple-app-site-association", "/.well-known/security.txt"),
            *("/api/password", "/ultra_motivator/web/signin.py", "/check", "/check/codes"),
        )
    ),
    Case("an image that can be opened as a document", request("/picture.svg"), 200),
    Case("an error page", request("/nothing", "Accept: text/html"), 404),
    Case("HEAD", request("/signin", method="HEAD"), 200),
    Case("OPTIONS", request("/signin", method="OPTIONS"), 204),
    Case("a redirect", request("/.well-known/change-password"), 303),
    Case("not modified", request("/digits.txt", "If-None-Match: *"), 304),
    Case("part of a file", request("/digits.txt", "Range: bytes=0-9"), 206),
    Case("a range beyond it", request("/digits.txt", "Range: bytes=90000-"), 416),
    Case("a target that is malformed", request("/%zz"), 400),
    Case("a request without Host", b"GET / HTTP/1.1\r\n\r\n", 400),
    Case("a call without a session", request("/api/motivation"), 401),
    Case("a form without its token", posted("/signin", FORM, b"username=a&password=b"), 403),
    Case("a call from another site", posted("/api/signin", JSON, b"{}", "Sec-Fetch-Site: cross-site"), 403),
    Case("a check", posted("/check", FORM, b"file=%7B%7D"), 200),
    Case("a check of nothing", posted("/check", FORM, b""), 422),
    Case("a check of a site that nobody allowed", posted("/check", FORM, b"site=example.com"), 403),
    Case("no page", request("/nothing"), 404),
    Case("no call", request("/api/nothing"), 404),
    Case("a wrong method for a page", request("/signin", method="DELETE"), 405),
    Case("a wrong method for a call", request("/api/signin", method="GET"), 405),
    Case("a wrong method for a file", request("/digits.txt", method="POST"), 405),
    Case("too much content", request("/api/signin", JSON, "Content-Length: 1048577", method="POST"), 413),
    Case("a long target", request("/" + "a" * 9000), 414),
    Case("a wrong media type for a call", posted("/api/signin", "Content-Type: text/plain", b"{}"), 415),
    Case("a wrong media type for a form", posted("/signin", JSON, b"{}"), 415),
    Case("an expectation", request("/", "Expect: miracles"), 417),
    Case("another host", request("/", host="elsewhere.example"), 421),
    Case("a long head", request("/", "X: " + "x" * 17_000), 431),
    Case("an unknown method", request("/", method="BREW"), 501),
    Case("another version", b"GET / HTTP/3.0\r\nHost: " + NAME.encode() + b"\r\n\r\n", 505),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_answer_carries_them(site: Server, case: Case) -> None:
    with site.connect() as wire:
        wire.send(case.message)
        answer = wire.answer("HEAD" if case.message.startswith(b"HEAD") else "GET")
    assert answer.status == case.status, answer
    secured(answer)
    assert answer.values(HSTS) == [], "browsers must not remember a development name as HTTPS-only"


@pytest.mark.parametrize(
    ("name", "message", "status"),
    [
        ("the first steps", request("/"), 200),
        ("the way to HTTPS", request("/signin"), 307),
        ("the association file", request("/.well-known/apple-app-site-association"), 404),
        ("a malformed request", b"GET / HTTP/1.1\r\n\r\n", 400),
        ("the way to HTTPS from another name", request("/x", host="elsewhere.example"), 307),
        ("a call", posted("/api/signin", JSON, b"{}"), 403),
    ],
)
def test_the_plain_port_carries_them(site: Server, name: str, message: bytes, status: int) -> None:
    with site.connect_plain() as wire:
        wire.send(message)
        answer = wire.answer()
    assert answer.status == status, (name, answer)
    # The first steps check whether the browser can load an image over https.
    secured(answer, pictures=f" {site.origin}" if status == 200 else "")
    assert answer.values(HSTS) == []


def test_a_plain_request_to_the_tls_port_gets_them_too(site: Server) -> None:
    with Wire(site.port) as wire:
        wire.send(request("/"))
        answer = wire.answer()
    assert answer.status == 400
    secured(answer)


def test_pages_and_calls_of_an_account_are_not_stored_anywhere(site: Server) -> None:
    with App(site) as app:
        token = app.sign_up("Store")
        answers = [
            app.sign_in("Store"),
            app.sign_in("Store", "wrong"),
            app.call("/api/motivation", method="GET", token=token),
            app.call("/api/password", method="GET"),
            app.call("/api/signout", token=token),
        ]
    with Visitor(site) as visitor:
        answers += [visitor.get(target) for target in ("/", "/signup", "/signin", "/update", "/account/delete")]
        answers.append(visitor.sign_in("Store"))
        answers += [visitor.get(target) for target in ("/", "/update", "/account/delete")]
        answers.append(visitor.post("/signin", {"username": "Store", "password": "x"}))
        answers.append(visitor.sign_out())
    for answer in answers:
        assert "no-store" in answer.field("Cache-Control"), answer


def test_browsers_remember_https_only_when_told_to(start: Start) -> None:
    server = start("--hsts", "31536000", plain=True)
    with Client(server) as client:
        for target in ("/", "/nothing", "/digits.txt", "/.well-known/apple-app-site-association"):
            assert client.send("GET", target).field(HSTS).split(";")[0] == "max-age=31536000", target
            assert "includeSubDomains" not in client.send("GET", target).field(HSTS)
    with server.connect_plain() as wire:
        assert wire.ask("/").values(HSTS) == [], "plain HTTP must not send this field (RFC 6797 §7.2)"


def test_browsers_remember_https_for_subdomains_only_on_request(start: Start, tmp_path: Path) -> None:
    server = start("--hsts", "31536000", "--hsts-include-subdomains")
    with Client(server) as client:
        assert client.send("GET", "/").field(HSTS) == "max-age=31536000; includeSubDomains"
    refused = run(tmp_path, "serve", "--port", "0", "--plain-port", "0", "--hsts-include-subdomains")
    assert refused.code == 64
    assert "--hsts" in refused.err

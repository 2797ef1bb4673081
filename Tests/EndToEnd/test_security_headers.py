"""The security headers of every response, with every status and on every port."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from support.answers import Answer
from support.fixtures import Start
from support.people import JSON, Client
from support.server import ROOT, Server, make_public, run
from support.wire import Wire, request

SCRIPT = (ROOT / "Sources/UltraMotivator/Embedded/script.js").read_bytes()
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; "
    f"script-src 'sha256-{b64encode(sha256(SCRIPT).digest()).decode()}'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PASSKEYS = (ROOT / "Sources/UltraMotivator/Embedded/passkeys.js").read_bytes()
CONNECTING = f" 'sha256-{b64encode(sha256(PASSKEYS).digest()).decode()}'; connect-src 'self'; form-action"
ALWAYS = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
PAGES = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
HSTS = "Strict-Transport-Security"


def secured(answer: Answer, pictures: str = "", *, uses_passkeys: bool = False) -> None:
    """Asserts the fields that every response has, and the additional fields of documents that could run scripts."""
    is_page = any(kind.startswith(("text/html", "image/svg+xml")) for kind in answer.values("Content-Type"))
    policy = POLICY.replace("img-src 'self'", f"img-src 'self'{pictures}")
    if uses_passkeys:
        policy = policy.replace("; form-action", CONNECTING)
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
    Case("not modified", request("/digits.txt", "If-None-Match: *"), 304),
    Case("a request without Host", b"GET / HTTP/1.1\r\n\r\n", 400),
    Case("another host", request("/", host="elsewhere.example"), 421),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_response_has_the_security_fields(site: Server, case: Case) -> None:
    with site.connect() as wire:
        wire.send(case.message)
        answer = wire.answer("HEAD" if case.message.startswith(b"HEAD") else "GET")
    assert answer.status == case.status, answer
    secured(answer, uses_passkeys="signin" in case.name)
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
def test_the_plain_port_sends_the_security_fields(site: Server, name: str, message: bytes, status: int) -> None:
    with site.connect_plain() as wire:
        wire.send(message)
        answer = wire.answer()
    assert answer.status == status, (name, answer)
    # The first steps check whether the browser can load an image over https.
    secured(answer, pictures=f" {site.origin}" if status == 200 else "")
    assert answer.values(HSTS) == []


def test_a_plain_request_to_the_tls_port_gets_the_fields(site: Server) -> None:
    with Wire(site.port) as wire:
        wire.send(request("/"))
        answer = wire.answer()
    assert answer.status == 400
    secured(answer)


def test_browsers_remember_https_for_subdomains_only_on_request(start: Start, tmp_path: Path) -> None:
    server = start("--hsts", "31536000", "--hsts-include-subdomains")
    with Client(server) as client:
        assert client.send("GET", "/").field(HSTS) == "max-age=31536000; includeSubDomains"
    refused = run(tmp_path, "serve", "--port", "0", "--plain-port", "0", "--hsts-include-subdomains")
    assert refused.code == 64
    assert "--hsts" in refused.err

"""The security headers of every response, with every status and on every port."""

from base64 import b64encode
from collections.abc import Iterator
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
WELL_KNOWN = "/.well-known/apple-app-site-association"
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


@pytest.mark.parametrize(
    ("target", "status"),
    [
        *((target, 200) for target in ("/", "/signin", "/openapi.json", "/digits.txt", "/picture.svg", "/check")),
        *((target, 200) for target in (WELL_KNOWN, "/.well-known/security.txt", "/ultra_motivator/web/signin.py")),
        *(("/.well-known/change-password", 303), ("/nothing", 404)),
    ],
)
def test_every_response_has_the_security_fields(site: Server, target: str, status: int) -> None:
    with site.connect() as wire:
        answer = wire.ask(target, "Accept: text/html")
        assert answer.status == status, answer
        secured(answer, uses_passkeys="signin" in target)
        assert answer.values(HSTS) == [], "browsers must not remember a development name as HTTPS-only"
        wire.send(b"GET / HTTP/1.1\r\n\r\n")
        secured(wire.answer())


def test_the_plain_port_sends_the_security_fields(site: Server) -> None:
    call = request("/api/signin", JSON, method="POST", content=b"{}")
    for message, status in ((request("/"), 200), (request("/signin"), 307), (request(WELL_KNOWN), 404), (call, 403)):
        with site.connect_plain() as wire:
            wire.send(message)
            answer = wire.answer()
        assert answer.status == status, answer
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

"""The association file from a client's view: both paths, both formats, and conditional requests."""

import json
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from support.fixtures import Start
from support.keys import APPS, OTHER_APP, association, identity, openssl, padded_association, signed
from support.server import Server, run
from support.wire import NAME

WELL_KNOWN = "/.well-known/apple-app-site-association"
ROOT_PATH = "/apple-app-site-association"
PATHS = (WELL_KNOWN, ROOT_PATH)
# Apple's limit: 128 KB, signed or not.
MOST = 131_072


def fetch(server: Server, path: str, name: str = NAME) -> tuple[str, bytes]:
    """Fetches the file with curl. Returns its content type and content."""
    done = server.curl(path, "--fail", "--write-out", "%{stderr}%{content_type}", name=name)
    assert done.returncode == 0, done.stderr.decode()
    return done.stderr.decode(), done.stdout


def apps(content: bytes) -> list[str]:
    return json.loads(content)["webcredentials"]["apps"]


@pytest.mark.parametrize("path", PATHS)
def test_the_file_is_served_as_json_with_the_default_apps(server: Server, path: str) -> None:
    content_type, content = fetch(server, path)
    assert content_type == "application/json"
    assert apps(content) == APPS


@pytest.mark.parametrize("path", PATHS)
def test_the_file_is_served_without_redirects_and_without_client_features(server: Server, path: str) -> None:
    with server.connect() as wire:
        answer = wire.ask(path)
    assert answer.status == 200
    assert answer.field("Cache-Control")
    assert not answer.values("Set-Cookie")
    assert not answer.values("Location")
    assert not answer.values("Content-Encoding")
    assert answer.field("ETag").startswith('"')
    assert parsedate_to_datetime(answer.field("Last-Modified")) <= parsedate_to_datetime(answer.field("Date"))


@pytest.mark.parametrize(
    "path",
    [
        "/apple-app-site-association.json",
        "/Apple-App-Site-Association",
        "/apple-app-site-association/",
        "/apple-app-site-associations",
        "/.well-known/apple-app-site-association.json",
        "/well-known/apple-app-site-association",
    ],
)
def test_only_the_exact_name_is_served(server: Server, path: str) -> None:
    with server.connect() as wire:
        assert wire.ask(path).status == 404


def test_the_file_lists_the_apps_of_the_command_line(start: Start) -> None:
    server = start("--app", OTHER_APP, "--app", APPS[1])
    assert apps(fetch(server, WELL_KNOWN)[1]) == [OTHER_APP, APPS[1]]


def test_each_domain_has_its_own_host(start: Start) -> None:
    server = start("--domain", NAME, "--domain", "second.test")
    for name in (NAME, "second.test"):
        for path in PATHS:
            assert apps(fetch(server, path, name)[1]) == APPS
    with server.connect("second.test") as wire:
        assert wire.ask(WELL_KNOWN, host="third.test").status == 421


def test_openssl_verifies_the_signed_format(start: Start, tmp_path: Path) -> None:
    server = start("--association-format", "signed")
    content_type, content = fetch(server, ROOT_PATH)
    assert content_type == "application/pkcs7-mime"
    assert fetch(server, WELL_KNOWN) == (content_type, content)
    file = tmp_path / "signed"
    file.write_bytes(content)
    for tool in ("smime", "cms"):
        inside = openssl(
            *(tool, "-verify", "-inform", "DER", "-in", file, "-CAfile", server.authority, "-purpose", "any")
        )
        assert apps(inside) == APPS, tool


def test_the_legacy_format_serves_old_and_new_clients(start: Start, tmp_path: Path) -> None:
    server = start("--association-format", "legacy")
    content_type, content = fetch(server, WELL_KNOWN)
    assert (content_type, apps(content)) == ("application/json", APPS)
    content_type, content = fetch(server, ROOT_PATH)
    assert content_type == "application/pkcs7-mime"
    file = tmp_path / "signed"
    file.write_bytes(content)
    inside = openssl("smime", "-verify", "-inform", "DER", "-in", file, "-CAfile", server.authority, "-purpose", "any")
    assert apps(inside) == APPS


def test_a_plain_file_is_served_byte_for_byte(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "association.json"
    file.write_bytes(b'\n{ "webcredentials":\t{"apps" : ["A1B2C3D4E5.com.example.Other"]} ,\n"note":"\xc3\xa9"}\n\n')
    server = start("--association", str(file))
    for path in PATHS:
        assert fetch(server, path) == ("application/json", file.read_bytes())


def test_a_signed_file_is_served_byte_for_byte(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "association.der"
    file.write_bytes(signed(association(OTHER_APP), *identity(tmp_path, NAME)))
    server = start("--association", str(file))
    for path in PATHS:
        assert fetch(server, path) == ("application/pkcs7-mime", file.read_bytes())


def test_a_file_that_devices_deny_is_served_with_one_warning(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "association.json"
    file.write_bytes(padded_association(MOST + 1))
    server = start("--association", str(file))
    assert fetch(server, WELL_KNOWN)[1] == file.read_bytes()
    server.err.wait_for(lambda line: "warning" in line.lower())
    (line,) = [line for line in server.err.lines if "warning" in line.lower()]
    assert "a device denies" in line and "[file-too-large]" in line and str(file) in line
    outcome = run(
        *(tmp_path, "serve", "--strict", "--port", "0", "--plain-port", "0", "--admin", "127.0.0.1:0"),
        *("--association", str(file)),
    )
    assert (outcome.code, "[file-too-large]" in outcome.err) == (78, True), outcome


@pytest.mark.parametrize("path", PATHS)
def test_the_plain_port_never_serves_or_redirects_the_file(server: Server, path: str) -> None:
    for method in ("GET", "HEAD"):
        with server.connect_plain() as wire:
            answer = wire.ask(path, method=method)
        assert answer.status == 404
        assert not answer.values("Location")
        if method == "GET":
            assert "https" in answer.text.lower(), "the page does not contain the reason"


def test_the_plain_port_sends_everything_else_to_https(server: Server) -> None:
    with server.connect_plain() as wire:
        answer = wire.ask("/somewhere?a=b", host=f"{NAME}:{server.plain_port}")
    assert answer.status == 307
    assert answer.field("Location") == f"https://{NAME}:{server.port}/somewhere?a=b"

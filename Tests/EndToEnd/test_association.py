"""The association file from a client's view: both paths, both formats, and conditional requests."""

import json
import os
import re
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from support.keys import APPS, OTHER_APP, association, identity, openssl, padded_association, signed
from support.server import Server, run
from support.wire import ADDRESS, NAME

WELL_KNOWN = "/.well-known/apple-app-site-association"
ROOT_PATH = "/apple-app-site-association"
PATHS = (WELL_KNOWN, ROOT_PATH)
# Apple's limit: 128 KB, signed or not.
MOST = 131_072
# Shapes of real files. The real files are not part of the repository. ASSOCIATION_CORPUS specifies their folder.
OWN_FILES = [
    b'{"applinks":{"apps":[],"details":[{"appID":"A1B2C3D4E5.com.example.Other","paths":["NOT /a/*","*"]}]}}',
    b'{"applinks":{"details":[{"appIDs":["A1B2C3D4E5.com.example.Other"],"components":[{"/":"/buy/*","exclude":true}]}]}}',
    b'\r\n{"appclips":{"apps":["A1B2C3D4E5.com.example.Other.Clip"]},\r\n"webcredentials":{"apps":[]}}\r\n',
    b'{"webcredentials":{"apps":["A1B2C3D4E5.com.example.Other"',
    b"",
]
# JSON files in the corpus with an invalid application identifier.
NO_IDENTIFIER = ("001.json", "031.json", "116.json")
CORPUS = Path(os.environ["ASSOCIATION_CORPUS"]) if "ASSOCIATION_CORPUS" in os.environ else None

Start = Callable[..., Server]


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
def test_the_answer_is_direct_and_demands_nothing_of_the_client(server: Server, path: str) -> None:
    with server.connect() as wire:
        answer = wire.ask(path)
    assert answer.status == 200
    assert answer.field("Cache-Control")
    assert not answer.values("Set-Cookie")
    assert not answer.values("Location")
    assert not answer.values("Content-Encoding")
    assert answer.field("ETag").startswith('"')
    assert parsedate_to_datetime(answer.field("Last-Modified")) <= parsedate_to_datetime(answer.field("Date"))


def test_both_places_give_the_same_file(server: Server) -> None:
    assert fetch(server, WELL_KNOWN) == fetch(server, ROOT_PATH)


@pytest.mark.parametrize("path", PATHS)
def test_head_has_the_fields_of_get_and_no_content(server: Server, path: str) -> None:
    with server.connect() as wire:
        get, head = wire.ask(path), wire.ask(path, method="HEAD")
    assert head.status == 200
    assert {name: value for name, value in head.fields if name != "Date"} == {
        name: value for name, value in get.fields if name != "Date"
    }
    assert int(head.field("Content-Length")) == len(get.content)


@pytest.mark.parametrize("path", PATHS)
def test_a_client_that_has_the_file_is_told_so(server: Server, path: str) -> None:
    with server.connect() as wire:
        first = wire.ask(path)
        for condition in (
            f"If-None-Match: {first.field('ETag')}",
            f'If-None-Match: "other", W/{first.field("ETag")}',
            "If-None-Match: *",
            f"If-Modified-Since: {first.field('Last-Modified')}",
        ):
            again = wire.ask(path, condition)
            assert again.status == 304, condition
            assert again.field("ETag") == first.field("ETag")
            assert again.values("Cache-Control") == first.values("Cache-Control")
        for condition in ('If-None-Match: "other"', "If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT"):
            assert wire.ask(path, condition).content == first.content, condition


@pytest.mark.parametrize("path", PATHS)
def test_other_methods_are_told_what_is_allowed(server: Server, path: str) -> None:
    with server.connect() as wire:
        answer = wire.ask(path, "Content-Length: 0", method="POST")
    assert answer.status == 405
    assert {"GET", "HEAD"} <= {method.strip() for method in answer.field("Allow").split(",")}


def test_the_apps_are_those_of_the_command_line(start: Start) -> None:
    server = start("--app", OTHER_APP, "--app", APPS[1])
    assert apps(fetch(server, WELL_KNOWN)[1]) == [OTHER_APP, APPS[1]]


def test_each_domain_is_a_host_of_its_own(start: Start) -> None:
    server = start("--domain", NAME, "--domain", "second.test")
    for name in (NAME, "second.test"):
        for path in PATHS:
            assert apps(fetch(server, path, name)[1]) == APPS
    with server.connect("second.test") as wire:
        assert wire.ask(WELL_KNOWN, host="third.test").status == 421


def test_loopback_is_always_served(server: Server) -> None:
    for name in ("localhost", ADDRESS):
        with server.connect(name) as wire:
            assert apps(wire.ask(WELL_KNOWN, host=f"{name}:{server.port}").content) == APPS


@pytest.mark.parametrize("path", PATHS)
def test_the_signed_format_is_what_openssl_verifies(start: Start, tmp_path: Path, path: str) -> None:
    server = start("--association-format", "signed")
    content_type, content = fetch(server, path)
    assert content_type == "application/pkcs7-mime"
    file = tmp_path / "signed"
    file.write_bytes(content)
    for tool in ("smime", "cms"):
        inside = openssl(
            *(tool, "-verify", "-inform", "DER", "-in", file, "-CAfile", server.authority, "-purpose", "any")
        )
        assert apps(inside) == APPS, tool


def test_the_signer_is_good_for_the_domain(start: Start, tmp_path: Path) -> None:
    server = start("--association-format", "signed", "--domain", "second.test")
    file, signer = tmp_path / "signed", tmp_path / "signer.pem"
    file.write_bytes(fetch(server, WELL_KNOWN, "second.test")[1])
    openssl(
        *("cms", "-verify", "-inform", "DER", "-in", file, "-CAfile", server.authority, "-purpose", "any"),
        *("-signer", signer),
    )
    assert b"does match" in openssl("x509", "-in", signer, "-noout", "-checkhost", "second.test")


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


def test_the_largest_file_that_devices_take_is_served(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "association.json"
    file.write_bytes(padded_association(MOST))
    assert fetch(start("--association", str(file)), WELL_KNOWN)[1] == file.read_bytes()


def test_a_larger_file_is_refused_at_the_start(tmp_path: Path) -> None:
    file = tmp_path / "association.json"
    file.write_bytes(padded_association(MOST + 1))
    outcome = run(
        tmp_path, "serve", "--port", "0", "--plain-port", "0", "--admin", "127.0.0.1:0", "--association", str(file)
    )
    assert outcome.code == 65, outcome
    assert "131073" in outcome.err.replace(",", ""), outcome.err
    assert "131072" in outcome.err.replace(",", ""), outcome.err


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        pytest.param(b'{"webcredentials": {"apps": ["A1B2C3D4E5.com.example.App",]}}', 1, 58, id="trailing comma"),
        pytest.param(b'{\n  "webcredentials": {\n    apps: []\n  }\n}', 3, 5, id="name without quotes"),
        pytest.param("{\n“webcredentials”: {}}".encode(), 2, 1, id="typographic quotes"),
        pytest.param(b'{"webcredentials": {}}\n// why\n', 2, 1, id="comment"),
        pytest.param(b"\xef\xbb\xbf{}", 1, 1, id="byte order mark"),
    ],
)
def test_a_malformed_file_is_refused_with_the_place(tmp_path: Path, content: bytes, line: int, column: int) -> None:
    file = tmp_path / "association.json"
    file.write_bytes(content)
    outcome = run(
        tmp_path, "serve", "--port", "0", "--plain-port", "0", "--admin", "127.0.0.1:0", "--association", str(file)
    )
    assert outcome.code == 65, outcome
    assert f"line {line}, column {column}" in outcome.err
    assert outcome.out == ""


def strict_object(content: bytes) -> bool:
    """Returns whether Python's strict parser reads the content as a JSON object."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        return isinstance(json.loads(content.decode("utf-8"), parse_constant=refuse), dict)
    except ValueError:
        return False


@pytest.mark.timeout(300)
def test_our_files_and_those_found_on_public_sites_come_back_byte_for_byte_or_are_refused(
    start: Start, tmp_path: Path
) -> None:
    for number, content in enumerate(OWN_FILES):
        (tmp_path / f"own-{number}.json").write_bytes(content)
    found = sorted(CORPUS.glob("*.json")) + sorted(CORPUS.glob("*.der")) if CORPUS else []
    files = [*tmp_path.glob("*.json"), *found]
    for file in files:
        content = file.read_bytes()
        if file.name in NO_IDENTIFIER or (file.suffix == ".json" and not strict_object(content)):
            refused = run(
                tmp_path,
                "serve",
                "--port",
                "0",
                "--plain-port",
                "0",
                "--admin",
                "127.0.0.1:0",
                "--association",
                str(file),
            )
            assert refused.code == 65, (file, refused)
            assert re.search(r"line \d+, column \d+", refused.err), (file, refused)
            assert (file.name in NO_IDENTIFIER) == ("identifier" in refused.err), (file, refused)
            continue
        server = start("--association", str(file))
        assert fetch(server, WELL_KNOWN)[1] == content, file
        server.stop()


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

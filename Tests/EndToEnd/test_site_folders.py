"""Hosts with files from folders (`--site`): one process, and two sites with different apps and formats."""

import json
import re
import signal
from pathlib import Path

import pytest

from support.fixtures import Start
from support.keys import APPS, OTHER_APP, association, identity, openssl, signed
from support.server import Server, run
from support.wire import NAME

WELL_KNOWN = "/.well-known/apple-app-site-association"
ROOT_PATH = "/apple-app-site-association"
LINKS = "/.well-known/assetlinks.json"
PLAIN, SIGNED = "plain.test", "signed.test"


@pytest.fixture
def sites(tmp_path: Path) -> tuple[Path, Path]:
    """An unsigned site with static files, and a site with a signed file at the root path."""
    plain, old = tmp_path / "plain", tmp_path / "signed"
    (plain / ".well-known").mkdir(parents=True)
    (plain / WELL_KNOWN[1:]).write_bytes(association(OTHER_APP))
    (plain / LINKS[1:]).write_text("[]")
    (plain / "index.html").write_text("<p>Hello")
    old.mkdir()
    (old / ROOT_PATH[1:]).write_bytes(signed(association(), *identity(tmp_path, SIGNED)))
    return plain, old


def test_one_process_serves_two_sites(start: Start, sites: tuple[Path, Path]) -> None:
    server = start("--site", f"{PLAIN}={sites[0]}", "--site", f"{SIGNED}={sites[1]}")
    with server.connect(PLAIN) as wire:
        found = wire.ask(WELL_KNOWN, host=PLAIN)
        assert json.loads(found.content)["webcredentials"]["apps"] == [OTHER_APP]
        assert found.field("Content-Type") == "application/json"
        assert wire.ask(ROOT_PATH, host=PLAIN).content == found.content
        assert wire.ask(LINKS, host=PLAIN).content == b"[]"
        assert wire.ask("/index.html", host=PLAIN).content == b"<p>Hello"
        assert wire.ask("/signin", host=PLAIN).status == 404
    with server.connect(SIGNED) as wire:
        found = wire.ask(ROOT_PATH, host=SIGNED)
        assert found.content == (sites[1] / ROOT_PATH[1:]).read_bytes()
        assert found.field("Content-Type") == "application/pkcs7-mime"
        assert wire.ask(LINKS, host=SIGNED).status == 404
    with server.connect() as wire:
        assert json.loads(wire.ask(WELL_KNOWN).content)["webcredentials"]["apps"] == APPS


@pytest.mark.parametrize("form", ["signed", "legacy"])
def test_the_format_applies_to_each_site(start: Start, sites: tuple[Path, Path], tmp_path: Path, form: str) -> None:
    (sites[0] / ROOT_PATH[1:]).write_bytes(association(APPS[1]))
    server = start(
        *("--association-format", form),
        *("--site", f"{PLAIN}={sites[0]}", "--site", f"{SIGNED}={sites[1]}"),
    )
    with server.connect(PLAIN) as wire:
        for path, app in ((ROOT_PATH, APPS[1]), (WELL_KNOWN, OTHER_APP)):
            found = wire.ask(path, host=PLAIN)
            content = found.content
            if path == ROOT_PATH or form == "signed":
                assert found.field("Content-Type") == "application/pkcs7-mime"
                assert b"does match" in openssl(
                    *("x509", "-noout", "-checkhost", PLAIN), given=signer(content, server, tmp_path)
                )
                content = inside(content, server, tmp_path)
            else:
                assert found.field("Content-Type") == "application/json"
            assert json.loads(content)["webcredentials"]["apps"] == [app], path
    own = (sites[1] / ROOT_PATH[1:]).read_bytes()
    with server.connect(SIGNED) as wire:
        assert wire.ask(ROOT_PATH, host=SIGNED).content == own, "the server must not sign a signed file again"
        found = wire.ask(WELL_KNOWN, host=SIGNED)
        assert found.content == (own if form == "signed" else association())


def inside(message: bytes, server: Server, folder: Path) -> bytes:
    """Returns the content of a signed file that openssl verifies with the server's CA."""
    (folder / "message").write_bytes(message)
    return openssl(
        *("smime", "-verify", "-inform", "DER", "-in", folder / "message", "-CAfile", server.authority),
        *("-purpose", "any", "-signer", folder / "signer.pem"),
    )


def signer(message: bytes, server: Server, folder: Path) -> bytes:
    inside(message, server, folder)
    return (folder / "signer.pem").read_bytes()


def test_a_reload_reads_the_folders_again(start: Start, sites: tuple[Path, Path]) -> None:
    server = start("--strict", "--site", f"{PLAIN}={sites[0]}")
    with server.connect(PLAIN) as wire:
        (sites[0] / WELL_KNOWN[1:]).write_bytes(association(APPS[0]))
        since = len(server.err.lines)
        server.signal(signal.SIGHUP)
        server.err.wait_for(lambda line: "reloaded" in line, since=since)
        assert json.loads(wire.ask(WELL_KNOWN, host=PLAIN).content)["webcredentials"]["apps"] == [APPS[0]]
        (sites[0] / WELL_KNOWN[1:]).write_text("{")
        since = len(server.err.lines)
        server.signal(signal.SIGHUP)
        line = server.err.wait_for(lambda line: "could not reload" in line, since=since)
        assert str(sites[0]) in line and "[json-cut-off]" in line
        assert json.loads(wire.ask(WELL_KNOWN, host=PLAIN).content)["webcredentials"]["apps"] == [APPS[0]]


def test_an_error_page_has_no_links_of_the_demo(start: Start, sites: tuple[Path, Path]) -> None:
    server = start("--site", f"{PLAIN}={sites[0]}", "--faults")
    for host in (PLAIN, f"gzip.faults.{NAME}"):
        with server.connect(host) as wire:
            for path in ("/none", "/signin", "/api/password"):
                page = wire.ask(path, "Accept: text/html", host=host)
                assert page.field("Content-Type") == "text/html; charset=utf-8", (host, path)
                assert not re.findall(r'(?:href|src)="([^"]*)"', page.text), (host, path)
    with server.connect() as wire:
        assert 'href="/check"' in wire.ask("/none", "Accept: text/html").text


@pytest.mark.parametrize(
    ("value", "code", "words"),
    [
        pytest.param("example.test", 64, "is not NAME=FOLDER", id="no folder"),
        pytest.param(f"{NAME}=.", 64, "is already served", id="served host"),
        pytest.param("*.demo.test=.", 64, "is not a host name", id="wildcard"),
        pytest.param("example.test=.", 66, "has no association file", id="empty folder"),
    ],
)
def test_a_wrong_site_is_an_error(tmp_path: Path, value: str, code: int, words: str) -> None:
    listeners = ("--port", "0", "--plain-port", "0", "--admin", "127.0.0.1:0")
    done = run(tmp_path, "serve", "--site", value, *listeners)
    assert (done.code, words in done.err) == (code, True), done.err

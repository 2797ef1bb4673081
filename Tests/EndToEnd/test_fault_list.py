"""The list of the hosts that are broken on purpose for other validators: `/faults.json` and `check --faults --list`."""

import hashlib
import json
import os
import re
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.checking import YES, association, command, refused
from support.faulty import ALL_GROUPS, GROUPS, PATHS, FaultyServer, Received, any_certificate, strict
from support.fixtures import Start
from support.wire import ADDRESS, NAME, Ending


def test_a_name_that_is_not_in_the_list_gets_a_link_to_the_list(faulty: FaultyServer) -> None:
    host = f"unsinged.faults.{NAME}"
    with faulty.server.connect(host) as wire:
        text = wire.ask(PATHS[0], host=host)
        page = wire.ask("/", "Accept: text/html", host=host).content.decode()
    address = f"https://{NAME}:{faulty.server.port}/faults"
    assert (text.status, host in text.content.decode(), address in text.content.decode()) == (404, True, True)
    assert f'href="{address}">Show all hosts</a>' in page
    assert "--domain" not in page + text.content.decode()


def test_the_hosts_are_built_around_another_file(start: Start, tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text('{"webcredentials":{"apps":["A1B2C3D4E5.org.example.own"]}}')
    faulty = FaultyServer.of(start("--faults", "--faults-association", str(own)))
    assert faulty.list["app"] == "A1B2C3D4E5.org.example.own"
    assert faulty.list["association"] == {"sha256": hashlib.sha256(own.read_bytes()).hexdigest(), "bytes": 58}
    assert faulty.fetch("unsigned").content == own.read_bytes()
    assert faulty.fetch("comment").content.endswith(own.read_bytes())
    own.write_text("{}")
    done = command(tmp_path, "serve", "--faults", "--faults-association", own, "--port", "0", "--plain-port", "0")
    refused(done, 64, "own.json", "webcredentials")
    refused(command(tmp_path, "serve", "--faults-association", own), 64, "--faults")


# Fields that the server adds to each response, or to each page.
ADDED = {"date", "server", "connection", "x-content-type-options", "content-security-policy", "permissions-policy"}
ADDED |= {"cross-origin-resource-policy", "cross-origin-opener-policy", "referrer-policy", "x-frame-options"}
# OpenSSL accepts these certificates.
ACCEPTED = {"too-long", "no-eku"}


def handshake_failure(faulty: FaultyServer, name: str) -> str | None:
    if name in ACCEPTED:
        return "certificate"
    if name == "stall-handshake":
        return "timeout" if faulty.silent_handshake(name) else None
    try:
        with faulty.connect(name, strict(faulty.server)):
            return None
    except ssl.SSLCertVerificationError:
        return "certificate"
    except ssl.SSLError as error:
        return "protocol-version" if error.reason == "TLSV1_ALERT_PROTOCOL_VERSION" else "closed"
    except ConnectionError:
        return "closed"


def seen(faulty: FaultyServer, host: dict[str, Any], path: str) -> dict[str, Any]:
    """Returns what a client sees, in the form of the list."""
    failure = handshake_failure(faulty, host["name"])
    if failure not in (None, "certificate"):
        return {"failure": failure}
    name = host["name"]
    if name in ("stall-head", "stall-content"):
        wanted = b"\r\n\r\n" if name == "stall-content" else b""
        received = Received(faulty.silent_after(name, path, lambda data: wanted in data), Ending.OPEN)
        failure = "timeout"
    else:
        received = faulty.fetch(name, path, context=any_certificate())
        if received.ending is Ending.RESET:
            failure = "reset"
    if not received.data:
        return {"failure": failure}
    fields = dict(line.split(": ", 1) for line in received.head[1:])
    length = int(fields.get("Content-Length", "0"))
    if fields.get("Transfer-Encoding") == "chunked":
        # The chunks of this server are in hexadecimal digits, and contain no line break followed by such a line.
        parts = re.split(rb"(?:^|\r\n)[0-9a-f]+\r\n", received.content)
        length = count = sum(map(len, parts[:-1]))
    else:
        count = min(len(received.content), length)
    if count < length and failure is None:
        failure = "closed"
    shown = {key: value for key, value in fields.items() if key.lower() not in ADDED}
    found = {"status": received.status, "fields": shown, "bytes": count}
    return found | ({"failure": failure} if failure else {})


@pytest.mark.parametrize("group", ALL_GROUPS)
def test_a_client_sees_what_the_list_says(faulty: FaultyServer, group: str) -> None:
    with faulty.server.connect() as wire:
        assert wire.ask("/faults/reset", method="POST").status == 303
    assert not faulty.silent_handshake("unsigned"), "the test cannot detect a handshake"
    for host in faulty.hosts:
        if host["group"] == group:
            assert host["paths"] == {path: seen(faulty, host, path) for path in host["paths"]}, host["name"]
            assert host["url"].endswith(tuple(host["paths"]))


def test_the_list_states_how_to_reproduce_a_result(faulty: FaultyServer) -> None:
    assert (faulty.list["format"], faulty.list["version"]) == (2, version(faulty))
    content = faulty.fetch("unsigned").content
    assert faulty.list["association"] == {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    for host in faulty.hosts:
        assert set(host["source"]) == {"title", "url", "date"}
        assert (host["since"], host["groups"][0]) == (1 if host["group"] in GROUPS else 2, host["group"])
    slow = {host["name"] for host in faulty.hosts if "slow" in host["groups"]}
    assert slow == {"slow-content", "stall-head", "stall-content", "stall-handshake"}


def version(faulty: FaultyServer) -> str:
    return command(faulty.server.home, "--version").text.split()[1]


def listed(faulty: FaultyServer, *words: str) -> str:
    target = f"localhost:{faulty.server.port}"
    done = association(
        faulty.server.home, "check", "--faults", "--list", target, "--trust", faulty.server.authority, *words
    )
    assert (done.code, done.err) == (YES, "")
    return done.text


VALIDATOR = """
import json, socket, ssl
from urllib.parse import urlsplit

import pytest


@pytest.fixture
def validator():
    context = ssl.create_default_context(cafile={authority!r})

    def validate(url, app):
        parts = urlsplit(url)
        try:
            with (
                socket.create_connection(("{address}", parts.port), 5) as plain,
                context.wrap_socket(plain, server_hostname=parts.hostname) as wire,
            ):
                wire.sendall(f"GET {{parts.path}} HTTP/1.0\\r\\nHost: {{parts.hostname}}\\r\\n\\r\\n".encode())
                content = b"".join(iter(lambda: wire.recv(65536), b""))
            apps = json.loads(content.partition(b"\\r\\n\\r\\n")[2])["webcredentials"]["apps"]
        except (OSError, ValueError, KeyError):
            return "denied"
        return "associated" if app in apps else "denied"

    return validate
"""


def test_the_list_is_a_test_of_another_validator(faulty: FaultyServer, tmp_path: Path) -> None:
    (tmp_path / "test_faults.py").write_text(listed(faulty, "--format", "pytest"))
    text = VALIDATOR.format(authority=str(faulty.server.authority), address=ADDRESS)
    (tmp_path / "conftest.py").write_text(text)

    def run(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, *words, tmp_path],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            timeout=100,
        )
        return done.returncode, done.stdout

    links = sum(len(host.get("links", [])) for host in faulty.hosts)
    assert f"{len(faulty.hosts) + links} tests collected" in run("--collect-only")[1]
    code, out = run("-k", "expired or comment or unsigned or app-missing or utf-16")
    assert (code, "6 passed" in out) == (0, True), out
    code, out = run("-k", "status-503 or redirect-301")
    assert (code, "1 failed, 1 passed" in out) == (1, True), out


def test_the_list_is_a_table_or_a_test_in_java(faulty: FaultyServer) -> None:
    origin, header, *rows = listed(faulty, "--format", "tsv").splitlines()
    assert faulty.list["association"]["sha256"] in origin and version(faulty) in origin
    names = header.split("\t")
    table = [dict(zip(names, row.split("\t"), strict=True)) for row in rows]
    assert [row["url"].replace("localhost", NAME) for row in table if not row["opens"]] == [
        host["url"] for host in faulty.hosts
    ]
    assert {row["opens"] for row in table if row["name"] == "links-detail-other-app"} == {"", faulty.list["other_app"]}
    assert json.loads(listed(faulty, "--json"))["format"] == 2
    java = listed(faulty, "--format", "junit")
    assert java.count(" arguments(") == len(table)
    assert 'arguments("expired", "https://expired.faults.localhost' in java

"""Real clients, each used according to its manual."""

import base64
import json
import subprocess
from pathlib import Path

import pytest

from support.server import Server
from support.waiting import LIMIT
from support.wire import ADDRESS, NAME

WELL_KNOWN = "/.well-known/apple-app-site-association"


def curl(server: Server, url: str, *options: str) -> tuple[dict[str, str], bytes]:
    """Runs curl. Returns its statistics of the transfer, and the content."""
    report = "%{stderr}\\n%{http_code} %{http_version} %{num_connects} %{size_download} %{exitcode}"
    done = server.curl(url, "--write-out", report, *options)
    assert done.returncode == 0, done.stderr.decode()
    status, version, connects, size, _ = done.stderr.decode().split("\n")[-1].split()
    return {"status": status, "version": version, "connects": connects, "size": size}, done.stdout


@pytest.mark.parametrize("version", ["--http1.0", "--http1.1", "--http2"])
def test_curl_fetches_with_every_supported_version(server: Server, version: str) -> None:
    report, content = curl(server, WELL_KNOWN, version)
    assert report["status"] == "200"
    assert report["version"] in ("1.1", "1.0")
    assert "webcredentials" in json.loads(content)


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_curl_fetches_over_both_versions_of_tls(server: Server, version: str) -> None:
    report, _ = curl(server, WELL_KNOWN, f"--tlsv{version}", "--tls-max", version)
    assert report["status"] == "200"


def test_curl_sends_content_after_100_continue(server: Server, tmp_path: Path) -> None:
    content = bytes(range(256)) * 300
    file = tmp_path / "content"
    file.write_bytes(content)
    options = ("--verbose", "--header", "Expect: 100-continue", "--expect100-timeout", "15")
    done = server.curl("/echo", *options, "--upload-file", str(file))
    assert done.returncode == 0, done.stderr.decode()
    assert b"HTTP/1.1 100 " in done.stderr
    echo = json.loads(done.stdout)
    assert echo["method"] == "PUT"
    assert base64.b64decode(echo["content"]) == content


def test_curl_sends_chunked_content(server: Server) -> None:
    _, content = curl(server, "/echo", "--header", "Transfer-Encoding: chunked", "--data-binary", "small steps")
    assert base64.b64decode(json.loads(content)["content"]) == b"small steps"


def test_curl_gets_compressed_content_when_it_asks(server: Server) -> None:
    plain, content = curl(server, "/long.txt")
    small, same = curl(server, "/long.txt", "--compressed")
    assert same == content
    assert int(small["size"]) < int(plain["size"]) / 4


def s_client(server: Server, *options: str, given: bytes = b"") -> str:
    done = subprocess.run(
        ["openssl", "s_client", "-connect", f"{ADDRESS}:{server.port}", "-CAfile", str(server.authority), *options],
        input=given,
        capture_output=True,
        timeout=LIMIT,
    )
    return (done.stdout + done.stderr).decode(errors="replace")


@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
def test_openssl_agrees_on_http_1_1_and_verifies_the_chain(server: Server, version: str) -> None:
    given = f"GET {WELL_KNOWN} HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode()
    said = s_client(
        server,
        *(version, "-servername", NAME, "-verify_hostname", NAME, "-verify_return_error"),
        *("-alpn", "h2,http/1.1", "-ign_eof", "-crlf"),
        given=given.replace(b"\r\n", b"\n"),
    )
    assert "ALPN protocol: http/1.1" in said
    assert "Verify return code: 0 (ok)" in said
    assert "HTTP/1.1 200" in said


def test_a_client_without_sni_gets_the_default_certificate(server: Server) -> None:
    assert "Verify return code: 0 (ok)" in s_client(server, "-noservername", "-verify_hostname", NAME)

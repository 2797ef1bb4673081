"""Real clients, each used according to its manual."""

import base64
import gzip
import http.client
import json
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from support.server import Server
from support.wire import ADDRESS, NAME, Wire

WELL_KNOWN = "/.well-known/apple-app-site-association"


def curl(server: Server, url: str, *options: str) -> tuple[dict[str, str], bytes]:
    """Runs curl. Returns its statistics of the transfer, and the content."""
    report = "%{stderr}\\n%{http_code} %{http_version} %{num_connects} %{size_download} %{exitcode}"
    done = server.curl(url, "--write-out", report, *options)
    assert done.returncode == 0, done.stderr.decode()
    status, version, connects, size, _ = done.stderr.decode().split("\n")[-1].split()
    return {"status": status, "version": version, "connects": connects, "size": size}, done.stdout


@pytest.mark.parametrize("version", ["--http1.0", "--http1.1", "--http2"])
def test_curl_fetches_with_every_version_it_may_ask_for(server: Server, version: str) -> None:
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


@pytest.mark.parametrize(
    ("range_set", "status", "expected"),
    [
        ("0-9", "206", b"0123456789"),
        ("95-", "206", b"56789"),
        ("-3", "206", b"789"),
        ("98-500", "206", b"89"),
    ],
)
def test_curl_fetches_a_part_of_a_file(server: Server, range_set: str, status: str, expected: bytes) -> None:
    report, content = curl(server, "/digits.txt", "--range", range_set)
    assert (report["status"], content) == (status, expected)


def test_a_range_behind_the_end_is_answered_with_the_length(server: Server) -> None:
    with server.connect() as wire:
        answer = wire.ask("/digits.txt", "Range: bytes=100-")
        assert (answer.status, answer.field("Content-Range")) == (416, "bytes */100")
        answer = wire.ask("/digits.txt", "Range: bytes=10-19")
        assert (answer.status, answer.field("Content-Range")) == (206, "bytes 10-19/100")


def test_curl_gets_compressed_content_when_it_asks(server: Server) -> None:
    plain, content = curl(server, "/long.txt")
    small, same = curl(server, "/long.txt", "--compressed")
    assert same == content
    assert int(small["size"]) < int(plain["size"]) / 4


def test_the_variants_of_a_file_have_their_own_tags(server: Server) -> None:
    with server.connect() as wire:
        plain, small = wire.ask("/long.txt"), wire.ask("/long.txt", "Accept-Encoding: gzip")
        assert gzip.decompress(small.content) == plain.content
        assert small.field("Content-Encoding") == "gzip"
        assert small.field("ETag") != plain.field("ETag")
        for answer in (plain, small):
            assert "accept-encoding" in answer.field("Vary").lower()
        assert not wire.ask("/long.txt", "Accept-Encoding: gzip;q=0").values("Content-Encoding")


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/.%2e/.%2e/etc/passwd",
        "/a/../../../etc/passwd",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/%5c..%5c..%5cetc%5cpasswd",
        "/%252e%252e/%252e%252e/etc/passwd",
        "/..;/..;/etc/passwd",
        "/../certs/authority.key",
    ],
)
def test_no_path_leads_out_of_the_public_folder(server: Server, path: str) -> None:
    report, content = curl(server, path, "--path-as-is")
    assert report["status"] in ("400", "403", "404"), report
    assert b"root:" not in content
    assert b"PRIVATE KEY" not in content


def test_curl_asks_with_head_and_options(server: Server) -> None:
    report, content = curl(server, "/", "--head")
    assert (report["status"], report["size"]) == ("200", "0")
    assert content.startswith(b"HTTP/1.1 200")
    for target in ("/", WELL_KNOWN):
        report, content = curl(server, target, "--request", "OPTIONS", "--include")
        assert report["status"] == "204"
        assert b"\r\nallow:" in content.lower()
    report, _ = curl(server, "", "--request", "OPTIONS", "--request-target", "*")
    assert report["status"] == "204"


def test_curl_keeps_its_connection(server: Server) -> None:
    url = f"https://{NAME}:{server.port}/digits.txt"
    report, content = curl(server, "/digits.txt", *[url] * 9)
    assert content == b"0123456789" * 100
    assert report["connects"] == "0"


def test_python_keeps_its_connection_for_many_requests(server: Server, context: ssl.SSLContext) -> None:
    connection = http.client.HTTPSConnection("localhost", server.port, context=context, timeout=20)
    connection.connect()
    used: socket.socket = connection.sock
    try:
        for number in range(500):
            content = f"request {number}".encode()
            connection.request("POST", f"/echo?{number}", body=content, headers={"X-Number": str(number)})
            answer = connection.getresponse()
            echo = json.loads(answer.read())
            assert answer.status == 200
            assert echo["target"] == f"/echo?{number}"
            assert base64.b64decode(echo["content"]) == content
            assert connection.sock is used, "the server closed the connection between the requests"
    finally:
        connection.close()


def s_client(server: Server, *options: str, given: bytes = b"") -> str:
    done = subprocess.run(
        ["openssl", "s_client", "-connect", f"{ADDRESS}:{server.port}", "-CAfile", str(server.authority), *options],
        input=given,
        capture_output=True,
        timeout=20,
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


@pytest.mark.parametrize("version", ["-tls1", "-tls1_1"])
def test_old_versions_of_tls_are_refused(server: Server, version: str) -> None:
    said = s_client(server, version, "-cipher", "DEFAULT@SECLEVEL=0", "-servername", NAME)
    assert "alert" in said
    assert "Cipher is (NONE)" in said


def test_a_client_without_sni_gets_the_default_certificate(server: Server) -> None:
    assert "Verify return code: 0 (ok)" in s_client(server, "-noservername", "-verify_hostname", NAME)


def test_sessions_are_resumed(server: Server, context: ssl.SSLContext) -> None:
    asked = f"GET {WELL_KNOWN} HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode()
    with (
        socket.create_connection((ADDRESS, server.port), timeout=20) as plain,
        context.wrap_socket(plain, server_hostname=NAME) as first,
    ):
        first.sendall(asked)
        while first.recv(65536):
            pass
        session = first.session
    with (
        socket.create_connection((ADDRESS, server.port), timeout=20) as plain,
        context.wrap_socket(plain, server_hostname=NAME, session=session) as second,
    ):
        assert second.session_reused


def test_http_1_0_is_kept_alive_only_on_demand(server: Server, context: ssl.SSLContext) -> None:
    with Wire(server.port, context) as wire:
        wire.send(b"GET /digits.txt HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        assert "keep-alive" in wire.answer().members
        wire.send(b"GET /digits.txt HTTP/1.0\r\n\r\n")
        assert [answer.status for answer in wire.answers()] == [200]

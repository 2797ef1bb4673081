"""`/echo`: returns the received request as JSON, for tests of clients and proxies."""

import base64
import json
import ssl

import pytest

from support.server import Server
from support.wire import ADDRESS, NAME, request

JSON = "application/json"
MEMBERS = [
    *("method", "target", "version", "fields", "query", "content", "content_length", "text", "form", "json"),
    *("client_address", "client_port", "tls", "sni", "cipher", "group", "alpn", "resumed"),
    *("offered_versions", "offered_ciphers"),
]


def test_the_echo_shows_what_was_received(server: Server, context: ssl.SSLContext) -> None:
    with server.connect(context=context) as wire:
        wire.send(request("/echo?a=b", "X-Test: one", "x-test: two", method="PATCH", content=b"\0\xff"))
        found = json.loads(wire.answer().content)
        assert (found["client_address"], found["client_port"]) == (ADDRESS, wire.local_port)
    assert list(found) == MEMBERS
    assert (found["method"], found["target"], found["version"]) == ("PATCH", "/echo?a=b", "HTTP/1.1")
    assert [tuple(line) for line in found["fields"]] == [
        *(("Host", NAME), ("X-Test", "one"), ("x-test", "two"), ("Content-Length", "2"))
    ]
    assert (found["content"], found["content_length"]) == (base64.b64encode(b"\0\xff").decode(), 2)


@pytest.mark.parametrize(
    ("version", "cipher", "shown"),
    [
        (ssl.TLSVersion.TLSv1_3, None, "TLS_AES_256_GCM_SHA384"),
        (ssl.TLSVersion.TLSv1_2, "ECDHE-ECDSA-CHACHA20-POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
    ],
)
def test_the_connection_is_shown(server: Server, version: ssl.TLSVersion, cipher: str | None, shown: str) -> None:
    context = server.context
    context.minimum_version = context.maximum_version = version
    context.set_alpn_protocols(["h2", "http/1.1"])
    if cipher:
        context.set_ciphers(cipher)
    with server.connect(context=context) as wire:
        answer = wire.ask("/echo")
    assert (answer.status, answer.field("Content-Type"), answer.field("Cache-Control")) == (200, JSON, "no-store")
    found = json.loads(answer.content)
    assert found["tls"] == version.name.replace("_", ".")
    # TLS 1.2 has two names for each suite: OpenSSL's name and the registered name.
    assert found["cipher"] in (cipher, shown)
    assert (found["sni"], found["resumed"], found["alpn"], found["group"]) == (NAME, False, "http/1.1", "x25519")
    assert found["offered_versions"] == [found["tls"]]
    assert shown in found["offered_ciphers"]
    if cipher:
        # RFC 5746: the last suite only signals secure renegotiation.
        assert found["offered_ciphers"] == [shown, "TLS_EMPTY_RENEGOTIATION_INFO_SCSV"]


def test_the_plain_port_has_no_echo(server: Server) -> None:
    with server.connect_plain() as wire:
        assert wire.ask("/echo").status in (301, 307, 308, 404)

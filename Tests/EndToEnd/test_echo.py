"""`/echo`: returns the received request as JSON, for tests of clients and proxies."""

import base64
import json
import socket
import ssl
from typing import Any

import pytest

from support.server import Server
from support.waiting import LIMIT
from support.wire import ADDRESS, NAME, request

JSON = "application/json"
MEMBERS = [
    *("method", "target", "version", "fields", "query", "content", "content_length", "text", "form", "json"),
    *("client_address", "client_port", "tls", "sni", "cipher", "group", "alpn", "resumed"),
    *("offered_versions", "offered_ciphers"),
]


def echo(server: Server, message: bytes, context: ssl.SSLContext | None = None) -> dict[str, Any]:
    with server.connect(context=context) as wire:
        wire.send(message)
        answer = wire.answer()
    assert (answer.status, answer.field("Content-Type"), answer.field("Cache-Control")) == (200, JSON, "no-store")
    return json.loads(answer.content)


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
        (ssl.TLSVersion.TLSv1_2, "ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
        (ssl.TLSVersion.TLSv1_2, "ECDHE-ECDSA-CHACHA20-POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
    ],
)
def test_the_connection_is_shown(server: Server, version: ssl.TLSVersion, cipher: str | None, shown: str) -> None:
    context = server.context
    context.minimum_version = context.maximum_version = version
    if cipher:
        context.set_ciphers(cipher)
    found = echo(server, request("/echo"), context)
    assert found["tls"] == version.name.replace("_", ".")
    # TLS 1.2 has two names for each suite: OpenSSL's name and the registered name.
    assert found["cipher"] in (cipher, shown)
    assert (found["sni"], found["resumed"]) == (NAME, False)
    assert found["offered_versions"] == [found["tls"]]
    assert shown in found["offered_ciphers"]
    if cipher:
        # RFC 5746: the last suite only signals secure renegotiation.
        assert found["offered_ciphers"] == [shown, "TLS_EMPTY_RENEGOTIATION_INFO_SCSV"]


def test_the_offer_is_in_the_clients_order(server: Server) -> None:
    context = server.context
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    offered = echo(server, request("/echo"), context)
    assert offered["offered_versions"] == ["TLSv1.3", "TLSv1.2"]
    names = [name for name in offered["offered_ciphers"] if not name.endswith("_SCSV")]
    assert len(names) == len(context.get_ciphers())
    assert names[0] == context.get_ciphers()[0]["name"]


@pytest.mark.parametrize(("curve", "shown"), [(None, "x25519"), ("prime256v1", "secp256r1")])
def test_the_group_of_the_key_exchange_is_shown(server: Server, curve: str | None, shown: str) -> None:
    context = server.context
    if curve:
        context.set_ecdh_curve(curve)
    assert echo(server, request("/echo"), context)["group"] == shown


@pytest.mark.parametrize(
    ("offered", "chosen"), [(["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "http/1.1"), (None, None)]
)
def test_the_application_protocol_is_shown(server: Server, offered: list[str] | None, chosen: str | None) -> None:
    context = server.context
    if offered:
        context.set_alpn_protocols(offered)
    assert echo(server, request("/echo"), context)["alpn"] == chosen


def test_the_server_name_is_null_without_sni(server: Server) -> None:
    context = server.context
    context.check_hostname = False
    with server.connect(name=None, context=context) as wire:
        found = json.loads(wire.ask("/echo").content)
    assert (found["sni"], found["tls"]) == (None, "TLSv1.3")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_session_is_resumed_with_its_ticket(server: Server, version: ssl.TLSVersion) -> None:
    context = server.context
    context.minimum_version = context.maximum_version = version
    session: ssl.SSLSession | None = None
    shown = []
    for _ in range(2):
        with (
            socket.create_connection((ADDRESS, server.port), LIMIT) as plain,
            context.wrap_socket(plain, server_hostname=NAME, session=session) as stream,
        ):
            stream.sendall(request("/echo", "Connection: close"))
            received = b"".join(iter(lambda stream=stream: stream.recv(65536), b""))
            found = json.loads(received.partition(b"\r\n\r\n")[2])
            shown.append((found["resumed"], stream.session_reused))
            # With TLS 1.3, the ticket comes after the handshake.
            session = stream.session
        assert found["cipher"] and found["group"]
    assert shown == [(False, False), (True, True)]


def test_the_plain_port_has_no_echo(server: Server) -> None:
    with server.connect_plain() as wire:
        assert wire.ask("/echo").status in (301, 307, 308, 404)

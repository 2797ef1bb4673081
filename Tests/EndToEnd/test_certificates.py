"""The development authority and the certificates it makes, seen with the system's openssl."""

import re
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from support.keys import openssl
from support.server import Server
from support.wire import NAME

# Apple refuses a certificate that is valid for longer.
MOST_DAYS = 825

Start = Callable[..., Server]


def leaf(server: Server, name: str, folder: Path) -> Path:
    """The certificate that is shown for a name, in a file."""
    with server.connect(name) as wire:
        assert wire.tls
        shown = wire.tls.getpeercert(binary_form=True)
    assert shown
    file = folder / "leaf.pem"
    file.write_text(ssl.DER_cert_to_PEM_cert(shown))
    return file


def test_the_ready_line_names_the_authority(server: Server) -> None:
    assert server.authority.resolve() == (server.certificates / "authority.pem").resolve()
    text = openssl("x509", "-in", server.authority, "-noout", "-ext", "basicConstraints,nameConstraints").decode()
    assert "CA:TRUE" in text
    assert "Permitted" in text


def test_no_private_key_is_readable_by_others(server: Server) -> None:
    keys = [file for file in server.certificates.rglob("*") if file.is_file() and b"PRIVATE KEY" in file.read_bytes()]
    assert keys
    for key in keys:
        assert key.stat().st_mode & 0o077 == 0, key


@pytest.mark.parametrize("name", [NAME, "localhost"])
def test_a_leaf_is_what_apple_takes(server: Server, tmp_path: Path, name: str) -> None:
    text = openssl("x509", "-in", leaf(server, name, tmp_path), "-noout", "-text").decode()
    assert f"DNS:{name}" in text
    assert "TLS Web Server Authentication" in text
    assert "*." not in text, "a wildcard"
    dates = re.findall(r"Not (?:Before|After) *: (.+)", text)
    begin, end = (ssl.cert_time_to_seconds(date) for date in dates)
    assert 0 < end - begin <= MOST_DAYS * 86_400


def test_the_authority_outlives_the_server(start: Start) -> None:
    first = start()
    authority = first.authority.read_bytes()
    first.stop()
    second = start(certificates=first.certificates)
    assert (first.certificates / "authority.pem").read_bytes() == authority
    with second.connect(context=first.context) as wire:
        assert wire.ask("/digits.txt").status == 200

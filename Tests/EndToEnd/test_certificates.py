"""The development CA and its certificates, examined with the system's openssl."""

import re
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.keys import openssl
from support.server import BINARY, Server, environment, located
from support.wire import NAME

# Apple rejects a certificate with a longer validity.
MOST_DAYS = 825

Start = Callable[..., Server]


def leaf(server: Server, name: str, folder: Path) -> Path:
    """Saves the server's certificate for a name in a file."""
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
    assert "*." not in text, "the certificate contains a wildcard"
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


def authority(home: Path, *options: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs `motivator certificate authority`."""
    command = [BINARY, *located("certificate", "authority", *map(str, options))]
    return subprocess.run(command, cwd=home, env=environment(home), capture_output=True, text=True, timeout=20)


def test_the_root_key_can_be_kept_offline(start: Start, tmp_path: Path) -> None:
    certs, offline = tmp_path / "certs", tmp_path / "offline"
    made = authority(tmp_path, "--certificates", certs, "--offline-root", offline)
    assert made.returncode == 0, made.stderr
    assert "The intermediate is valid until" in made.stderr
    assert not (certs / "authority.key").exists()
    assert (offline / "root.key").stat().st_mode & 0o777 == 0o600
    first = (certs / "intermediate.pem").read_bytes()

    server = start(certificates=certs)
    with server.connect() as wire:
        assert wire.ask("/digits.txt").status == 200
    server.stop()

    renewed = authority(tmp_path, "--certificates", certs, "--offline-root", offline)
    assert renewed.returncode == 0, renewed.stderr
    assert (certs / "intermediate.pem").read_bytes() != first
    openssl("verify", "-CAfile", certs / "authority.pem", certs / "intermediate.pem")


def test_a_missing_offline_key_is_an_error_with_a_fix(tmp_path: Path) -> None:
    offline = tmp_path / "offline"
    assert authority(tmp_path, "--offline-root", offline).returncode == 0
    (tmp_path / "certs/intermediate.pem").unlink()
    refused = authority(tmp_path)
    assert refused.returncode == 78
    assert "the folder has no root key to sign a new one" in refused.stderr
    assert "motivator certificate authority --offline-root FOLDER" in refused.stderr


def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    certs = tmp_path / "certs"
    certs.mkdir()
    certs.chmod(0o777)
    refused = authority(tmp_path)
    assert refused.returncode == 77
    assert refused.stderr.count("\n") == 1
    assert 'other users can write to "certs" (mode 0777)' in refused.stderr
    assert "chmod go-w certs" in refused.stderr
    assert not list(certs.iterdir())
    certs.chmod(0o755)
    assert authority(tmp_path).returncode == 0


def test_a_renewed_authority_keeps_its_permitted_names(tmp_path: Path) -> None:
    assert authority(tmp_path, "--permit", "example.org", "--name", "My CA").returncode == 0
    root = tmp_path / "certs/authority.pem"
    before = root.read_bytes()
    assert authority(tmp_path).returncode == 0
    assert root.read_bytes() == before
    assert authority(tmp_path, "--renew").returncode == 0
    assert root.read_bytes() != before
    text = openssl("x509", "-in", root, "-noout", "-subject", "-ext", "nameConstraints").decode()
    assert "CN = My CA" in text
    assert "DNS:example.org" in text

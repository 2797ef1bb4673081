"""The development CA and its certificates, examined with the system's openssl."""

import ssl
import subprocess
from pathlib import Path

from support.fixtures import Start
from support.keys import openssl
from support.server import BINARY, Server, environment, located
from support.waiting import LIMIT


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
    return subprocess.run(command, cwd=home, env=environment(home), capture_output=True, text=True, timeout=LIMIT)


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
    assert "motivator certificate authority --certificates certs --offline-root FOLDER" in refused.stderr


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

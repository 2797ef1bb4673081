"""Certificates and signatures that devices reject silently: the server and the signer report them."""

import signal
import ssl
from datetime import timedelta
from pathlib import Path

import pytest

from support.authorities import SERVERS, Holder, Maker, named
from support.fixtures import Start
from support.keys import association, identity, openssl, signed
from support.server import CHEAP, run
from support.wire import ADDRESS, NAME

CONFIGURATION = 78
NO = 1


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    folder = tmp_path / "made"
    folder.mkdir()
    return Maker(folder)


def options(holder: Holder) -> tuple[str, ...]:
    return "--certificate", str(holder.certificate), "--key", str(holder.key)


def presigned(folder: Path, holder: Holder) -> tuple[str, str]:
    file = folder / "signed.der"
    file.write_bytes(signed(association(), holder.certificate, holder.key))
    return "--association", str(file)


CASES = {
    "other host": (lambda maker: maker.make("other", None, named("other.test"), SERVERS), "valid only for other.test"),
    "expired": (
        lambda maker: maker.make("old", None, named(NAME), SERVERS, start=timedelta(days=-60), days=30),
        f"the certificate for {NAME} expired on",
    ),
}
SIGNERS = {"other host": (named("other.test"), SERVERS)}


@pytest.mark.parametrize("name", CASES)
def test_a_certificate_that_devices_reject_is_a_warning(start: Start, maker: Maker, name: str) -> None:
    make, words = CASES[name]
    server = start(*options(make(maker)))
    assert words in server.err.wait_for(lambda line: "warning" in line.lower())
    assert server.err.text.lower().count("warning") == 1


@pytest.mark.parametrize("name", CASES)
def test_a_strict_server_rejects_a_certificate_that_devices_reject(tmp_path: Path, maker: Maker, name: str) -> None:
    make, words = CASES[name]
    listeners = ("--host", ADDRESS, "--port", "0", "--plain-port", "0", "--admin", f"{ADDRESS}:0")
    done = run(tmp_path, "serve", "--strict", *listeners, *CHEAP, *options(make(maker)))
    assert (done.code, words in done.err) == (CONFIGURATION, True), done.err


@pytest.mark.parametrize("name", SIGNERS)
def test_a_signed_file_that_devices_reject_is_a_warning(start: Start, tmp_path: Path, maker: Maker, name: str) -> None:
    server = start(*presigned(tmp_path, maker.make("signer", None, *SIGNERS[name])))
    line = server.err.wait_for(lambda line: "warning" in line.lower())
    assert 'a device denies "' in line and "[signer-" in line


def test_a_valid_certificate_causes_no_warning(start: Start, maker: Maker) -> None:
    holder = maker.make("good", None, named(NAME), SERVERS)
    server = start("--strict", "--association-format", "signed", *options(holder))
    with server.connect(context=trusting(holder)) as wire:
        assert wire.ask("/apple-app-site-association").status == 200
    assert "warning" not in server.err.text.lower()


def trusting(holder: Holder) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(holder.certificate))


def test_a_strict_server_keeps_the_old_certificate_on_a_reload(start: Start, tmp_path: Path, maker: Maker) -> None:
    certificate, key = identity(tmp_path, NAME)
    server = start("--strict", "--certificate", str(certificate), "--key", str(key))
    first = certificate.read_bytes()
    old = CASES["expired"][0](maker)
    certificate.write_bytes(old.certificate.read_bytes())
    key.write_bytes(old.key.read_bytes())
    since = len(server.err.lines)
    server.signal(signal.SIGHUP)
    line = server.err.wait_for(lambda line: "could not reload" in line, since=since)
    assert f"the certificate for {NAME} expired on" in line
    shown = openssl("s_client", "-connect", f"{ADDRESS}:{server.port}", "-servername", NAME, given=b"")
    assert openssl("x509", "-outform", "DER", given=shown) == openssl("x509", "-outform", "DER", given=first)


@pytest.mark.parametrize(
    ("extensions", "start", "words"),
    [pytest.param((named(NAME), SERVERS), timedelta(days=-100), "expired", id="expired")],
)
def test_the_signer_refuses_an_identity_that_devices_reject(
    tmp_path: Path, maker: Maker, extensions: tuple[str, ...], start: timedelta, words: str
) -> None:
    holder = maker.make("signer", None, *extensions, start=start)
    file = tmp_path / "site.json"
    file.write_bytes(association())
    output = tmp_path / "signed.der"
    command = ("association", "sign", str(file), *options(holder), "--output", str(output))
    done = run(tmp_path, *command)
    assert (done.code, words in done.err, output.exists()) == (NO, True, False), done.err
    assert run(tmp_path, *command, "--force").code == 0
    assert output.exists()


def test_an_in_memory_database_leaves_no_file(start: Start, tmp_path: Path) -> None:
    server = start("--database", ":memory:")
    with server.connect() as wire:
        assert wire.ask("/signup").status == 200
    server.stop()
    assert not list(server.home.rglob("*memory*")) and not server.database.exists()

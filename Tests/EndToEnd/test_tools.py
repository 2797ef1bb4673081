"""The tools as commands: their output, their errors, and openssl's verification of the output."""

import json
import os
import re
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.keys import APPS, association, identity, openssl, padded_association, signed
from support.server import BINARY, TRACE, environment, located

YES, NO, USAGE, BAD_INPUT, NO_INPUT, CANNOT_CREATE, IO, NOT_PERMITTED, CONFIGURATION = 0, 1, 64, 65, 66, 73, 74, 77, 78
LIMIT = 20.0
NAME = "example.test"
# Options for a signature without times, as in Apple's reference.
BARE = ("-noattr", "-nodetach")


@dataclass(frozen=True)
class Done:
    code: int
    out: bytes
    err: str


def tool(home: Path, *arguments: str | Path, given: bytes = b"", out: Path | None = None) -> Done:
    """Runs a command in `home` until it exits. `out` replaces standard output."""
    with open(out, "wb") if out else open(os.devnull, "wb") as target:
        done = subprocess.run(
            [BINARY, *located(*map(str, arguments))],
            cwd=home,
            env=environment(home),
            input=given,
            stdout=target if out else subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=LIMIT,
        )
    err = done.stderr.decode()
    assert not TRACE.search(err), err
    return Done(done.returncode, done.stdout or b"", err)


def refused(done: Done, code: int, *words: str) -> None:
    """Asserts the exit code, an empty standard output, and a single line with the cause and a fix."""
    assert done.code == code, done
    assert done.out == b""
    lines = done.err.splitlines()
    if code != USAGE:
        assert len(lines) == 1, done.err
        assert lines[0].startswith("motivator: ")
        assert lines[0].rstrip(".").count(". ") >= 1, f"the line has a cause, but no fix: {lines[0]}"
    for word in words:
        assert word in done.err, done.err


@dataclass(frozen=True)
class Bench:
    """A CA, a leaf that it issued, and a self-signed identity from openssl."""

    home: Path

    @property
    def root(self) -> Path:
        return self.home / "certs/authority.pem"

    @property
    def leaf(self) -> tuple[Path, Path]:
        return self.home / f"certs/{NAME}.pem", self.home / f"certs/{NAME}.key"

    def sign(self, *arguments: str | Path, given: bytes = b"", out: Path | None = None) -> Done:
        certificate, key = self.leaf
        options = ("--certificate", certificate, "--key", key)
        return tool(self.home, "association", "sign", *arguments, *options, given=given, out=out)

    def verify(self, *arguments: str | Path, given: bytes = b"", out: Path | None = None) -> Done:
        return tool(self.home, "association", "verify", *arguments, "--trust", self.root, given=given, out=out)

    def file(self, name: str, content: bytes) -> Path:
        path = self.home / name
        path.write_bytes(content)
        return path

    def by_openssl(self, content: bytes, *options: str) -> bytes:
        """Signs the content with openssl and the leaf. Includes the certificates unless the options exclude them."""
        certificate, key = self.leaf
        chain = () if "-nocerts" in options else ("-certfile", certificate)
        return openssl(
            *("smime", "-sign", "-binary", "-signer", certificate, "-inkey", key, *chain, *options), given=content
        )


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    home = tmp_path_factory.mktemp("bench")
    made = Bench(home)
    assert tool(home, "certificate", "issue", NAME, "www.example.test").code == YES
    return made


@pytest.mark.parametrize("attributes", [False, True], ids=["bare", "attributes"])
def test_what_was_signed_is_verified(bench: Bench, tmp_path: Path, attributes: bool) -> None:
    source, target = bench.file("site.json", association()), tmp_path / "signed.der"
    done = bench.sign(source, "--output", target, *(["--attributes"] if attributes else []))
    assert (done.code, done.out, done.err) == (YES, b"", "")
    assert bench.verify(target, "--domain", NAME) == Done(YES, association(), "")
    assert (b"signingTime" in openssl("cms", "-cmsout", "-print", "-inform", "DER", "-in", target)) is attributes
    for command in ("smime", "cms"):
        inside = openssl(
            *(command, "-verify", "-inform", "DER", "-in", target, "-CAfile", bench.root, "-purpose", "any", "-binary")
        )
        assert inside == association(), command


def test_standard_input_and_output_are_used_without_names(bench: Bench) -> None:
    for arguments in ((), ("-",)):
        done = bench.sign(*arguments, given=association())
        assert (done.code, done.err) == (YES, "")
        assert bench.verify("-", given=done.out).out == association()


def test_what_openssl_signed_is_verified(bench: Bench) -> None:
    message = bench.by_openssl(association(), *BARE, "-outform", "DER")
    assert bench.verify("-", "--domain", NAME, given=message) == Done(YES, association(), "")


def test_a_changed_byte_of_the_content_is_refused(bench: Bench) -> None:
    message = bench.by_openssl(association(), *BARE, "-outform", "DER")
    at = message.index(APPS[0].encode())
    changed = message[:at] + bytes([message[at] ^ 1]) + message[at + 1 :]
    refused(bench.verify("-", given=changed), NO, "signature is invalid")


def test_no_changed_byte_is_taken_for_what_was_signed(bench: Bench) -> None:
    message = bench.by_openssl(association(), *BARE, "-outform", "DER")
    for at in range(0, len(message), max(len(message) // 60, 1)):
        changed = message[:at] + bytes([message[at] ^ 0x01]) + message[at + 1 :]
        done = bench.verify("-", given=changed)
        # The byte may belong to the envelope or to an unneeded certificate. The content must not change.
        assert done.code in (YES, NO, BAD_INPUT), (at, done)
        assert done.code != YES or done.out == association(), at


def test_the_content_is_not_shown_before_it_is_proven(bench: Bench) -> None:
    certificate, key = identity(bench.home, "stranger.test")
    done = bench.verify("-", given=signed(association(), certificate, key))
    refused(done, NO, "not trusted", "--trust")


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        pytest.param((*BARE, "-outform", "PEM"), BAD_INPUT, ("PEM form", "-outform DER"), id="PEM"),
        pytest.param((*BARE,), BAD_INPUT, ("S/MIME text", "-outform DER"), id="S/MIME with the content"),
        pytest.param(("-noattr",), BAD_INPUT, ("S/MIME text",), id="S/MIME in two parts"),
        pytest.param(("-noattr", "-outform", "DER"), NO, ("the signed content", "-nodetach"), id="detached"),
        pytest.param(
            (*BARE, "-nocerts", "-outform", "DER"), NO, ("certificate of its signer",), id="without a certificate"
        ),
    ],
)
def test_other_forms_are_refused_with_the_way_to_the_right_one(
    bench: Bench, options: tuple[str, ...], code: int, words: tuple[str, ...]
) -> None:
    refused(bench.verify("-", given=bench.by_openssl(association(), *options)), code, *words)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", ("empty",), id="nothing"),
        pytest.param(association(), ("unsigned JSON", "association sign"), id="plain JSON"),
        pytest.param(bytes([0x30, 0x82, 1, 2]), ("not CMS",), id="bytes"),
        pytest.param(padded_association(131_073), ("larger than 131072 bytes",), id="too large"),
    ],
)
def test_what_is_no_message_is_bad_input(bench: Bench, content: bytes, words: tuple[str, ...]) -> None:
    refused(bench.verify("-", given=content), BAD_INPUT, *words)


def test_bytes_behind_the_message_are_refused(bench: Bench) -> None:
    message = bench.by_openssl(association(), *BARE, "-outform", "DER")
    refused(bench.verify("-", given=message + b"\n"), BAD_INPUT, "1 bytes follow")


def test_the_signer_has_to_be_for_the_domain(bench: Bench) -> None:
    message = bench.sign(given=association()).out
    assert bench.verify("-", "--domain", "www.example.test", given=message).code == YES
    refused(bench.verify("-", "--domain", "other.test", given=message), NO, "other.test", NAME)


def test_the_dates_count_at_the_time_that_is_asked_for(bench: Bench) -> None:
    message = bench.sign(given=association()).out
    refused(bench.verify("-", "--at", "2015-10-01T00:00:00Z", given=message), NO, "not valid before")
    refused(bench.verify("-", "--at", "2099-01-01", given=message), NO, "expired")
    refused(bench.verify("-", "--at", "2015-02-30", given=message), USAGE, "--at")


def test_an_old_signature_is_good_at_its_time(bench: Bench, tmp_path: Path) -> None:
    key, certificate = tmp_path / "old.key", tmp_path / "old.pem"
    request, extensions = tmp_path / "old.csr", tmp_path / "extensions"
    extensions.write_text("subjectAltName=DNS:old.test\nextendedKeyUsage=serverAuth\n")
    openssl("req", "-new", "-newkey", "rsa:2048", "-noenc", "-subj", "/CN=old.test", "-keyout", key, "-out", request)
    (tmp_path / "index.txt").touch()
    (tmp_path / "ca.cnf").write_text(
        f"[ca]\ndefault_ca=c\n[c]\ndir={tmp_path}\nnew_certs_dir={tmp_path}\ndatabase={tmp_path}/index.txt\n"
        "rand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n"
    )
    openssl(
        *("ca", "-batch", "-selfsign", "-config", tmp_path / "ca.cnf", "-in", request, "-keyfile", key),
        *("-startdate", "20150101000000Z", "-enddate", "20160101000000Z", "-extfile", extensions, "-out", certificate),
        "-notext",
    )
    key.chmod(0o600)
    message = tmp_path / "old.der"
    message.write_bytes(signed(association(), certificate, key))
    arguments = ("association", "verify", message, "--domain", "old.test", "--trust", certificate)
    refused(tool(tmp_path, *arguments), NO, "expired", "2016-01-01")
    assert tool(tmp_path, *arguments, "--at", "2015-10-01").out == association()


def test_a_file_that_is_no_association_is_signed_only_by_force(bench: Bench) -> None:
    wrong = bench.file("wrong.json", b'{"webcredentials": {"apps": ["nobody"]}}')
    refused(bench.sign(wrong), BAD_INPUT, "wrong.json", "nobody")
    done = bench.sign(wrong, "--force")
    assert done.code == YES
    assert bench.verify("-", given=done.out).out == wrong.read_bytes()


def test_a_refused_file_leaves_the_old_output(bench: Bench, tmp_path: Path) -> None:
    target = tmp_path / "signed.der"
    target.write_bytes(b"old")
    refused(bench.sign("-", "--output", target, given=b"{"), BAD_INPUT, "line 1")
    assert target.read_bytes() == b"old"
    assert bench.sign("-", "--output", target, given=association()).code == YES
    assert bench.verify(target).out == association()
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
    assert [path.name for path in tmp_path.iterdir()] == ["signed.der"]


def test_faults_of_files_have_their_codes(bench: Bench, tmp_path: Path) -> None:
    certificate, key = identity(tmp_path, "own.test")
    options = ("--certificate", certificate, "--key", key)

    def sign(*arguments: str | Path) -> Done:
        return tool(tmp_path, "association", "sign", *arguments, given=association())

    refused(sign("none.json", *options), NO_INPUT, "none.json")
    refused(sign(tmp_path, *options), NO_INPUT)
    refused(sign("--certificate", "none.pem", "--key", key), NO_INPUT, "none.pem")
    refused(sign("--certificate", certificate, "--key", bench.leaf[1]), BAD_INPUT)
    refused(sign(*options, "--output", tmp_path / "none/signed.der"), CANNOT_CREATE, "none/signed.der")
    refused(sign(*options[:2]), USAGE, "--key")
    refused(bench.verify("none.der"), NO_INPUT, "none.der")
    key.chmod(0o644)
    refused(sign(*options), NOT_PERMITTED, "chmod 600")


def test_a_result_that_cannot_be_written_is_a_failure(bench: Bench) -> None:
    full = Path("/dev/full")
    message = bench.sign(given=association()).out
    refused(bench.sign(given=association(), out=full), IO, "standard output")
    refused(bench.verify("-", given=message, out=full), IO, "standard output")


def test_an_authority_is_made_once_and_shown_again(tmp_path: Path) -> None:
    first = tool(tmp_path, "certificate", "authority")
    assert (first.code, first.out) == (YES, b"certs/authority.pem\n")
    root = (tmp_path / "certs/authority.pem").read_bytes()
    found = re.search(r"SHA-256: ([0-9A-F:]+)", first.err)
    assert found
    shown = openssl("x509", "-in", tmp_path / "certs/authority.pem", "-noout", "-fingerprint", "-sha256")
    assert shown.decode().strip().endswith(f"={found[1]}")
    assert tool(tmp_path, "certificate", "authority") == first
    assert (tmp_path / "certs/authority.pem").read_bytes() == root
    assert tool(tmp_path, "certificate", "authority", "--name", "Another Root").code == YES
    assert (tmp_path / "certs/authority.pem").read_bytes() != root
    subject = openssl("x509", "-in", tmp_path / "certs/authority.pem", "-noout", "-subject")
    assert b"Another Root" in subject


def test_an_authority_signs_only_for_what_it_may(tmp_path: Path) -> None:
    assert tool(tmp_path, "certificate", "authority", "--permit", "allowed.example").code == YES
    issued = tool(tmp_path, "certificate", "issue", "www.allowed.example")
    assert issued.code == YES
    assert "Created a CA" not in issued.err
    refused(tool(tmp_path, "certificate", "issue", "www.denied.example"), CONFIGURATION, "www.denied.example")


@pytest.mark.parametrize(("option", "algorithm"), [((), b"id-ecPublicKey"), (("--rsa",), b"rsaEncryption")])
def test_a_certificate_is_for_its_hosts_and_days(tmp_path: Path, option: tuple[str, ...], algorithm: bytes) -> None:
    done = tool(tmp_path, "certificate", "issue", "a.test", "192.168.1.10", "--days", "3", *option)
    assert done.code == YES
    assert 'Created a CA in "certs".' in done.err.splitlines()
    certificate, key = (tmp_path / line for line in done.out.decode().splitlines())
    text = openssl("x509", "-in", certificate, "-noout", "-text")
    assert b"DNS:a.test" in text
    assert b"IP Address:192.168.1.10" in text
    assert algorithm in text
    openssl("x509", "-in", certificate, "-noout", "-checkend", str(3 * 86_400 - 600))
    expired = subprocess.run(["openssl", "x509", "-in", certificate, "-noout", "-checkend", str(3 * 86_400 + 600)])
    assert expired.returncode == 1
    openssl("verify", "-CAfile", tmp_path / "certs/authority.pem", "-untrusted", certificate, certificate)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(("a.test", "--days", "0"), USAGE, id="no day"),
        pytest.param(("a.test", "--days", "100000"), USAGE, id="longer than the intermediate"),
        pytest.param(("https://a.test/",), USAGE, id="a URL"),
        pytest.param((), USAGE, id="no host"),
    ],
)
def test_a_certificate_that_cannot_be_is_refused(tmp_path: Path, arguments: tuple[str, ...], code: int) -> None:
    refused(tool(tmp_path, "certificate", "issue", *arguments), code)


def test_a_signed_file_is_what_serve_takes(bench: Bench, tmp_path: Path) -> None:
    target = tmp_path / "signed.der"
    assert bench.sign("-", "--output", target, given=association()).code == YES
    inside = bench.verify(target, "--domain", NAME)
    assert json.loads(inside.out)["webcredentials"]["apps"] == APPS

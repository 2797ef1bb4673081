"""The tools as commands: their output, their errors, and openssl's verification of the output."""

import os
import re
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.keys import association, identity, openssl, signed
from support.server import BINARY, TRACE, environment, located
from support.waiting import LIMIT

YES, NO, USAGE, BAD_INPUT, NO_INPUT, CANNOT_CREATE, IO, NOT_PERMITTED, CONFIGURATION = 0, 1, 64, 65, 66, 73, 74, 77, 78
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
def test_a_signed_file_is_verified(bench: Bench, tmp_path: Path, attributes: bool) -> None:
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


@pytest.mark.parametrize("certificate", ["leaf", "leaf and intermediate"])
@pytest.mark.parametrize("chain", ["intermediate", "leaf and intermediate"])
def test_the_intermediate_may_be_a_separate_file(bench: Bench, tmp_path: Path, certificate: str, chain: str) -> None:
    end = b"-----END CERTIFICATE-----\n"
    leaf, intermediate = (part + end for part in bench.leaf[0].read_bytes().split(end)[:2])
    texts = {"leaf": leaf, "intermediate": intermediate, "leaf and intermediate": leaf + intermediate}
    files = {name: bench.file(name.replace(" ", "-"), text) for name, text in texts.items()}
    options = ("--key", bench.leaf[1], "--chain", files[chain], "--output", tmp_path / "signed.der")
    source = bench.file("site.json", association())
    done = tool(bench.home, "association", "sign", source, "--certificate", files[certificate], *options)
    assert (done.code, done.err) == (YES, "")
    assert bench.verify(tmp_path / "signed.der", "--domain", NAME).out == association()
    # The command of Apple's reference, with the intermediate as a separate file.
    by_openssl = openssl(
        *("smime", "-sign", "-inkey", bench.leaf[1], "-signer", files["leaf"], "-certfile", files["intermediate"]),
        *(*BARE, "-binary", "-outform", "DER"),
        given=association(),
    )
    assert certificates((tmp_path / "signed.der").read_bytes()) == certificates(by_openssl)


def certificates(message: bytes) -> set[str]:
    """Returns the certificates in a signed message."""
    text = openssl("pkcs7", "-inform", "DER", "-print_certs", given=message).decode()
    return set(re.findall("BEGIN CERTIFICATE-----(.+?)-----END", text, re.DOTALL))


def test_a_file_signed_by_openssl_is_verified(bench: Bench) -> None:
    message = bench.by_openssl(association(), *BARE, "-outform", "DER")
    assert bench.verify("-", "--domain", NAME, given=message) == Done(YES, association(), "")


def test_the_content_is_printed_only_after_verification(bench: Bench) -> None:
    certificate, key = identity(bench.home, "stranger.test")
    done = bench.verify("-", given=signed(association(), certificate, key))
    refused(done, NO, "not trusted", "from a CA")


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        pytest.param((*BARE, "-outform", "PEM"), BAD_INPUT, ("PEM form", "-outform DER"), id="PEM"),
        pytest.param(("-noattr", "-outform", "DER"), NO, ("the signed content", "-nodetach"), id="detached"),
    ],
)
def test_other_formats_are_refused_with_a_conversion_command(
    bench: Bench, options: tuple[str, ...], code: int, words: tuple[str, ...]
) -> None:
    refused(bench.verify("-", given=bench.by_openssl(association(), *options)), code, *words)


def test_the_signer_must_cover_the_domain(bench: Bench) -> None:
    message = bench.sign(given=association()).out
    assert bench.verify("-", "--domain", "www.example.test", given=message).code == YES
    refused(bench.verify("-", "--domain", "other.test", given=message), NO, "other.test", NAME)


def test_the_option_at_sets_the_time_of_the_verification(bench: Bench) -> None:
    message = bench.sign(given=association()).out
    refused(bench.verify("-", "--at", "2015-10-01T00:00:00Z", given=message), NO, "not valid before")
    refused(bench.verify("-", "--at", "2099-01-01", given=message), NO, "expired")
    refused(bench.verify("-", "--at", "2015-02-30", given=message), USAGE, "--at")


def test_a_file_that_is_not_an_association_is_signed_only_with_force(bench: Bench) -> None:
    wrong = bench.file("wrong.json", b'{"webcredentials": {"apps": ["nobody"]}}')
    refused(bench.sign(wrong), BAD_INPUT, "wrong.json", "has no dot between prefix", "[app-malformed]")
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


def test_file_errors_have_their_exit_codes(bench: Bench, tmp_path: Path) -> None:
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


def test_an_authority_signs_only_for_its_permitted_names(tmp_path: Path) -> None:
    assert tool(tmp_path, "certificate", "authority", "--permit", "allowed.example").code == YES
    issued = tool(tmp_path, "certificate", "issue", "www.allowed.example")
    assert issued.code == YES
    assert "Created a CA" not in issued.err
    refused(tool(tmp_path, "certificate", "issue", "www.denied.example"), CONFIGURATION, "www.denied.example")


@pytest.mark.parametrize(("option", "algorithm"), [((), b"id-ecPublicKey"), (("--rsa",), b"rsaEncryption")])
def test_a_certificate_has_the_requested_hosts_and_validity(
    tmp_path: Path, option: tuple[str, ...], algorithm: bytes
) -> None:
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

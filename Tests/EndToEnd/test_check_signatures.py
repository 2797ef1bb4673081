"""`association check` of signed files from the system's openssl. `CertificatesTests` has all rules of signatures."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.authorities import SERVERS, SITE, Holder, Maker, named
from support.checking import NO, YES, check, steered
from support.keys import association as plain
from support.keys import openssl, padded_association
from support.sites import JSON, SIGNED, Site, always, over_tls, response, tls_context

DER = ("-outform", "DER")
ASSOCIATED, DENIED = ("associated",) * 3, ("denied",) * 3
# The issue that every signed file has in addition to its faults: iOS 9 requires no signature.
USUAL = {"signature-needless"}


@dataclass(frozen=True)
class Signers:
    """Signers below one trusted root."""

    maker: Maker
    root: Holder
    intermediate: Holder

    def leaf(self, *extensions: str) -> Holder:
        return self.maker.make(SITE, self.intermediate, *(extensions or (named(SITE), SERVERS)))

    def sign(
        self, holder: Holder, *options: str | Path, form: tuple[str, ...] = DER, content: bytes | None = None
    ) -> bytes:
        """Signs as in Apple's reference: with the content inside, and without attributes."""
        command = ("smime", "-sign", "-binary", "-nodetach", "-noattr", *form)
        signer = ("-signer", holder.certificate, "-inkey", holder.key)
        return openssl(*command, *signer, *options, given=content or plain())

    def signed(self, content: bytes | None = None) -> bytes:
        return self.sign(self.leaf(), "-certfile", self.intermediate.certificate, content=content)

    def by_wildcard(self) -> bytes:
        leaf = self.leaf(named("*.example.test"), SERVERS)
        return self.sign(leaf, "-certfile", self.intermediate.certificate)

    def changed(self) -> bytes:
        return self.signed().replace(b"DemoApp", b"DemoApq")


@pytest.fixture(scope="module")
def signers(tmp_path_factory: pytest.TempPathFactory) -> Signers:
    maker = Maker(tmp_path_factory.mktemp("signers"))
    root = maker.authority("Test Root")
    return Signers(maker, root, maker.authority("Test Intermediate", root))


@pytest.mark.parametrize(
    ("make", "code"),
    [
        pytest.param(Signers.signed, None, id="valid"),
        pytest.param(Signers.by_wildcard, None, id="a wildcard certificate"),
        pytest.param(lambda it: it.sign(it.leaf(), form=("-outform", "PEM")), "file-pem", id="PEM"),
        pytest.param(lambda it: it.sign(it.leaf()), "signer-incomplete-chain", id="no intermediate"),
        pytest.param(Signers.changed, "signature-bad", id="changed content"),
    ],
)
def test_the_check_of_a_signed_file_reports_its_fault(
    signers: Signers, tmp_path: Path, make: Callable[[Signers], bytes], code: str | None
) -> None:
    file = tmp_path / "signed"
    file.write_bytes(make(signers))
    verdict = NO if code else YES
    report = check(tmp_path, file, "--domain", SITE, "--trust", signers.root.certificate, verdict=verdict)
    assert report.verdicts == (DENIED if code else ASSOCIATED)
    assert report.codes - USUAL - {"signature-missing"} == ({code} if code else set())


def test_the_size_limit_includes_the_signature(signers: Signers, tmp_path: Path) -> None:
    file = tmp_path / "signed"
    asked = (file, "--domain", SITE, "--trust", signers.root.certificate)
    file.write_bytes(signers.signed(padded_association(128_000)))
    assert check(tmp_path, *asked, verdict=YES).verdicts == ASSOCIATED
    # The content is within the limit, but not with its signature.
    file.write_bytes(signers.signed(padded_association(131_072)))
    report = check(tmp_path, *asked, verdict=NO)
    assert report.verdicts == DENIED and "file-too-large" in report.codes


def test_the_domain_of_a_signed_file_comes_from_the_entitlement(signers: Signers, tmp_path: Path) -> None:
    file = tmp_path / "signed"
    file.write_bytes(signers.signed())
    trust = ("--trust", signers.root.certificate)
    assert check(tmp_path, file, *trust, verdict=YES).codes - USUAL == {"signer-domain-unknown"}
    entry = ("--entitlement", f"webcredentials:{SITE}")
    # The name below .test counts as public, because `check` has --assume-public.
    assert check(tmp_path, file, *trust, *entry, verdict=YES).codes - USUAL == set()
    entry = ("--entitlement", "webcredentials:elsewhere.test")
    assert "signer-wrong-domain" in check(tmp_path, file, *trust, *entry, verdict=NO).codes


@pytest.mark.parametrize(
    ("kind", "verdicts", "codes"),
    [(SIGNED, ASSOCIATED, set()), (JSON, ("associated", "associated", "denied"), {"http-signed-content-type"})],
)
def test_a_signed_file_requires_its_own_type(
    signers: Signers, tmp_path: Path, kind: str, verdicts: tuple[str, str, str], codes: set[str]
) -> None:
    """The signer's certificate differs from the certificate of the server."""
    message = response(signers.signed(), kind=kind)
    with Site(over_tls(tls_context(signers.leaf(), signers.intermediate), always(message))) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), "--trust", signers.root.certificate)
    assert report.verdicts == verdicts
    assert report.codes - USUAL - {"tls-given-root"} == codes

"""The hosts of `serve --faults` with a signed file: openssl reports only the named fault."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.faulty import PATHS, RIGHT, SIGNATURE_GROUP, FaultyServer, OpenSSL, run_openssl

EXPIRED, NOT_YET_VALID = "certificate has expired", "certificate is not yet valid"
NO_ISSUER, SELF_SIGNED = "unable to get local issuer certificate", "self-signed certificate"
OTHER_ROOT, OTHER_HOST = "self-signed certificate in certificate chain", "hostname mismatch"
OTHER_PURPOSE = "unsuitable certificate purpose"
BAD_SIGNATURE, NO_CONTENT = "content verify error", "no content"
# How openssl prints a signer without signed attributes.
NO_ATTRIBUTES = " signedAttrs:\n          <ABSENT>"


@dataclass(frozen=True)
class Signed:
    """The message of a host, and the CA that the client trusts."""

    faulty: FaultyServer
    name: str
    message: bytes
    folder: Path

    @property
    def intermediate(self) -> Path:
        return self.faulty.server.certificates / "intermediate.pem"

    def verify(self, *options: str | Path, message: bytes | None = None) -> OpenSSL:
        """Verifies the message and its signer, as the host's server certificate. Options replace the defaults."""
        words = [*map(str, options)]
        defaults: list[tuple[str, str | Path]] = [
            ("-inform", "DER"),
            ("-purpose", "sslserver"),
            ("-verify_hostname", self.faulty.host(self.name)),
            ("-CAfile", self.faulty.server.authority),
        ]
        for option, value in defaults:
            if option not in words:
                words += [option, str(value)]
        return run_openssl("cms", "-verify", "-binary", *words, given=self.message if message is None else message)

    @property
    def structure(self) -> str:
        done = run_openssl("cms", "-cmsout", "-print", "-inform", "DER", given=self.message)
        assert done.code == 0, done.err
        return done.out.decode(errors="replace")

    @property
    def certificates(self) -> list[Path]:
        """The enclosed certificates, the signers first."""
        done = run_openssl("pkcs7", "-inform", "DER", "-print_certs", given=self.message)
        paths = []
        for number, pem in enumerate(re.findall(r"-----BEGIN.*?END CERTIFICATE-----\n", done.out.decode(), re.DOTALL)):
            paths.append(self.folder / f"{number}.pem")
            paths[-1].write_text(pem)
        return paths

    @property
    def signers(self) -> str:
        return self.structure.partition("signerInfos:")[2]

    def file(self, text: str) -> str:
        path = self.folder / "file"
        path.write_text(text)
        return str(path)

    def trust(self, *paths: Path) -> tuple[str, str, str]:
        return "-CAfile", self.file("".join(path.read_text() for path in paths)), "-partial_chain"


@dataclass(frozen=True)
class Good:
    """A message that openssl verifies, and its special feature."""

    name: str
    is_special: Callable[[Signed], bool]
    type: str = "application/pkcs7-mime"


@dataclass(frozen=True)
class Bad:
    """A message that openssl rejects, a part of the error, and the options or the repair that remove the error."""

    name: str
    error: str
    options: Callable[[Signed], tuple[str | Path, ...]] = lambda _: ()
    repair: Callable[[Signed], bytes] | None = None


def names(path: Path) -> list[str]:
    text = run_openssl("x509", "-noout", "-ext", "subjectAltName", "-in", path).out.decode()
    return re.findall(r"DNS:([^,\s]+)", text)


def without_last_bit(signed: Signed) -> bytes:
    return signed.message[:-1] + bytes([signed.message[-1] ^ 1])


def text_of(path: Path) -> str:
    return run_openssl("x509", "-noout", "-text", "-in", path).out.decode()


GOOD = [
    Good(
        "signed-p256",
        lambda it: (
            it.signers.count(NO_ATTRIBUTES) == 1
            and "Public-Key: (256 bit)" in text_of(it.certificates[0])
            and len(it.certificates) == 2
        ),
    ),
    Good("signed-rsa", lambda it: "Public-Key: (2048 bit)" in text_of(it.certificates[0])),
    Good(
        "signed-attributes",
        lambda it: "messageDigest" in it.signers and NO_ATTRIBUTES not in it.signers,
    ),
    Good("signed-two", lambda it: it.signers.count(" signedAttrs:") == 2 and len(it.certificates) == 3),
    Good("signed-wildcard", lambda it: names(it.certificates[0]) == [f"*{it.faulty.list['suffix']}"]),
    Good(
        "signed-cn-only",
        lambda it: (
            names(it.certificates[0]) == []
            and f"CN = {it.faulty.host('signed-cn-only')}\n" in text_of(it.certificates[0])
        ),
    ),
    Good("signed-sha1", lambda it: "algorithm: sha1" in it.signers and "ecdsa-with-SHA1" in it.signers),
    Good("signed-as-json", lambda it: True, type="application/json"),
]
BAD = [
    Bad("signed-detached", NO_CONTENT, lambda it: ("-content", it.file(right_text(it.faulty)))),
    Bad("signed-pem", "wrong tag", lambda it: ("-inform", "PEM")),
    Bad("signed-smime", "wrong tag", lambda it: ("-inform", "SMIME")),
    Bad(
        "signed-changed-content",
        BAD_SIGNATURE,
        repair=lambda it: it.message.replace(b".demoAdminApp", b".DemoAdminApp"),
    ),
    Bad("signed-changed-signature", BAD_SIGNATURE, repair=without_last_bit),
    Bad("signed-wrong-domain", OTHER_HOST, lambda it: ("-verify_hostname", names(it.certificates[0])[0])),
    Bad("signed-expired", EXPIRED, lambda _: ("-no_check_time",)),
    Bad("signed-not-yet-valid", NOT_YET_VALID, lambda _: ("-no_check_time",)),
    Bad("signed-no-intermediate", NO_ISSUER, lambda it: it.trust(it.intermediate, it.faulty.server.authority)),
    Bad("signed-self-signed", SELF_SIGNED, lambda it: it.trust(*it.certificates)),
    Bad("signed-unknown-root", OTHER_ROOT, lambda it: it.trust(*it.certificates)),
    Bad("signed-client-certificate", OTHER_PURPOSE, lambda _: ("-purpose", "any")),
    Bad("signed-email-certificate", OTHER_PURPOSE, lambda _: ("-purpose", "any")),
]
OTHERS = {
    *("unsigned", "signed-cut-short", "signed-no-certificates", "signed-nobody", "signed-bad-json"),
    "signed-two-one-wrong",
}
PURPOSES = {
    "signed-p256": "TLS Web Server Authentication",
    "signed-client-certificate": "TLS Web Client Authentication",
    "signed-email-certificate": "E-mail Protection",
}


def right_text(faulty: FaultyServer) -> str:
    return faulty.fetch("unsigned").content.decode()


def message(faulty: FaultyServer, name: str, folder: Path, type: str = "application/pkcs7-mime") -> Signed:
    """Returns the message of a host, which is identical at both paths."""
    responses = faulty.both(name)
    for received in responses:
        assert (received.status, received.field("Content-Type")) == (200, type)
        assert received.field("Content-Length") == str(len(received.content))
    assert responses[0].content == responses[1].content
    return Signed(faulty, name, responses[0].content, folder)


def test_every_host_of_the_group_has_a_case(faulty: FaultyServer) -> None:
    found = [*(case.name for case in GOOD), *(case.name for case in BAD), *OTHERS]
    assert sorted(found) == sorted(faulty.names(SIGNATURE_GROUP))


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_the_signature_is_good_and_special(faulty: FaultyServer, tmp_path: Path, case: Good) -> None:
    signed = message(faulty, case.name, tmp_path, case.type)
    done = signed.verify()
    assert done.code == 0, done.err
    assert json.loads(done.out) == RIGHT
    assert case.is_special(signed), signed.structure


@pytest.mark.parametrize("case", BAD, ids=lambda case: case.name)
def test_the_signature_has_exactly_one_fault(faulty: FaultyServer, tmp_path: Path, case: Bad) -> None:
    signed = message(faulty, case.name, tmp_path)
    done = signed.verify()
    assert done.code != 0
    assert case.error in done.err
    repaired = signed.verify(*case.options(signed), message=case.repair(signed) if case.repair else None)
    assert repaired.code == 0, repaired.err
    assert json.loads(repaired.out) == RIGHT


def test_plain_json_is_at_both_paths(faulty: FaultyServer) -> None:
    for path in PATHS:
        received = faulty.fetch("unsigned", path)
        assert (received.status, received.field("Content-Type")) == (200, "application/json")
        assert json.loads(received.content) == RIGHT


def test_the_last_40_bytes_are_missing(faulty: FaultyServer, tmp_path: Path) -> None:
    signed = message(faulty, "signed-cut-short", tmp_path)
    assert "not enough data" in signed.verify().err
    # The first element contains the others, so its length is the length of the message.
    first = run_openssl("asn1parse", "-inform", "DER", given=signed.message + bytes(40)).out.decode().splitlines()[0]
    header, length = re.search(r"hl=(\d+) l=\s*(\d+)", first).groups()  # type: ignore[union-attr]
    assert int(header) + int(length) == len(signed.message) + 40


@pytest.mark.parametrize(("name", "purpose"), PURPOSES.items())
def test_the_signer_has_only_this_purpose(faulty: FaultyServer, tmp_path: Path, name: str, purpose: str) -> None:
    signer = message(faulty, name, tmp_path).certificates[0]
    text = run_openssl("x509", "-noout", "-ext", "extendedKeyUsage", "-in", signer).out.decode()
    assert text.splitlines()[1].strip() == purpose


def test_the_message_has_a_signer_and_no_certificates(faulty: FaultyServer, tmp_path: Path) -> None:
    signed = message(faulty, "signed-no-certificates", tmp_path)
    assert "signer certificate not found" in signed.verify().err
    assert signed.certificates == []
    assert signed.signers.count(" signedAttrs:") == 1
    assert right_text(faulty).encode() in signed.message


def test_the_message_has_certificates_and_no_signer(faulty: FaultyServer, tmp_path: Path) -> None:
    signed = message(faulty, "signed-nobody", tmp_path)
    assert NO_CONTENT in signed.verify().err
    assert "no signers" in signed.verify("-content", signed.file(right_text(faulty))).err
    assert len(signed.certificates) == 2
    assert signed.signers.strip().splitlines()[0].strip() == "<EMPTY>"


def test_the_signed_text_has_a_comma_too_many(faulty: FaultyServer, tmp_path: Path) -> None:
    done = message(faulty, "signed-bad-json", tmp_path).verify()
    assert done.code == 0, done.err
    with pytest.raises(json.JSONDecodeError):
        json.loads(done.out)
    assert json.loads(done.out.replace(b",]", b"]")) == RIGHT


def test_one_of_two_signers_is_for_another_domain(faulty: FaultyServer, tmp_path: Path) -> None:
    signed = message(faulty, "signed-two-one-wrong", tmp_path)
    assert signed.signers.count(" signedAttrs:") == 2
    found = [name for path in signed.certificates for name in names(path)]
    assert faulty.host("signed-two-one-wrong") in found
    assert len(set(found)) == 2
    assert OTHER_HOST in signed.verify().err
    anonymous = run_openssl(
        *("cms", "-verify", "-binary", "-inform", "DER", "-purpose", "sslserver", "-CAfile", faulty.server.authority),
        given=signed.message,
    )
    assert (anonymous.code, json.loads(anonymous.out)) == (0, RIGHT)

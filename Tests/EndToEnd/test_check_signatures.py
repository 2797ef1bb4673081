"""Valid and invalid signed files: `association check` and `verify` compared with `openssl smime` and `openssl cms`."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from support.authorities import RSA, SERVERS, SITE, Holder, Maker, named
from support.checking import BAD_INPUT, NO, YES, association, check, steered
from support.keys import APPS, openssl
from support.keys import association as plain
from support.sites import JSON, SIGNED, Site, always, over_tls, response, tls_context

ATTACHED = ("-binary", "-nodetach")
DER = ("-outform", "DER")
ASSOCIATED = ("associated",) * 3
DENIED = ("denied",) * 3
# The issue that every signed file has in addition to its faults: iOS 9 requires no signature.
USUAL = {"signature-needless"}


@dataclass(frozen=True)
class Signers:
    """The signers. All except the stranger are below one trusted root."""

    maker: Maker
    root: Holder
    intermediate: Holder

    def leaf(self, *extensions: str, **settings: object) -> Holder:
        return self.maker.make(SITE, self.intermediate, *(extensions or (named(SITE), SERVERS)), **settings)

    def sign(
        self, holder: Holder, *options: str | Path, form: tuple[str, ...] = DER, attributes: bool = False
    ) -> bytes:
        """Signs as in Apple's reference: with the content and the intermediate inside, and without attributes."""
        chain = ("-certfile", self.intermediate.certificate) if holder.issuer == self.intermediate else ()
        bare = () if attributes else ("-noattr",)
        return openssl(
            *("smime", "-sign", *ATTACHED, *bare, *form, "-signer", holder.certificate, "-inkey", holder.key),
            *(*chain, *options),
            given=plain(),
        )


@pytest.fixture(scope="module")
def signers(tmp_path_factory: pytest.TempPathFactory) -> Signers:
    maker = Maker(tmp_path_factory.mktemp("signers"))
    root = maker.authority("Test Root")
    return Signers(maker, root, maker.authority("Test Intermediate", root))


def changed(message: bytes, at: int) -> bytes:
    return message[:at] + bytes([message[at] ^ 1]) + message[at + 1 :]


def with_changed_content(signers: Signers) -> bytes:
    message = signers.sign(signers.leaf())
    return changed(message, message.index(APPS[0].encode()))


def with_changed_signature(signers: Signers) -> bytes:
    # An RSA signature is at the end of the message.
    message = signers.sign(signers.leaf(key=RSA))
    return changed(message, len(message) - 10)


def detached(signers: Signers) -> bytes:
    leaf = signers.leaf()
    return openssl(
        *("smime", "-sign", "-binary", "-noattr", *DER, "-signer", leaf.certificate, "-inkey", leaf.key),
        *("-certfile", signers.intermediate.certificate),
        given=plain(),
    )


def by_two(signers: Signers) -> bytes:
    other = signers.leaf()
    return signers.sign(signers.leaf(), "-signer", other.certificate, "-inkey", other.key)


def without_intermediate(signers: Signers) -> bytes:
    leaf = signers.leaf()
    return signers.sign(Holder(leaf.certificate, leaf.key))


def by_sha1(signers: Signers) -> bytes:
    return signers.sign(signers.leaf(key=RSA), "-md", "sha1")


@dataclass(frozen=True)
class Case:
    """A message, the exact codes of `check`, the exit code of `verify`, and whether openssl verifies the message.

    If openssl disagrees, `why` is the reason.
    """

    name: str
    make: Callable[[Signers], bytes]
    codes: set[str]
    verify: int
    openssl: bool
    why: str = ""
    inform: str = "DER"


CASES = [
    Case("right, P-256", lambda signers: signers.sign(signers.leaf()), set(), YES, True),
    Case("right, RSA", lambda signers: signers.sign(signers.leaf(key=RSA)), set(), YES, True),
    Case("with signed attributes", lambda signers: signers.sign(signers.leaf(), attributes=True), set(), YES, True),
    Case(
        "by a wildcard certificate",
        lambda signers: signers.sign(signers.leaf(named("*.example.test"), SERVERS)),
        set(),
        YES,
        True,
    ),
    Case(
        "by the Common Name alone",
        lambda signers: signers.sign(signers.leaf(SERVERS)),
        {"signer-common-name-only"},
        YES,
        True,
    ),
    Case("detached", detached, {"signature-detached"}, NO, False),
    Case(
        "PEM",
        lambda signers: signers.sign(signers.leaf(), form=("-outform", "PEM")),
        {"file-pem"},
        BAD_INPUT,
        True,
        "openssl is told the form",
        "PEM",
    ),
    Case(
        "S/MIME text",
        lambda signers: signers.sign(signers.leaf(), form=()),
        {"file-smime-text"},
        BAD_INPUT,
        True,
        "openssl is told the form",
        "SMIME",
    ),
    Case(
        "wrong domain",
        lambda signers: signers.sign(signers.leaf(named("other.example.test"), SERVERS)),
        {"signer-wrong-domain"},
        NO,
        True,
        "openssl is asked for no domain",
    ),
    Case(
        "expired signer",
        lambda signers: signers.sign(signers.leaf(start=timedelta(days=-30), days=29)),
        {"signer-expired"},
        NO,
        False,
    ),
    Case(
        "signer of the future",
        lambda signers: signers.sign(signers.leaf(start=timedelta(days=2))),
        {"signer-not-yet-valid"},
        NO,
        False,
    ),
    Case("no intermediate", without_intermediate, {"signer-incomplete-chain"}, NO, False),
    Case(
        "self-signed",
        lambda signers: signers.sign(signers.maker.make(SITE, None, named(SITE), SERVERS)),
        {"signer-self-signed"},
        NO,
        False,
    ),
    Case(
        "no certificate",
        lambda signers: signers.sign(signers.leaf(), "-nocerts"),
        {"signer-certificate-missing"},
        NO,
        False,
    ),
    Case("changed content", with_changed_content, {"signature-bad"}, NO, False),
    Case("changed signature", with_changed_signature, {"signature-bad"}, NO, False),
    Case("two signers", by_two, {"signer-several"}, YES, True),
    Case("SHA-1 digest", by_sha1, {"signer-weak"}, YES, True, "openssl holds no digest against a message"),
]
NOTES = {"signer-common-name-only", "signer-several", "signer-weak"}


@pytest.fixture(scope="module")
def messages(signers: Signers) -> dict[str, bytes]:
    return {case.name: case.make(signers) for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_check_says_what_is_wrong_with_the_signature(
    signers: Signers, messages: dict[str, bytes], tmp_path: Path, case: Case
) -> None:
    file = tmp_path / "signed"
    file.write_bytes(messages[case.name])
    right = case.codes <= NOTES
    report = check(tmp_path, file, "--domain", SITE, "--trust", signers.root.certificate, verdict=YES if right else NO)
    assert report.verdicts == (ASSOCIATED if right else DENIED)
    assert report.codes - USUAL - {"signature-missing"} == case.codes
    # The report does not show the services of an unreadable message. It shows those of any other message, even if the
    # signature is invalid.
    opened = not case.codes & {"file-pem", "file-smime-text", "signature-detached"}
    assert report.document["services"] == ({"webcredentials": {"apps": shown(case)}} if opened else {})


def shown(case: Case) -> list[str]:
    if case.name != "changed content":
        return APPS
    first = APPS[0]
    return [chr(ord(first[0]) ^ 1) + first[1:], *APPS[1:]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verify_and_openssl_agree(signers: Signers, messages: dict[str, bytes], tmp_path: Path, case: Case) -> None:
    file = tmp_path / "signed"
    file.write_bytes(messages[case.name])
    done = association(tmp_path, "verify", file, "--domain", SITE, "--trust", signers.root.certificate)
    assert done.code == case.verify, done
    assert done.out == (plain() if case.verify == YES else b"")
    assert (done.err == "") is (case.verify == YES)
    for tool in ("smime", "cms"):
        told = subprocess.run(
            ["openssl", tool, "-verify", "-inform", case.inform, "-in", file, "-binary", "-purpose", "any"]
            + ["-CAfile", signers.root.certificate, "-no-CApath"],
            capture_output=True,
            timeout=20,
        )
        assert (told.returncode == 0) is case.openssl, told.stderr.decode()
        if case.openssl:
            assert told.stdout == plain()
    assert case.openssl is (case.verify == YES) or case.why, "openssl disagrees without a documented reason"


def test_a_file_that_tells_no_domain_is_told_so(signers: Signers, tmp_path: Path) -> None:
    file = tmp_path / "signed"
    file.write_bytes(signers.sign(signers.leaf()))
    trust = ("--trust", signers.root.certificate)
    assert check(tmp_path, file, *trust, verdict=YES).codes - USUAL == {"signer-domain-unknown"}
    entry = ("--entitlement", f"webcredentials:{SITE}")
    # Apple's CDN cannot reach a name below .test. The report mentions this for the entry.
    assert check(tmp_path, file, *trust, *entry, verdict=YES).codes - USUAL == {"entitlement-private-host"}
    entry = ("--entitlement", "webcredentials:elsewhere.test")
    assert "signer-wrong-domain" in check(tmp_path, file, *trust, *entry, verdict=NO).codes


def test_a_signer_is_judged_at_the_time_that_is_asked_for(signers: Signers, tmp_path: Path) -> None:
    file = tmp_path / "signed"
    file.write_bytes(signers.sign(signers.leaf()))
    asked = (file, "--domain", SITE, "--trust", signers.root.certificate)
    assert "signer-expired" in check(tmp_path, *asked, "--at", "2099-01-01", verdict=NO).codes


@pytest.mark.parametrize(
    ("kind", "verdicts", "codes"),
    [
        pytest.param(SIGNED, ASSOCIATED, set(), id="as application/pkcs7-mime"),
        pytest.param(
            JSON, ("associated", "associated", "denied"), {"http-signed-content-type"}, id="said to be application/json"
        ),
        pytest.param(None, ("associated", "associated", "denied"), {"http-signed-content-type"}, id="without a type"),
    ],
)
def test_a_signed_file_has_a_type_of_its_own(
    signers: Signers, tmp_path: Path, kind: str | None, verdicts: tuple[str, str, str], codes: set[str]
) -> None:
    leaf = signers.leaf()
    message = response(signers.sign(leaf), kind=kind)
    with Site(over_tls(tls_context(leaf, signers.intermediate), always(message))) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), "--trust", signers.root.certificate)
    assert report.verdicts == verdicts
    assert report.codes - USUAL - {"tls-given-root"} == codes


def test_the_signer_may_be_another_certificate_than_the_servers(signers: Signers, tmp_path: Path) -> None:
    message = response(signers.sign(signers.leaf()), kind=SIGNED)
    with Site(over_tls(tls_context(signers.leaf(), signers.intermediate), always(message))) as site:
        asked = (SITE, *steered(site.port, SITE), "--trust", signers.root.certificate)
        assert check(tmp_path, *asked, verdict=YES).verdicts == ASSOCIATED


def test_no_changed_byte_makes_a_signed_file_say_something_else(signers: Signers, tmp_path: Path) -> None:
    message = signers.sign(signers.leaf())
    asked = ("-", "--domain", SITE, "--trust", signers.root.certificate)
    services = {"webcredentials": {"apps": APPS}}
    for at in range(0, len(message), len(message) // 24):
        report = check(tmp_path, *asked, given=changed(message, at))
        assert report.verdicts[0] == "denied" or report.document["services"] == services, at

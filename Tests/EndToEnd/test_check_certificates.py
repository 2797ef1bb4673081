"""`association check` of servers whose certificates each have one fault. Compares the result with openssl's."""

import json
import socket
import ssl
import subprocess
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from support.authorities import RSA, SERVERS, SITE, SMALL_RSA, Holder, Maker, named
from support.checking import NO, RETRY, YES, check, steered
from support.checking import association as command
from support.keys import association
from support.sites import Site, always, over_tls, response, tls_context, wait_for_the_end

FILE = response(association())
# The file is unsigned, so iOS 8 rejects it. Devices report a custom root.
DENIED = ("denied",) * 3
OPENSSL_LIMIT = 20.0


@dataclass(frozen=True)
class Chains:
    """A trusted root, an untrusted root, and the certificates that they issue."""

    maker: Maker
    root: Holder
    intermediate: Holder
    stranger: Holder

    def leaf(self, *extensions: str, **settings: object) -> Holder:
        wanted = extensions or (named(SITE), SERVERS)
        return self.maker.make(SITE, self.intermediate, *wanted, **settings)


@pytest.fixture(scope="module")
def chains(tmp_path_factory: pytest.TempPathFactory) -> Chains:
    maker = Maker(tmp_path_factory.mktemp("chains"))
    root = maker.authority("Test Root")
    return Chains(maker, root, maker.authority("Test Intermediate", root), maker.authority("Another Root"))


@dataclass(frozen=True)
class Case:
    """The certificates that the server sends, the exact tls-* errors, and the expected words of `openssl verify`.

    `openssl` is None if openssl has no check for the fault. `why` is the reason.
    """

    name: str
    source: str
    shown: Callable[[Chains], list[Holder]]
    codes: frozenset[str]
    openssl: str | None = None
    why: str = ""
    weak: bool = False


def case(
    name: str,
    source: str,
    code: str,
    leaf: Callable[[Chains], Holder],
    openssl: str | None = None,
    why: str = "",
    weak: bool = False,
) -> Case:
    """Creates a case with a leaf and the intermediate that issued it."""

    def shown(chains: Chains) -> list[Holder]:
        holder = leaf(chains)
        return [holder, chains.intermediate] if holder.issuer == chains.intermediate else [holder]

    return Case(name, source, shown, frozenset({code}), openssl, why, weak)


CASES = [
    case(
        "expired",
        "RFC 5280 4.1.2.5",
        "tls-expired",
        lambda chains: chains.leaf(start=timedelta(days=-30), days=29),
        "certificate has expired",
    ),
    case(
        "not yet valid",
        "RFC 5280 4.1.2.5",
        "tls-not-yet-valid",
        lambda chains: chains.leaf(start=timedelta(days=2)),
        "certificate is not yet valid",
    ),
    case(
        "wrong host",
        "RFC 9525 6",
        "tls-wrong-host",
        lambda chains: chains.leaf(named("other.example.test"), SERVERS),
        "hostname mismatch",
    ),
    case(
        "a wildcard for one label more",
        "RFC 9525 6.3",
        "tls-wrong-host",
        lambda chains: chains.leaf(named("*.a.example.test"), SERVERS),
        "hostname mismatch",
    ),
    case(
        "self-signed",
        "observed on devices: SWCErrorDomain 100 in every mode",
        "tls-self-signed",
        lambda chains: chains.maker.make(SITE, None, named(SITE), SERVERS),
        "self-signed certificate",
    ),
    Case(
        "untrusted root, shown",
        "observed on devices: SWCErrorDomain 100",
        lambda chains: [chains.maker.make(SITE, chains.stranger, named(SITE), SERVERS), chains.stranger],
        frozenset({"tls-untrusted-root"}),
        "self-signed certificate in certificate chain",
    ),
    Case(
        "incomplete chain",
        "RFC 8446 4.4.2",
        lambda chains: [chains.leaf()],
        frozenset({"tls-incomplete-chain"}),
        "unable to get local issuer certificate",
    ),
    case(
        "no SAN",
        "Apple 103769",
        "tls-no-alternative-name",
        lambda chains: chains.leaf(SERVERS),
        why="openssl takes the Common Name where there is no subjectAltName",
    ),
    case(
        "826 days",
        "Apple 103769",
        "tls-valid-too-long",
        lambda chains: chains.leaf(days=826),
        why="openssl knows no longest time",
    ),
    case(
        "no EKU",
        "Apple 103769",
        "tls-no-extended-key-usage",
        lambda chains: chains.leaf(named(SITE)),
        why="openssl takes a certificate without uses for all of them",
    ),
    case(
        "an EKU for clients",
        "RFC 5280 4.2.1.12",
        "tls-not-for-servers",
        lambda chains: chains.leaf(named(SITE), "extendedKeyUsage=clientAuth"),
        "unsuitable certificate purpose",
    ),
    case(
        "RSA 1024",
        "Apple 103769",
        "tls-weak-key",
        lambda chains: chains.leaf(key=SMALL_RSA),
        "EE certificate key too weak",
        weak=True,
    ),
    case(
        "SHA-1",
        "Apple 103769",
        "tls-weak-digest",
        lambda chains: chains.leaf(digest="sha1"),
        "CA signature digest algorithm too weak",
        weak=True,
    ),
]
GOOD = [
    case("right", "RFC 5280 6.1", "", Chains.leaf),
    case("right, with an RSA key", "RFC 5280 6.1", "", lambda chains: chains.leaf(key=RSA)),
    case("825 days", "Apple 103769", "", lambda chains: chains.leaf(days=825)),
    case("a wildcard", "RFC 9525 6.3", "", lambda chains: chains.leaf(named("*.example.test"), SERVERS)),
]


def openssl_verify(chains: Chains, shown: list[Holder]) -> subprocess.CompletedProcess[str]:
    """Runs openssl on the same chain, for the same host, purpose and strength (112 bits)."""
    behind = chains.maker.folder / "behind.pem"
    behind.write_text("".join(one.pem for one in shown[1:]))
    given = ("-untrusted", behind) if shown[1:] else ()
    return subprocess.run(
        ["openssl", "verify", "-CAfile", chains.root.certificate, "-no-CApath", "-purpose", "sslserver"]
        + ["-verify_hostname", SITE, "-auth_level", "2", *given, shown[0].certificate],
        capture_output=True,
        text=True,
        timeout=OPENSSL_LIMIT,
    )


def trusting(chains: Chains) -> tuple[str | Path, ...]:
    return "--trust", chains.root.certificate, "--timeout", "5"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_fault_has_its_code_and_is_denied(chains: Chains, tmp_path: Path, case: Case) -> None:
    shown = case.shown(chains)
    with Site(over_tls(tls_context(*shown, weak=case.weak), always(FILE))) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), *trusting(chains), verdict=NO)
    assert report.verdicts == DENIED, case.source
    # The report mentions a chain that ends at the given root, regardless of other faults.
    assert report.codes_of("tls") - {"tls-given-root"} == case.codes, case.source
    assert all(fetch["status"] == 200 for fetch in report.document["fetches"])
    for code in case.codes:
        assert report.issue(code)["severity"] == "error"
        assert report.issue(code)["profiles"] == ["device", "documented", "ios9", "ios8"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_openssl_agrees_where_it_has_an_opinion(chains: Chains, case: Case) -> None:
    done = openssl_verify(chains, case.shown(chains))
    if case.openssl:
        assert done.returncode != 0
        assert case.openssl in done.stderr, case.source
    else:
        assert done.returncode == 0, done.stderr
        assert case.why


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_a_certificate_without_a_fault_is_taken_by_both(chains: Chains, tmp_path: Path, case: Case) -> None:
    shown = case.shown(chains)
    with Site(over_tls(tls_context(*shown), always(FILE))) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), *trusting(chains), verdict=YES)
    assert report.verdicts[:2] == ("associated", "associated")
    assert report.codes_of("tls") == set()
    assert openssl_verify(chains, shown).returncode == 0


def test_a_chain_out_of_order_is_a_note(chains: Chains, tmp_path: Path) -> None:
    leaf = chains.leaf()
    context = tls_context(leaf, chains.root, chains.intermediate)
    with Site(over_tls(context, always(FILE))) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), *trusting(chains), verdict=YES)
    assert report.issue("tls-untidy-chain")["severity"] == "note"
    assert openssl_verify(chains, [leaf, chains.root, chains.intermediate]).returncode == 0


def test_without_trust_the_root_is_not_the_systems(chains: Chains, tmp_path: Path) -> None:
    with Site(over_tls(tls_context(chains.leaf(), chains.intermediate), always(FILE))) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), "--timeout", "5", verdict=NO)
    assert report.verdicts == DENIED
    assert len(report.codes_of("tls")) == 1
    assert report.codes_of("tls") <= {"tls-untrusted-root", "tls-incomplete-chain"}


def test_dates_are_judged_at_the_time_that_is_asked_for(chains: Chains, tmp_path: Path) -> None:
    with Site(over_tls(tls_context(chains.leaf(), chains.intermediate), always(FILE))) as site:
        asked = (SITE, *steered(site.port, SITE), *trusting(chains))
        assert "tls-expired" in check(tmp_path, *asked, "--at", "2099-01-01", verdict=NO).codes
        assert "tls-not-yet-valid" in check(tmp_path, *asked, "--at", "2015-10-01T00:00:00Z", verdict=NO).codes


def test_an_app_with_a_mode_is_told_nothing_about_a_root_of_ones_own(chains: Chains, tmp_path: Path) -> None:
    with Site(over_tls(tls_context(chains.leaf(), chains.intermediate), always(FILE))) as site:
        entry = ("--entitlement", f"webcredentials:{SITE}?mode=developer")
        report = check(tmp_path, SITE, *steered(site.port, SITE), *trusting(chains), *entry, verdict=YES)
    assert report.codes_of("tls") == set()


def test_management_is_no_reason_to_take_a_root_of_ones_own(chains: Chains, tmp_path: Path) -> None:
    with Site(over_tls(tls_context(chains.leaf(), chains.intermediate), always(FILE))) as site:
        entry = ("--entitlement", f"webcredentials:{SITE}?mode=managed")
        options = (*steered(site.port, SITE), *trusting(chains), *entry)
        done = command(tmp_path, "check", "--json", SITE, *options)
    assert done.code == NO
    assert "tls-given-root" in {issue["code"] for issue in json.loads(done.out)["issues"]}


@pytest.mark.parametrize("mode", ["", "?mode=developer", "?mode=managed"])
def test_a_certificate_that_is_its_own_root_is_refused_in_every_mode(chains: Chains, tmp_path: Path, mode: str) -> None:
    own = chains.maker.make(SITE, None, named(SITE), SERVERS)
    with Site(over_tls(tls_context(own), always(FILE))) as site:
        options = (*steered(site.port, SITE), "--trust", own.certificate, "--timeout", "5")
        report = check(tmp_path, SITE, *options, "--entitlement", f"webcredentials:{SITE}{mode}", verdict=NO)
    assert report.verdicts == DENIED
    assert report.codes_of("tls") == {"tls-self-signed"}
    assert report.issue("tls-self-signed")["profiles"] == ["device", "documented"]
    assert "--trust" not in report.issue("tls-self-signed")["fix"]


def test_tls_1_1_alone_is_too_old(chains: Chains, tmp_path: Path) -> None:
    context = tls_context(chains.leaf(), chains.intermediate, weak=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with Site(over_tls(context, always(FILE))) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), *trusting(chains), verdict=NO)
        told = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{site.port}", "-servername", SITE, "-tls1_2"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=OPENSSL_LIMIT,
        )
    assert (report.verdicts, report.codes_of("tls", "network")) == (DENIED, {"tls-too-old"})
    assert told.returncode != 0
    assert "unsupported protocol" in told.stderr or "protocol version" in told.stderr


def test_a_handshake_that_stalls_is_tried_again(chains: Chains, tmp_path: Path) -> None:
    def stall(connection: socket.socket) -> None:
        # Only the start of a server's first record.
        connection.recv(4096)
        connection.sendall(b"\x16\x03\x03\x00\x7a\x02\x00")
        wait_for_the_end(connection)

    with Site(stall) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), "--timeout", "1", verdict=RETRY)
    assert report.verdicts == ("retry",) * 3
    assert report.codes == {"network-timed-out"}


def test_a_close_in_the_handshake_is_tried_again(chains: Chains, tmp_path: Path) -> None:
    def close(connection: socket.socket) -> None:
        connection.recv(4096)

    with Site(close) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), "--timeout", "5", verdict=RETRY)
    assert report.verdicts == ("retry",) * 3
    assert report.codes == {"network-closed"}

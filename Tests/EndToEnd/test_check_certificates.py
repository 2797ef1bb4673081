"""`association check` of servers whose certificates each have one fault."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from support.authorities import SERVERS, SITE, SMALL_RSA, Holder, Maker, named
from support.checking import NO, YES, check, steered
from support.keys import association
from support.sites import Site, always, over_tls, response, tls_context

FILE = response(association())
# The file is unsigned, so iOS 8 rejects it. Devices report a custom root.
DENIED = ("denied",) * 3


@dataclass(frozen=True)
class Chains:
    """A trusted root, an intermediate, and the certificates that it issues."""

    maker: Maker
    root: Holder
    intermediate: Holder

    def leaf(self, *extensions: str, **settings: object) -> Holder:
        wanted = extensions or (named(SITE), SERVERS)
        return self.maker.make(SITE, self.intermediate, *wanted, **settings)


@pytest.fixture(scope="module")
def chains(tmp_path_factory: pytest.TempPathFactory) -> Chains:
    maker = Maker(tmp_path_factory.mktemp("chains"))
    root = maker.authority("Test Root")
    return Chains(maker, root, maker.authority("Test Intermediate", root))


@dataclass(frozen=True)
class Case:
    """The certificates that the server sends, and the tls-* error."""

    name: str
    shown: Callable[[Chains], list[Holder]]
    code: str
    weak: bool = False


CASES = [
    Case(
        "expired", lambda chains: [chains.leaf(start=timedelta(days=-30), days=29), chains.intermediate], "tls-expired"
    ),
    Case("no intermediate", lambda chains: [chains.leaf()], "tls-incomplete-chain"),
    Case("RSA 1024", lambda chains: [chains.leaf(key=SMALL_RSA), chains.intermediate], "tls-weak-key", weak=True),
]


def trusting(chains: Chains) -> tuple[str | Path, ...]:
    return "--trust", chains.root.certificate, "--timeout", "60"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_certificate_with_a_fault_is_denied(chains: Chains, tmp_path: Path, case: Case) -> None:
    shown = case.shown(chains)
    with Site(over_tls(tls_context(*shown, weak=case.weak), always(FILE))) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), *trusting(chains), verdict=NO)
    assert report.verdicts == DENIED
    # The report mentions a chain that ends at the given root, regardless of other faults.
    assert report.codes_of("tls") - {"tls-given-root"} == {case.code}
    assert all(fetch["status"] == 200 for fetch in report.document["fetches"])
    assert report.issue(case.code)["severity"] == "error"
    assert report.issue(case.code)["profiles"] == ["device", "documented", "ios9", "ios8"]


def test_a_certificate_without_a_fault_has_no_issue(chains: Chains, tmp_path: Path) -> None:
    leaf = chains.leaf(named("*.example.test"), SERVERS)
    with Site(over_tls(tls_context(leaf, chains.intermediate), always(FILE))) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), *trusting(chains), verdict=YES)
    assert report.verdicts[:2] == ("associated", "associated")
    assert report.codes_of("tls") == set()


def test_the_system_does_not_trust_the_root(chains: Chains, tmp_path: Path) -> None:
    with Site(over_tls(tls_context(chains.leaf(), chains.intermediate), always(FILE))) as site:
        report = check(tmp_path, SITE, *steered(site.port, SITE), "--timeout", "60", verdict=NO)
    assert report.verdicts == DENIED
    assert len(report.codes_of("tls")) == 1
    assert report.codes_of("tls") <= {"tls-untrusted-root", "tls-incomplete-chain"}


def test_dates_are_compared_with_the_option_at(chains: Chains, tmp_path: Path) -> None:
    with Site(over_tls(tls_context(chains.leaf(), chains.intermediate), always(FILE))) as site:
        asked = (SITE, *steered(site.port, SITE), *trusting(chains))
        assert "tls-expired" in check(tmp_path, *asked, "--at", "2099-01-01", verdict=NO).codes
        assert "tls-not-yet-valid" in check(tmp_path, *asked, "--at", "2015-10-01T00:00:00Z", verdict=NO).codes


def test_a_self_signed_certificate_is_refused(chains: Chains, tmp_path: Path) -> None:
    own = chains.maker.make(SITE, None, named(SITE), SERVERS)
    with Site(over_tls(tls_context(own), always(FILE))) as site:
        options = (*steered(site.port, SITE), "--trust", own.certificate, "--timeout", "60")
        report = check(tmp_path, SITE, *options, "--entitlement", f"webcredentials:{SITE}?mode=developer", verdict=NO)
    assert report.verdicts == DENIED
    assert report.codes_of("tls") == {"tls-self-signed"}
    assert report.issue("tls-self-signed")["profiles"] == ["device", "documented"]
    assert "--trust" not in report.issue("tls-self-signed")["fix"]

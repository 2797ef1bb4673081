"""`association check` against the project's own server: real TLS, both paths, the three formats."""

import plistlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.checking import NO, RETRY, UNAVAILABLE, YES, Report, association, check, refused, steered
from support.fixtures import Start
from support.keys import APPS, OTHER_APP
from support.server import Server
from support.wire import ADDRESS, NAME

A, D, R = "associated", "denied", "retry"
APP = APPS[0]
PATHS = ("/.well-known/apple-app-site-association", "/apple-app-site-association")


@dataclass(frozen=True)
class Asking:
    """Checks the domains of a server whose CA is trusted."""

    server: Server
    home: Path

    def __call__(self, *options: str | Path, target: str = NAME, verdict: int | None = None) -> Report:
        steering = (*steered(self.server.port, NAME), *steered(self.server.port, f"www.{NAME}"))
        return check(self.home, target, *steering, "--trust", self.server.authority, *options, verdict=verdict)


@pytest.fixture
def asking(server: Server, tmp_path: Path) -> Asking:
    return Asking(server, tmp_path)


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    running = {
        name: Server(tmp_path_factory.mktemp(name), "--association-format", name) for name in ("signed", "legacy")
    }
    yield running
    for server in running.values():
        server.stop()


def test_the_plain_format_suits_current_devices(asking: Asking) -> None:
    report = asking("--app", APP, verdict=YES)
    assert report.verdicts == (A, A, D)
    assert report.codes == {"signature-missing"}
    assert report.document["target"] == NAME
    assert report.document["services"] == {"webcredentials": {"apps": APPS}}
    fetches = report.document["fetches"]
    assert [fetch["url"] for fetch in fetches] == [f"https://{NAME}{path}" for path in PATHS]
    for fetch in fetches:
        assert (fetch["status"], fetch["content_type"], fetch["error"]) == (200, "application/json", None)
        assert (fetch["tls"], fetch["address"]) == ("TLSv1.3", f"{ADDRESS}:{asking.server.port}")


@pytest.mark.parametrize("name", ["legacy", "signed"])
def test_the_signed_formats_suit_every_device(formats: dict[str, Server], tmp_path: Path, name: str) -> None:
    report = Asking(formats[name], tmp_path)("--app", APP, "--profile", "all", verdict=YES)
    assert report.verdicts == (A, A, A)
    expected = {"signature-needless"} if name == "signed" else set()
    assert report.codes == expected
    kinds = ["application/json" if name == "legacy" else "application/pkcs7-mime", "application/pkcs7-mime"]
    assert [fetch["content_type"] for fetch in report.document["fetches"]] == kinds


def test_a_signature_of_another_authority_is_rejected(
    formats: dict[str, Server], server: Server, tmp_path: Path
) -> None:
    signed = formats["signed"]
    asked = (NAME, *steered(signed.port, NAME), "--trust", server.authority)
    report = check(tmp_path, *asked, verdict=NO)
    assert report.verdicts == (D, D, D)
    assert report.codes_of("signer") <= {"signer-untrusted", "signer-incomplete-chain"}
    assert len(report.codes_of("signer")) == 1


def test_each_requested_app_must_be_listed(asking: Asking) -> None:
    asking("--app", APP, "--app", APPS[1], verdict=YES)
    assert asking("--app", APP, "--app", OTHER_APP, verdict=NO).codes_of("app") == {"app-not-listed"}


def test_each_service_is_checked_separately(asking: Asking) -> None:
    report = asking("--app", APP, "--service", "applinks", verdict=NO)
    assert report.codes_of("service", "app") == {"service-missing", "service-not-in-version"}
    asking("--app", APP, "--service", "webcredentials", verdict=YES)
    assert "service-missing" in asking("--app", APP, "--entitlement", f"applinks:{NAME}", verdict=NO).codes


def test_a_wildcard_entry_fetches_the_file_of_the_parent_host(asking: Asking) -> None:
    report = asking("--entitlement", f"webcredentials:*.{NAME}", target=f"www.{NAME}", verdict=YES)
    assert {fetch["url"] for fetch in report.document["fetches"]} == {f"https://{NAME}{path}" for path in PATHS}
    # An explicit entry needs its own file, which this server does not have.
    both = ("--entitlement", f"webcredentials:*.{NAME}", "--entitlement", f"webcredentials:www.{NAME}")
    report = asking(*both, target=f"www.{NAME}", verdict=NO)
    assert {fetch["url"] for fetch in report.document["fetches"]} == {f"https://www.{NAME}{path}" for path in PATHS}


@pytest.mark.parametrize("form", [plistlib.FMT_XML, plistlib.FMT_BINARY], ids=["XML", "binary"])
def test_the_entitlements_of_an_app_determine_the_check(
    asking: Asking, tmp_path: Path, form: plistlib.PlistFormat
) -> None:
    def entitlements(app: str) -> Path:
        file = tmp_path / f"{app}.entitlements"
        content = {
            "application-identifier": app,
            "com.apple.developer.associated-domains": [f"webcredentials:{NAME}?mode=developer"],
        }
        file.write_bytes(plistlib.dumps(content, fmt=form))
        return file

    report = asking("--entitlements", entitlements(APP), verdict=YES)
    assert report.verdicts[:2] == (A, A)
    assert "app-not-listed" in asking("--entitlements", entitlements(OTHER_APP), verdict=NO).codes


def test_without_a_mode_a_device_denies_a_private_host(asking: Asking, tmp_path: Path) -> None:
    options = (*steered(asking.server.port, NAME), "--trust", asking.server.authority)
    done = association(tmp_path, "check", NAME, *options)
    assert done.code == NO
    assert "error[network-private-host]" in done.text and "SWCERR00202" in done.text and "--assume-public" in done.text


@pytest.mark.parametrize("name", ["localhost", f"https://{ADDRESS}"])
def test_a_port_of_this_machine_is_a_target(server: Server, tmp_path: Path, name: str) -> None:
    target = f"{name}:{server.port}"
    report = check(tmp_path, target, "--trust", server.authority, "--app", APP, verdict=YES)
    assert report.verdicts == (A, A, D)
    assert report.codes_of("network", "tls") == set()
    assert len(report.document["fetches"]) == 2


def test_a_page_that_cannot_be_fetched_has_no_verdict(server: Server, tmp_path: Path) -> None:
    page = ("--page", f"https://{NAME}/signin", *steered(server.port, NAME))
    refused(association(tmp_path, "check", *page), UNAVAILABLE, f'certificate of "{NAME}" is not accepted')
    report = check(tmp_path, *page, "--trust", server.authority, verdict=YES)
    assert report.document["conclusion"].startswith(f"iPhones will offer saved passwords on https://{NAME}/signin")


def test_a_device_retries_a_stopped_server(start: Start, tmp_path: Path) -> None:
    server = start()
    server.stop()
    report = Asking(server, tmp_path)("--timeout", "2", verdict=RETRY)
    assert (report.verdicts, report.codes) == ((R, R, R), {"network-unreachable"})

"""`association check` against the project's own server: real TLS, both paths, the three formats."""

import plistlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.checking import NO, RETRY, YES, Report, association, check, steered
from support.keys import APPS, OTHER_APP
from support.server import Server
from support.wire import ADDRESS, NAME

A, D, R = "associated", "denied", "retry"
APP = APPS[0]
# The issue for a wildcard entry: Apple's documents disagree about the domain itself.
ROOT_NOTE = "entitlement-wildcard-root"
PATHS = ("/.well-known/apple-app-site-association", "/apple-app-site-association")

Start = Callable[..., Server]


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


def test_the_plain_format_is_for_documents_and_devices(asking: Asking) -> None:
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
def test_the_signed_formats_are_for_everybody(formats: dict[str, Server], tmp_path: Path, name: str) -> None:
    report = Asking(formats[name], tmp_path)("--app", APP, "--profile", "all", verdict=YES)
    assert report.verdicts == (A, A, A)
    expected = {"signature-needless"} if name == "signed" else set()
    assert report.codes == expected
    kinds = ["application/json" if name == "legacy" else "application/pkcs7-mime", "application/pkcs7-mime"]
    assert [fetch["content_type"] for fetch in report.document["fetches"]] == kinds


def test_the_signature_of_another_authority_proves_nothing(
    formats: dict[str, Server], server: Server, tmp_path: Path
) -> None:
    signed = formats["signed"]
    asked = (NAME, *steered(signed.port, NAME), "--trust", server.authority)
    report = check(tmp_path, *asked, verdict=NO)
    assert report.verdicts == (D, D, D)
    assert report.codes_of("signer") <= {"signer-untrusted", "signer-incomplete-chain"}
    assert len(report.codes_of("signer")) == 1


@pytest.mark.parametrize(
    ("app", "code"),
    [
        pytest.param(OTHER_APP, "app-not-listed", id="not listed"),
        pytest.param(f"A1B2C3D4E5.{APP[11:]}", "app-other-prefix", id="wrong prefix"),
        pytest.param(APP.replace("DemoApp", "demoapp"), "app-other-case", id="wrong case"),
    ],
)
def test_an_app_that_is_not_named_is_denied(asking: Asking, app: str, code: str) -> None:
    report = asking("--app", app, verdict=NO)
    assert report.verdicts == (D, D, D)
    assert report.codes_of("app") == {code}
    assert app in report.issue(code)["message"]


def test_each_app_has_to_be_named(asking: Asking) -> None:
    asking("--app", APP, "--app", APPS[1], verdict=YES)
    assert asking("--app", APP, "--app", OTHER_APP, verdict=NO).codes_of("app") == {"app-not-listed"}


def test_each_service_is_asked_for_by_itself(asking: Asking) -> None:
    report = asking("--app", APP, "--service", "applinks", verdict=NO)
    assert report.codes_of("service", "app") == {"service-missing", "service-not-in-version"}
    asking("--app", APP, "--service", "webcredentials", verdict=YES)
    assert "service-missing" in asking("--app", APP, "--entitlement", f"applinks:{NAME}", verdict=NO).codes


@pytest.mark.parametrize(
    ("entry", "target", "verdicts", "codes"),
    [
        pytest.param(f"webcredentials:{NAME}", NAME, (A, A, D), set(), id="the host"),
        pytest.param(
            f"webcredentials:{NAME}?mode=developer", NAME, (A, A, D), {"entitlement-developer-mode"}, id="with a mode"
        ),
        pytest.param(
            f"webcredentials:*.{NAME}",
            f"www.{NAME}",
            (A, A, D),
            {"entitlement-wildcard-credentials", ROOT_NOTE},
            id="a subdomain",
        ),
        pytest.param(f"webcredentials:*.{NAME}", NAME, (A, A, D), {ROOT_NOTE}, id="the root of a wildcard"),
        pytest.param("webcredentials:elsewhere.test", NAME, (D, D, D), {"entitlement-other-host"}, id="another host"),
        pytest.param(
            f"webcredentials:www.{NAME}", NAME, (D, D, D), {"entitlement-other-host"}, id="a subdomain's entry"
        ),
        pytest.param(f"webcredential:{NAME}", NAME, (D, D, D), {"entitlement-unknown-service"}, id="a slip"),
        pytest.param(f"https://{NAME}", NAME, (D, D, D), {"entitlement-scheme"}, id="a URL"),
        pytest.param(f"webcredentials:{NAME}/", NAME, (D, A, D), {"entitlement-path"}, id="a slash"),
        pytest.param("webcredentials:ultra-motivator", NAME, (D, D, D), {"entitlement-no-dot"}, id="no dot"),
        pytest.param(f"webcredentials:{NAME}:0", NAME, (D, D, D), {"entitlement-port"}, id="port 0"),
        pytest.param(
            f"appclips:*.{NAME}",
            NAME,
            (D, D, D),
            {"entitlement-wildcard-appclips", ROOT_NOTE},
            id="a wildcard for App Clips",
        ),
    ],
)
def test_the_entry_has_to_be_about_the_host(
    asking: Asking, entry: str, target: str, verdicts: tuple[str, str, str], codes: set[str]
) -> None:
    report = asking("--app", APP, "--entitlement", entry, target=target)
    assert report.verdicts == verdicts
    # Apple's CDN cannot reach names below .test. The report mentions this for an entry without a mode.
    assert report.codes_of("entitlement") - {"entitlement-private-host"} == codes
    assert report.code == (YES if verdicts[0] == A else NO)


def test_a_wildcard_asks_the_host_without_the_star(asking: Asking) -> None:
    report = asking("--entitlement", f"webcredentials:*.{NAME}", target=f"www.{NAME}", verdict=YES)
    assert {fetch["url"] for fetch in report.document["fetches"]} == {f"https://{NAME}{path}" for path in PATHS}
    # An explicit entry needs its own file, which this server does not have.
    both = ("--entitlement", f"webcredentials:*.{NAME}", "--entitlement", f"webcredentials:www.{NAME}")
    report = asking(*both, target=f"www.{NAME}", verdict=NO)
    assert {fetch["url"] for fetch in report.document["fetches"]} == {f"https://www.{NAME}{path}" for path in PATHS}


@pytest.mark.parametrize("form", [plistlib.FMT_XML, plistlib.FMT_BINARY], ids=["XML", "binary"])
def test_the_entitlements_of_an_app_tell_what_to_ask(
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


@pytest.mark.parametrize(
    ("profile", "code"),
    [
        pytest.param(("--profile", "documented"), YES, id="documented"),
        pytest.param(("--profile", "device"), YES, id="device"),
        pytest.param(("--profile", "ios9"), YES, id="ios9"),
        pytest.param(("--profile", "ios8"), NO, id="ios8"),
        pytest.param(("--profile", "all"), YES, id="all: device and documented"),
    ],
)
def test_the_exit_code_is_that_of_the_profile(asking: Asking, profile: tuple[str, ...], code: int) -> None:
    asking(*profile, verdict=code)


def test_without_a_mode_a_device_denies_a_private_host(asking: Asking, tmp_path: Path) -> None:
    options = (*steered(asking.server.port, NAME), "--trust", asking.server.authority)
    done = association(tmp_path, "check", NAME, *options)
    assert done.code == NO
    assert "error[network-private-host]" in done.text and "SWCERR00202" in done.text


@pytest.mark.parametrize("name", ["localhost", ADDRESS, f"https://{ADDRESS}", "https://localhost"])
def test_a_port_of_this_machine_is_a_target(server: Server, tmp_path: Path, name: str) -> None:
    target = f"{name}:{server.port}"
    report = check(tmp_path, target, "--trust", server.authority, "--app", APP, verdict=YES)
    assert report.verdicts == (A, A, D)
    assert report.codes_of("network", "tls") == set()
    assert len(report.document["fetches"]) == 2


def test_localhost_with_a_mode_is_what_a_developer_uses(server: Server, tmp_path: Path) -> None:
    options = ("--trust", server.authority, "--app", APP, "--profile", "device")
    entry = ("--entitlement", "webcredentials:localhost?mode=developer")
    report = check(tmp_path, f"localhost:{server.port}", *options, *entry, verdict=YES)
    assert report.codes == {"entitlement-developer-mode", "entitlement-localhost"}


def test_a_stopped_server_is_tried_again_later(start: Start, tmp_path: Path) -> None:
    server = start()
    server.stop()
    report = Asking(server, tmp_path)("--timeout", "2", verdict=RETRY)
    assert (report.verdicts, report.codes) == ((R, R, R), {"network-unreachable"})


def test_what_people_read_tells_verdicts_and_reasons(asking: Asking, tmp_path: Path) -> None:
    options = (*steered(asking.server.port, NAME), "--trust", asking.server.authority)
    done = association(tmp_path, "check", NAME, *options, "--app", OTHER_APP)
    assert (done.code, done.err) == (NO, "")
    lines = done.text.splitlines()
    assert lines[0].startswith(f"iPhones will not associate {NAME} with")
    assert any(line.startswith("error[app-not-listed] ") for line in lines)
    assert f"in https://{NAME}" in done.text

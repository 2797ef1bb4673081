"""`--entitlements` with apps, IPA files and provisioning profiles."""

import plistlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.apps import KEY, app, entitlements, executable, files, ipa, profile, universal
from support.checking import BAD_INPUT, CONTROL, NO, NO_INPUT, YES, association, check, refused
from support.keys import APPS, OTHER_APP
from support.keys import association as plain

ENTRY = "webcredentials:example.com"
SIGNED = executable(entitlements(ENTRY))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "site.json").write_bytes(plain())
    return tmp_path


def mac(program: bytes) -> dict[str, bytes]:
    information = plistlib.dumps({"CFBundleExecutable": "Demo"})
    return {"Contents/Info.plist": information, "Contents/MacOS/Demo": program}


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda home: app(home / "Demo.app", files(SIGNED)), id="an app"),
        pytest.param(lambda home: app(home / "Demo.app", mac(SIGNED)), id="an app for macOS"),
        pytest.param(lambda home: app(home / "Demo.app", files(universal(SIGNED, SIGNED))), id="a universal app"),
        pytest.param(lambda home: ipa(home / "Demo.ipa", files(SIGNED)), id="an IPA file"),
        pytest.param(lambda home: written(home / "Demo", SIGNED), id="an executable"),
    ],
)
def test_the_entitlements_of_an_app_are_compared_with_the_site(home: Path, make: Callable[[Path], Path | str]) -> None:
    path = make(home)
    report = check(home, "site.json", "--entitlements", path, "--domain", "example.com", verdict=YES)
    assert not report.codes_of("entitlement")
    # The application identifier comes from the signature.
    (home / "site.json").write_bytes(plain(OTHER_APP))
    report = check(home, "site.json", "--entitlements", path, "--domain", "example.com", verdict=NO)
    assert "app-not-listed" in report.codes


def test_entitlements_with_only_bad_entries_name_each_entry_and_its_correction(home: Path) -> None:
    entries = {KEY: ["applinks:https://example.com/shop", "aplinks:example.com"]}
    path = written(home / "App.entitlements", plistlib.dumps(entries))
    issues = check(home, "--entitlements", path, verdict=NO).document["issues"]
    assert [one["code"] for one in issues] == ["entitlement-scheme", "entitlement-unknown-service"]
    assert all(text in one["message"] for one, text in zip(issues, entries[KEY], strict=True))
    assert all(one["fix"] == 'Write "applinks:example.com".' for one in issues)
    path = written(home / "Demo.mobileprovision", profile(home, {KEY: "*"}))
    refused(association(home, "check", "--entitlements", path), BAD_INPUT, "no domain to check", "signed app")


def test_a_profile_that_permits_every_domain_leaves_the_decision_to_the_signature(home: Path) -> None:
    permitted = {"application-identifier": APPS[0], KEY: "*"}
    path = written(home / "Demo.mobileprovision", profile(home, permitted))
    report = check(home, "site.json", "--entitlements", path, verdict=YES)
    issue = report.issue("entitlement-profile")
    assert issue["severity"] == "note"
    assert "permits every associated domain" in issue["message"]
    assert "signature" in issue["message"]
    # From standard input and from a pipe.
    for given in ("-", "/dev/stdin"):
        report = check(home, "site.json", "--entitlements", given, given=path.read_bytes(), verdict=YES)
        assert report.codes_of("entitlement") == {"entitlement-profile"}


def test_a_profile_without_associated_domains_is_an_error(home: Path) -> None:
    made = profile(home, {"application-identifier": APPS[0]})
    path = written(home / "Demo.mobileprovision", made)
    report = check(home, "site.json", "--entitlements", path, verdict=NO)
    assert "does not permit" in report.issue("entitlement-profile")["message"]
    # The same profile in a signed app. A device refuses to install the app.
    for built in (app(home / "Demo.app", files(SIGNED, made)), ipa(home / "Demo.ipa", files(SIGNED, made))):
        report = check(home, "site.json", "--entitlements", built, "--domain", "example.com", verdict=NO)
        assert report.codes_of("entitlement") == {"entitlement-profile"}


def bomb(home: Path) -> Path:
    """An IPA file whose executable refers to a signature after 64 MiB of zeros."""
    far = SIGNED.replace((4096).to_bytes(4, "little"), (1 << 26).to_bytes(4, "little"), 1)
    return ipa(home / "Demo.ipa", files(far + bytes(1 << 26)))


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [
        pytest.param(
            lambda home: app(home / "x.xcarchive", {"Info.plist": plistlib.dumps({"ArchiveVersion": 2})}),
            *(NO_INPUT, ("an Xcode archive", "Products/Applications")),
            id="an archive of Xcode",
        ),
        pytest.param(
            lambda home: app(home / "x.app", files(executable(None))),
            *(BAD_INPUT, ("x.app", "not signed", "Simulator")),
            id="an unsigned app",
        ),
        pytest.param(bomb, BAD_INPUT, ("Demo.ipa", "damaged"), id="a signature after 64 MiB of zeros"),
        pytest.param(lambda home: written(home / "x", b"0\x82\x0f\xff" * 40), BAD_INPUT, ("profile",), id="no profile"),
    ],
)
def test_unsuitable_input_is_refused(
    home: Path, make: Callable[[Path], Path], code: int, words: tuple[str, ...]
) -> None:
    done = association(home, "check", "site.json", "--entitlements", make(home))
    refused(done, code, *words)
    assert not CONTROL.search(done.err.rstrip("\n"))


def test_an_executable_that_is_a_pipe_is_refused(home: Path) -> None:
    path = app(home / "Demo.app", files(SIGNED))
    (path / "Demo").unlink()
    subprocess.run(["mkfifo", path / "Demo"], check=True)
    refused(association(home, "check", "site.json", "--entitlements", path), NO_INPUT, "Demo.app/Demo", "regular file")

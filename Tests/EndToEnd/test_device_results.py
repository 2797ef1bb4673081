"""A simulated device's results for scripts: prompts, related hosts, the status, and output for test programs."""

import json
import plistlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.authorities import SITE
from support.checking import NO, NOT_PERMITTED, USAGE, command, refused
from support.device import APP, OTHER_SITE, Device, Issuer, Play, file
from support.keys import APPS
from support.people import PASSWORD

CALL = ("save", "--app", APP, "--domain", SITE, "--account", "ray")


@pytest.fixture
def device(issuer: Issuer, tmp_path: Path) -> Iterator[Device]:
    """A device with an app that its site approves."""
    with issuer.site(Play(file())) as site:
        device = issuer.device(tmp_path, site)
        device.install(SITE)
        yield device


def test_all_listed_apps_share_the_passwords(device: Device) -> None:
    device.install(SITE, app=APPS[1])
    device(*CALL, "--password-stdin", "--yes", given=PASSWORD)
    shared = device.json("request", "--app", APPS[1], "--domain", SITE, "--yes")
    assert [one["spwd"] for one in shared["credentials"]] == [PASSWORD]


@pytest.mark.parametrize(
    ("mode", "setting", "works"),
    [("developer", "developer-mode", True), ("developer+managed", "managed", False), ("developer", "managed", False)],
)
def test_an_entry_works_only_on_a_device_in_all_its_modes(device: Device, mode: str, setting: str, works: bool) -> None:
    request = ("request", "--app", APP, "--domain", SITE, "--yes")
    device(*CALL, "--password-stdin", "--yes", given=PASSWORD)
    device.install(f"{SITE}?mode={mode}")
    assert "-25293" in device(*request, code=NO)
    assert device.record()["error"]["code"] == "device-mode-off", "the record does not contain the cause"
    device(setting, "on")
    assert ("-25293" in device(*request, code=0 if works else NO)) is not works
    device(setting, "off")
    assert "-25293" in device(*request, code=NO)


def test_a_managed_device_keeps_its_profile(device: Device) -> None:
    assert "managed" not in device.state, "earlier versions must read the state of an unmanaged device"
    assert device("managed", "on") == "The device is managed.\n"
    assert "Managed: on\n" in device("status")
    assert device.json("managed", "off") == {"managed": False, "prompts": []}
    assert "managed" not in device.state


def test_the_data_manager_reports_whether_the_password_was_saved(device: Device) -> None:
    save = (*CALL, "--password-stdin", "--data-manager")
    error = device.json(*save, "--no", given=PASSWORD, code=NO)["error"]
    assert (error["code"], error["name"]) == (1001, "ASAuthorizationError.canceled")
    assert device.passwords() == {}
    told = device.json(*save, "--yes", given=PASSWORD)
    assert (told["error"], told["saved"], [one["kind"] for one in told["prompts"]]) == (None, True, ["save"])
    assert device.passwords() == {"ray": PASSWORD}
    other = ("save", "--app", APP, "--domain", OTHER_SITE, *save[5:])
    text = device(*other, "--yes", given=PASSWORD, code=NO)
    assert "entitlement" in text and "(ASAuthorizationError.failed 1004)" in text
    device("run", "-", given=f"{' '.join(save)} --no\n| another password\n=> 1001\n")
    device("reset", "--system", "ios9")
    refused(device.run(*save, given=PASSWORD), USAGE, "iOS 26.2", "ios9")


def test_changed_entitlements_count_after_a_reinstallation(issuer: Issuer, tmp_path: Path) -> None:
    def entitle(*hosts: str) -> None:
        entries = [f"webcredentials:{host}" for host in hosts]
        list_of_app = {"com.apple.developer.associated-domains": entries}
        (tmp_path / "App.entitlements").write_bytes(plistlib.dumps(list_of_app))

    def domains() -> list[str]:
        return [record["domain"] for record in device.json("associations")["associations"]]

    install = ("install", "--app", APP, "--entitlements", "App.entitlements")
    request = ("request", "--app", APP, "--domain", OTHER_SITE, "--yes")
    with issuer.site(Play(file())) as site:
        device = issuer.device(tmp_path, site)
        entitle(SITE)
        device(*install)
        entitle(SITE, OTHER_SITE)
        assert domains() == [SITE]
        assert "-34018" in device(*request, code=NO)
        device(*install)
        assert domains() == [SITE, OTHER_SITE]
        assert "-25300" in device(*request, code=NO), "no password is saved for the other site"


def test_the_status_is_a_summary_without_passwords(device: Device) -> None:
    device.save(SITE, "ray", PASSWORD, "--yes")
    device("answer", "save=yes", "pick=ray")
    device("developer-mode", "on")
    status = device.json("status")
    assert status.pop("now").startswith("20")
    assert status == {
        "system": "current",
        "apps": [APP],
        "associations": {"approved": 1, "all": 1},
        "passwords": 1,
        "passkeys": 0,
        "passkey_sync": True,
        "autofill": True,
        "developer_mode": True,
        "managed": False,
        "answers": {"save": "yes", "pick": "ray"},
        "prompts": [],
    }
    text = device("status")
    assert f"Apps: {APP}\n" in text and "Prepared answers: save=yes pick=ray\n" in text
    assert PASSWORD not in text


def test_a_fresh_run_starts_with_a_new_device(device: Device) -> None:
    device.save(SITE, "ray", PASSWORD, "--yes")
    script = "passwords\n=> says No password is saved.\ndeveloper-mode on\n"
    for _ in range(2):
        device("run", "-", "--fresh", given=script)
    assert (device.state["credentials"], device.state["developer_mode"]) == ([], True)
    device("run", "-", "--fresh", "--system", "ios8", given=script)
    assert device.state["system"] == "ios8"


def test_a_script_reports_in_the_test_anything_protocol(device: Device) -> None:
    script = 'autofill off\n\npasswords\n=> says "a & b"\nstatus\n'
    done = device.run("run", "-", "--format", "tap", given=script)
    assert done.code == NO and "line 4" in done.err
    lines = done.text.splitlines()
    assert lines[2:4] == ["ok 1 - line 1: autofill off", "not ok 2 - line 3: passwords"]
    assert json.loads(lines[5].removeprefix("  message: ")) in done.err
    assert lines[7] == "ok 3 - line 5: status # SKIP the script stopped before this command"


def test_options_come_from_the_environment(device: Device, tmp_path: Path) -> None:
    trust, connect = device.sites[1], device.sites[3]
    variables = {
        "MOTIVATOR_DEVICE_STATE": "other.json",
        "MOTIVATOR_DEVICE_SYSTEM": "ios9",
        "MOTIVATOR_TRUST": trust,
        "MOTIVATOR_CONNECT_TO": f"unused.example.test:443:127.0.0.1:1 {connect}",
        "MOTIVATOR_TIMEOUT": "5",
    }

    def run(*words: str, **others: str) -> Any:
        return command(tmp_path, "device", *words, variables=variables | others)

    installed = run("install", "--app", APP, "--entitlement", f"webcredentials:{SITE}", "--json")
    assert json.loads(installed.out)["associations"][0]["site_approval"] == "approved"
    assert json.loads((tmp_path / "other.json").read_text())["system"] == "ios9"
    assert json.loads(run("status", "--json", "--state", "device.json", MOTIVATOR_DEVICE_SYSTEM="").out)["apps"] == [
        APP
    ]
    refused(run("status", MOTIVATOR_DEVICE_SYSTEM="ios7"), USAGE, "MOTIVATOR_DEVICE_SYSTEM", "ios7", "ios9")
    refused(run("status", MOTIVATOR_TIMEOUT="soon"), USAGE, "MOTIVATOR_TIMEOUT", "1 to 600")
    assert "MOTIVATOR_DEVICE_STATE" in command(tmp_path, "device", "status", "--help").text


@pytest.mark.parametrize(
    ("domain", "autofill", "number", "name", "code"),
    [
        ("", "on", -50, "errSecParam", USAGE),
        (SITE, "off", -909, "errSecBadReq", NOT_PERMITTED),
        (OTHER_SITE, "on", -34018, "errSecMissingEntitlement", NO),
    ],
)
def test_an_error_has_a_number_a_name_and_an_exit_code(
    device: Device, domain: str, autofill: str, number: int, name: str, code: int
) -> None:
    device("autofill", autofill)
    call = ("save", "--app", APP, "--domain", domain, "--account", "ray", "--password-stdin", "--yes")
    text = device(*call, given=PASSWORD, code=code)
    error = device.json(*call, given=PASSWORD, code=code)["error"]
    assert set(error) == {"code", "name", "message", "fix"}
    assert (error["code"], error["name"]) == (number, name)
    assert f"({name} {number}). " in text and error["message"] in text and error["fix"] in text

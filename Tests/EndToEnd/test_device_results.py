"""A simulated device's results for scripts: prompts, related hosts, the status, and output for test programs."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.authorities import SITE
from support.checking import NO, USAGE, command, refused
from support.device import APP, OTHER_SITE, Device, Issuer, Play, file
from support.keys import APPS
from support.people import OTHER, PASSWORD

CALL = ("save", "--app", APP, "--domain", SITE, "--account", "ray")
RAY = {"account": "ray", "server": SITE}


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Issuer:
    return Issuer.new(tmp_path_factory.mktemp("results"))


@pytest.fixture
def device(issuer: Issuer, tmp_path: Path) -> Iterator[Device]:
    """A device with an app that its site approves."""
    with issuer.site(Play(file())) as site:
        device = issuer.device(tmp_path, site)
        device.install(SITE)
        yield device


def prompt(kind: str, verb: str, answer: Any, whose: str = APP) -> dict[str, Any]:
    return {
        "kind": kind,
        "text": f'{verb} the password of "ray" at {SITE} for {whose}?',
        "choices": [RAY],
        "answer": answer,
    }


def test_each_command_lists_the_prompts_that_appeared(device: Device) -> None:
    def prompts(*words: str, given: str = "", code: int = 0) -> list[Any]:
        return device.json(*words, given=given, code=code)["prompts"]

    add = (*CALL, "--password-stdin")
    assert prompts(*add, "--no", given=PASSWORD) == [prompt("save", "Save", "no")]
    assert prompts(*add, "--yes", given=PASSWORD) == [prompt("save", "Save", "yes")]
    assert prompts(*add, "--yes", given=PASSWORD) == [], "the same password must not cause a prompt"
    assert prompts(*add, "--yes", given=OTHER) == [prompt("update", "Update", "yes")]
    browser = ("save", "--domain", SITE, "--account", "ray", "--password-stdin", "--no")
    assert prompts(*browser, given=PASSWORD, code=NO) == [prompt("update", "Update", "no", "the browser")]
    (picker,) = prompts("request", "--app", APP, "--choose", "ray")
    assert (picker["kind"], picker["choices"], picker["answer"]) == ("pick", [RAY], RAY)
    assert prompts(*CALL, "--delete", "--yes") == [prompt("delete", "Delete", "yes")]
    assert prompts("request", "--app", APP, "--yes", code=NO) == [], "without a password, no picker must appear"
    device("answer", "save=never")
    assert prompts(*add, given=PASSWORD) == [prompt("save", "Save", "never")]
    assert prompts(*add, given=PASSWORD, code=NO) == []


def test_all_listed_apps_share_the_passwords(device: Device) -> None:
    device.install(SITE, app=APPS[1])
    device(*CALL, "--password-stdin", "--yes", given=PASSWORD)
    shared = device.json("request", "--app", APPS[1], "--domain", SITE, "--yes")
    assert [one["spwd"] for one in shared["credentials"]] == [PASSWORD]


@pytest.mark.parametrize(("mode", "works"), [("developer", True), ("managed", False)])
def test_an_entry_with_a_mode_works_only_on_a_device_in_this_mode(device: Device, mode: str, works: bool) -> None:
    request = ("request", "--app", APP, "--domain", SITE, "--yes")
    device(*CALL, "--password-stdin", "--yes", given=PASSWORD)
    device.install(f"{SITE}?mode={mode}")
    assert "-25293" in device(*request, code=NO)
    assert device.record()["error"], "the record does not contain the cause"
    device("developer-mode", "on")
    device.install(f"{SITE}?mode={mode}")
    assert ("-25293" in device(*request, code=0 if works else NO)) is not works


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("associations",),
        ("passwords",),
        ("advance", "1h"),
        ("developer-mode", "on"),
        ("autofill", "on"),
        ("answer", "save=yes"),
        ("allow", "--domain", SITE),
        ("uninstall", "--app", APP),
        ("install", "--app", APP),
        ("reset",),
    ],
    ids=lambda words: words[0],
)
def test_a_command_without_prompts_says_so(device: Device, words: tuple[str, ...]) -> None:
    assert device.json(*words)["prompts"] == []


def test_a_script_lists_the_prompts_of_each_command(device: Device) -> None:
    script = f"{' '.join(CALL)} --password-stdin --yes\n| {PASSWORD}\npasswords\nrequest --app {APP} --no\n=> -25300\n"
    told = device.json("run", "-", given=script)
    assert [[one["kind"] for one in step["answer"]["prompts"]] for step in told] == [["save"], [], ["pick"]]


def test_when_nothing_is_found_a_related_host_with_an_item_is_named(device: Device) -> None:
    for host in (f"www.{SITE}", f"{SITE}:8443", OTHER_SITE):
        device.save(host, "ray", PASSWORD, "--yes")
    text = device("request", "--app", APP, "--yes", code=NO)
    assert f'but an item exists for "www.{SITE}", "{SITE}:8443" (errSecItemNotFound -25300)' in text
    error = device.json("request", "--app", APP, "--yes", code=NO)["error"]
    assert error["related_hosts"] == [f"www.{SITE}", f"{SITE}:8443"]
    error = device.json("request", "--app", APP, "--account", "vicki", "--yes", code=NO)["error"]
    assert "related_hosts" not in error, "items of other accounts must not count"


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
        "autofill": True,
        "developer_mode": True,
        "answers": {"save": "yes", "pick": "ray"},
        "prompts": [],
    }
    text = device("status")
    assert f"Apps: {APP}\n" in text and "Prepared answers: save=yes pick=ray\n" in text
    assert PASSWORD not in text


def test_a_reset_device_is_new(device: Device) -> None:
    device.save(SITE, "ray", PASSWORD, "--yes")
    device("advance", "30d")
    assert "Apps: none\n" in device("reset")
    state = device.state
    assert (state["apps"], state["credentials"], state["records"], state["ahead"]) == ([], [], [], 0)
    assert device.json("reset", "--system", "ios9")["system"] == "ios9"
    assert device.json("reset")["system"] == "ios9", "a reset must keep the system"
    refused(device.run("status", "--system", "ios8"), USAGE, "ios9", "device reset")


def test_a_device_whose_clock_went_back_can_be_reset(device: Device) -> None:
    state = device.state
    state["latest"] += 86_400
    device.file.write_text(json.dumps(state))
    assert "device reset" in device.run("status").err
    device("reset")
    device("status")


def test_a_fresh_run_starts_with_a_new_device(device: Device) -> None:
    device.save(SITE, "ray", PASSWORD, "--yes")
    script = "passwords\n=> says No password is saved.\ndeveloper-mode on\n"
    for _ in range(2):
        device("run", "-", "--fresh", given=script)
    assert (device.state["credentials"], device.state["developer_mode"]) == ([], True)
    device("run", "-", "--fresh", "--system", "ios8", given=script)
    assert device.state["reading"] == "ios8"


def test_a_fresh_run_of_a_script_with_a_mistake_changes_nothing(device: Device) -> None:
    before = device.file.read_bytes()
    device.run("run", "-", "--fresh", given="fly\n")
    assert device.file.read_bytes() == before


SCRIPT = 'autofill off\n\npasswords\n=> says "a & b"\nstatus\n'


def test_a_script_reports_in_the_test_anything_protocol(device: Device) -> None:
    assert device("run", "-", "--format", "tap", given="autofill off\npasswords\n") == (
        "TAP version 14\n1..2\nok 1 - line 1: autofill off\nok 2 - line 2: passwords\n"
    )
    done = device.run("run", "-", "--format", "tap", given=SCRIPT)
    assert done.code == NO and "line 4" in done.err
    lines = done.text.splitlines()
    assert lines[2:4] == ["ok 1 - line 1: autofill off", "not ok 2 - line 3: passwords"]
    assert json.loads(lines[5].removeprefix("  message: ")) in done.err
    assert lines[7] == "ok 3 - line 5: status # SKIP the script stopped before this command"


def test_a_script_reports_as_junit(device: Device) -> None:
    done = device.run("run", "-", "--format", "junit", given=SCRIPT)
    assert done.code == NO
    (suite,) = ElementTree.fromstring(done.out)
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["3", "1", "0", "1"]
    assert [(case.get("name"), case[0].tag) for case in suite] == [
        ("line 1: autofill off", "system-out"),
        ("line 3: passwords", "failure"),
        ("line 5: status", "skipped"),
    ]
    assert 'does not contain ""a & b""' in (suite[1][0].get("message") or "").replace("\\", "")


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
    assert json.loads((tmp_path / "other.json").read_text())["reading"] == "ios9"
    assert json.loads(run("status", "--json", "--state", "device.json", MOTIVATOR_DEVICE_SYSTEM="").out)["apps"] == [
        APP
    ]
    refused(run("status", MOTIVATOR_DEVICE_SYSTEM="ios7"), USAGE, "MOTIVATOR_DEVICE_SYSTEM", "ios7", "ios9")
    refused(run("status", MOTIVATOR_TIMEOUT="soon"), USAGE, "MOTIVATOR_TIMEOUT", "1 to 600")
    assert "MOTIVATOR_DEVICE_STATE" in command(tmp_path, "device", "status", "--help").text

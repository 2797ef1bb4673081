"""The state file of a simulated device in commands. `DeviceStateFileTests` and `ScheduleTests` have all rules."""

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import BAD_INPUT, RETRY, refused
from support.device import APP, Device, Issuer, stalling
from support.people import PASSWORD
from support.server import environment
from support.waiting import LIMIT

CONFIGURATION = 78


@pytest.fixture
def device(tmp_path: Path) -> Device:
    """A device with a saved password."""
    device = Device(tmp_path)
    device.save(SITE, "ray", PASSWORD, "--yes")
    return device


def from_the_future(state: str) -> str:
    document = json.loads(state)
    return json.dumps(document | {"latest": document["latest"] + 86_400})


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        pytest.param(lambda state: state[:100], BAD_INPUT, ("truncated or damaged", "device.json"), id="cut off"),
        pytest.param(from_the_future, CONFIGURATION, ("clock", "go back"), id="a clock that moved back"),
    ],
)
def test_a_state_that_cannot_be_used_does_not_change(
    device: Device, change: Callable[[str], str], code: int, words: tuple[str, ...]
) -> None:
    content = change(device.file.read_text())
    device.file.write_text(content)
    for command in (("passwords",), ("autofill", "off")):
        done = device.run(*command)
        refused(done, code, *words)
        assert done.err.count("\n") == 1 and PASSWORD not in done.err
    assert device.file.read_text() == content


def test_a_command_waits_for_another_and_a_killed_command_does_not_change_the_state(
    issuer: Issuer, device: Device
) -> None:
    before = device.file.read_bytes()
    reached, released = threading.Event(), threading.Event()
    with issuer.site(stalling(reached, released)) as site:
        there = issuer.device(device.home, site)
        # The command has sent a request to its site and waits for the response.
        running = subprocess.Popen(
            there.command("install", "--app", APP, "--entitlement", f"webcredentials:{SITE}"),
            cwd=device.home,
            env=environment(device.home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert reached.wait(LIMIT)
        refused(device.run("autofill", "off"), RETRY, "another command is using the device")
        running.kill()
        assert running.communicate(timeout=LIMIT) == (b"", b"")
        released.set()
    assert device.file.read_bytes() == before
    device("autofill", "off")
    assert device.passwords() == {"ray": PASSWORD}

"""The state file of a simulated device: its permissions, invalid files, and the effects of a killed command."""

import json
import subprocess
import threading
from datetime import datetime
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import BAD_INPUT, RETRY, refused
from support.device import APP, Device, Issuer, stalling
from support.disks import memory_disk
from support.people import PASSWORD
from support.server import environment
from support.waiting import LIMIT

CONFIGURATION = 78


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Issuer:
    return Issuer.new(tmp_path_factory.mktemp("state"))


@pytest.fixture
def device(tmp_path: Path) -> Device:
    """A device with a saved password."""
    device = Device(tmp_path)
    device.save(SITE, "ray", PASSWORD, "--yes")
    return device


def test_concurrent_commands_lose_no_change(tmp_path: Path) -> None:
    device = Device(tmp_path)
    names = [f"account {number}" for number in range(12)]
    running = [
        subprocess.Popen(
            device.command("save", "--domain", SITE, "--account", name, "--password-stdin", "--yes"),
            cwd=tmp_path,
            env=environment(tmp_path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in names
    ]
    # All commands are running before the first can read its password. No command can write before that.
    for name, one in zip(names, running, strict=True):
        assert one.stdin
        one.stdin.write(f"password of {name}".encode())
        one.stdin.close()
        one.stdin = None
    for one in running:
        out, err = one.communicate(timeout=LIMIT)
        assert (one.returncode, out, err) == (0, b"Saved.\n", b"")
    assert device.passwords() == {name: f"password of {name}" for name in names}


WRONG = [
    pytest.param(lambda state: state[: len(state) // 2], "truncated or damaged", id="cut off"),
    pytest.param(
        lambda state: b'{"name":"left-pad","version":"1.0.0"}', "not the state of a simulated device", id="foreign"
    ),
]


@pytest.mark.parametrize(("change", "word"), WRONG)
@pytest.mark.parametrize("words", [("passwords",), ("autofill", "off")], ids=["read", "write"])
def test_a_state_that_cannot_be_read_does_not_change(
    device: Device, change: object, word: str, words: tuple[str, ...]
) -> None:
    assert callable(change)
    content = change(device.file.read_bytes())
    device.file.write_bytes(content)
    done = device.run(*words)
    refused(done, BAD_INPUT, word, "device.json")
    assert done.err.count("\n") == 1
    assert PASSWORD not in done.err
    assert device.file.read_bytes() == content


def test_a_full_disk_leaves_the_state_as_it_was(device: Device) -> None:
    disk = device.home / "disk"
    with memory_disk(disk, "64k"):
        there = Device(device.home, name="disk/device.json")
        there.save(SITE, "ray", PASSWORD, "--yes")
        before = there.file.read_bytes()
        for number in range(40):
            done = there.run(
                *("save", "--domain", SITE, "--account", f"{number}", "--password-stdin", "--yes"), given="x" * 4096
            )
            if done.code:
                break
            before = there.file.read_bytes()
        assert done.code != 0 and done.out == b""
        assert done.err.count("\n") == 1 and "device.json" in done.err
        assert there.file.read_bytes() == before
        assert "ray" in there.passwords()


def installing(there: Device, reached: threading.Event) -> subprocess.Popen[bytes]:
    """Starts a command that has sent a request to its site and waits for the response."""
    running = subprocess.Popen(
        there.command("install", "--app", APP, "--entitlement", f"webcredentials:{SITE}"),
        cwd=there.home,
        env=environment(there.home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert reached.wait(LIMIT)
    return running


def test_a_command_that_is_killed_during_a_fetch_does_not_change_the_state(issuer: Issuer, device: Device) -> None:
    before = device.file.read_bytes()
    reached, released = threading.Event(), threading.Event()
    with issuer.site(stalling(reached, released)) as site:
        there = issuer.device(device.home, site)
        running = installing(there, reached)
        running.kill()
        out, err = running.communicate(timeout=LIMIT)
        released.set()
    assert (out, err) == (b"", b"")
    assert device.file.read_bytes() == before
    assert sorted(one.name for one in device.home.iterdir()) == ["device.json", "device.json.lock"]
    device("autofill", "off")
    assert device.passwords() == {"ray": PASSWORD}


def test_another_command_waits_and_then_reports_that_the_device_is_in_use(issuer: Issuer, device: Device) -> None:
    before = device.file.read_bytes()
    reached, released = threading.Event(), threading.Event()
    with issuer.site(stalling(reached, released)) as site:
        there = issuer.device(device.home, site)
        running = installing(there, reached)
        refused(device.run("autofill", "off"), RETRY, "another command is using the device")
        assert device.file.read_bytes() == before
        released.set()
        running.communicate(timeout=LIMIT)
    assert running.returncode == 0
    device("autofill", "off")
    assert (device.state["autofill"], len(device.state["records"])) == (False, 1)


def test_a_clock_that_moved_back_is_an_error_and_changes_nothing(device: Device) -> None:
    state = device.state
    state["latest"] = int(datetime.now().timestamp()) + 86_400
    device.file.write_text(json.dumps(state))
    before = device.file.read_bytes()
    for words in (("passwords",), ("autofill", "off"), ("advance", "2d")):
        done = device.run(*words)
        refused(done, CONFIGURATION, "clock", "go back")
        assert done.err.count("\n") == 1
    assert device.file.read_bytes() == before

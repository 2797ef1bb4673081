"""The state file of a simulated device: its permissions, invalid files, and the effects of a killed command."""

import json
import os
import stat
import subprocess
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import BAD_INPUT, NOT_PERMITTED, RETRY, UNAVAILABLE, USAGE, refused
from support.device import APP, Device, Issuer, Play, file, stalling
from support.disks import command, memory_disk
from support.people import OTHER, PASSWORD
from support.server import environment
from support.sites import JSON, Stream, response

CONFIGURATION = 78
TOKEN = "a" * 43


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Issuer:
    return Issuer.new(tmp_path_factory.mktemp("state"))


@pytest.fixture
def device(tmp_path: Path) -> Device:
    """A device with a saved password."""
    device = Device(tmp_path)
    device.save(SITE, "ray", PASSWORD, "--yes")
    return device


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_state_and_its_lock_are_the_owners_alone(tmp_path: Path) -> None:
    device = Device(tmp_path)
    before = os.umask(0)
    try:
        device.save(SITE, "ray", PASSWORD, "--yes")
    finally:
        os.umask(before)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["device.json", "device.json.lock"]
    assert {mode(one) for one in tmp_path.iterdir()} == {0o600}
    assert (tmp_path / "device.json.lock").read_bytes() == b""
    device("autofill", "off")
    assert mode(device.file) == 0o600


def test_a_command_that_changes_nothing_writes_nothing(device: Device) -> None:
    before = device.file.stat()
    device("passwords")
    device("associations")
    device("autofill", "on")
    after = device.file.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_commands_at_once_lose_nothing(tmp_path: Path) -> None:
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
        out, err = one.communicate(timeout=30)
        assert (one.returncode, out, err) == (0, b"Saved.\n", b"")
    assert device.passwords() == {name: f"password of {name}" for name in names}


def newer(state: bytes) -> bytes:
    return json.dumps(json.loads(state) | {"version": 2, "face_id": True}).encode()


def with_another(key: str, value: object) -> bytes:
    return json.dumps({"format": "ultra-motivator device state", "version": 1, key: value}).encode()


WRONG = [
    pytest.param(lambda state: b"", "empty", id="empty"),
    pytest.param(lambda state: state[: len(state) // 2], "truncated or damaged", id="cut off"),
    pytest.param(lambda state: state[:-3], "truncated or damaged", id="its last bytes cut off"),
    pytest.param(lambda state: b"\0" * len(state), "truncated or damaged", id="zeros, as after a power cut"),
    pytest.param(
        lambda state: b'{"name":"left-pad","version":"1.0.0"}', "not the state of a simulated device", id="foreign"
    ),
    pytest.param(lambda state: b"[]", "not the state of a simulated device", id="a list"),
    pytest.param(newer, "version 2", id="of a newer version"),
    pytest.param(lambda state: state.replace(b'"autofill" : true', b'"autofill" : 1'), "autofill", id="a wrong value"),
    pytest.param(lambda state: state.replace(b'"ahead"', b'"face_id": 1, "ahead"'), "face_id", id="an unknown key"),
    pytest.param(lambda state: state.replace(b'"ahead" : 0', b'"ahead" : -1'), "ahead", id="a negative number"),
    pytest.param(lambda state: with_another("reading", "ios8"), "lacks", id="most of it missing"),
]


@pytest.mark.parametrize(("change", "word"), WRONG)
@pytest.mark.parametrize("words", [("passwords",), ("autofill", "off")], ids=["read", "write"])
def test_a_state_that_cannot_be_read_stays_as_it_is(
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


def test_a_state_that_others_can_read_is_refused(device: Device) -> None:
    before = device.file.read_bytes()
    device.file.chmod(0o644)
    done = device.run("autofill", "off")
    refused(done, NOT_PERMITTED, "0644", "chmod 600")
    assert (device.file.read_bytes(), mode(device.file)) == (before, 0o644)
    device.file.chmod(0o600)
    device("autofill", "off")


def test_a_folder_in_the_states_place_is_refused(tmp_path: Path) -> None:
    device = Device(tmp_path)
    device.file.mkdir()
    done = device.run("autofill", "off")
    assert done.code != 0 and done.out == b""
    assert done.err.count("\n") == 1 and "device.json" in done.err
    assert list(device.file.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    device = Device(tmp_path, name="none/device.json")
    done = device.run("autofill", "off")
    assert done.code != 0 and done.out == b""
    assert done.err.count("\n") == 1 and "none/device.json" in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_no_file_is_named(device: Device) -> None:
    before = device.file.read_bytes()
    disk = device.home / "disk"
    with memory_disk(disk):
        there = Device(device.home, name="disk/device.json")
        there.file.write_bytes(before)
        there.file.chmod(0o600)
        command("mount", "-o", "remount,ro", disk)
        done = there.run("autofill", "off")
        assert done.code != 0 and done.out == b""
        assert done.err.count("\n") == 1 and "disk/device.json" in done.err
        assert there.file.read_bytes() == before


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


def test_a_state_behind_a_link_is_written_where_the_link_leads(device: Device) -> None:
    linked = Device(device.home, name="link.json")
    linked.file.symlink_to(device.file)
    linked("autofill", "off")
    assert linked.file.is_symlink()
    assert device.state["autofill"] is False


def test_the_system_is_decided_once(device: Device) -> None:
    before = device.file.read_bytes()
    refused(device.run("passwords", "--system", "ios8"), USAGE, "current", "--system")
    device("passwords", "--system", "current")
    assert device.file.read_bytes() == before
    old = Device(device.home, name="old.json")
    old("developer-mode", "on", "--system", "ios8")
    assert old.state["reading"] == "ios8"


def installing(there: Device, reached: threading.Event) -> subprocess.Popen[bytes]:
    """Starts a command that has sent a request to its site and waits for the response."""
    running = subprocess.Popen(
        there.command("install", "--app", APP, "--entitlement", f"webcredentials:{SITE}"),
        cwd=there.home,
        env=environment(there.home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert reached.wait(30)
    return running


def test_a_command_that_is_killed_while_it_waits_for_a_site_leaves_the_state_as_it_was(
    issuer: Issuer, device: Device
) -> None:
    before = device.file.read_bytes()
    reached, released = threading.Event(), threading.Event()
    with issuer.site(stalling(reached, released)) as site:
        there = issuer.device(device.home, site)
        running = installing(there, reached)
        running.kill()
        out, err = running.communicate(timeout=30)
        released.set()
    assert (out, err) == (b"", b"")
    assert device.file.read_bytes() == before
    assert sorted(one.name for one in device.home.iterdir()) == ["device.json", "device.json.lock"]
    device("autofill", "off")
    assert device.passwords() == {"ray": PASSWORD}


def test_another_command_waits_and_then_says_that_the_device_is_in_use(issuer: Issuer, device: Device) -> None:
    before = device.file.read_bytes()
    reached, released = threading.Event(), threading.Event()
    with issuer.site(stalling(reached, released)) as site:
        there = issuer.device(device.home, site)
        running = installing(there, reached)
        refused(device.run("autofill", "off"), RETRY, "another command is using the device")
        assert device.file.read_bytes() == before
        released.set()
        running.communicate(timeout=30)
    assert running.returncode == 0
    device("autofill", "off")
    assert (device.state["autofill"], len(device.state["records"])) == (False, 1)


def signed_in(name: str) -> bytes:
    content = {"username": name, "token": TOKEN, "expires": "2099-01-01T00:00:00Z"}
    return response(json.dumps(content).encode(), 200, JSON)


@pytest.fixture
def vanishing(issuer: Issuer, tmp_path: Path) -> Iterator[Device]:
    """An app with a password in its keychain, and a server that disconnects after it has read an update."""

    def answer(stream: Stream, path: str) -> None:
        if path.startswith("/api/signin"):
            stream.sendall(signed_in("ray the first"))
        elif not path.startswith("/api/"):
            stream.sendall(file())

    with issuer.site(answer) as site:
        device = issuer.device(tmp_path, site)
        device.install(SITE)
        device.save(SITE, "ray the first", PASSWORD, "--yes")
        yield device


def test_a_server_that_vanishes_in_the_middle_of_an_update_leaves_both_stores_alone(vanishing: Device) -> None:
    there = ("--app", APP, "--server", SITE)
    vanishing("app", "log-in", *there, "--yes")
    before = vanishing.state
    done = vanishing.run("app", "update", *there, "--password-stdin", "--yes", given=OTHER)
    assert done.code in (UNAVAILABLE, RETRY), done
    assert done.text.count("\n") == 1 and done.text.startswith("the server at "), done
    after = vanishing.state
    for key in ("credentials", "keychain", "records", "apps"):
        assert after[key] == before[key], key
    told = vanishing.json("app", "update", *there, "--password-stdin", "--yes", given=OTHER, code=done.code)
    assert told["outcome"] == "failed" and set(told["error"]) == {"message", "fix"}
    vanishing("app", "log-in", *there)


def test_a_clock_that_went_back_is_told_and_nothing_is_written(device: Device) -> None:
    state = device.state
    state["latest"] = int(datetime.now().timestamp()) + 86_400
    device.file.write_text(json.dumps(state))
    before = device.file.read_bytes()
    for words in (("passwords",), ("autofill", "off"), ("advance", "2d")):
        done = device.run(*words)
        refused(done, CONFIGURATION, "clock", "go back")
        assert done.err.count("\n") == 1
    assert device.file.read_bytes() == before


def test_a_clock_that_was_set_a_little_is_no_matter(device: Device) -> None:
    state = device.state
    latest = state["latest"] = int(datetime.now().timestamp()) + 200
    device.file.write_text(json.dumps(state))
    device("advance", "0s")
    assert device.state["latest"] >= latest


def test_an_installation_is_one_write(issuer: Issuer, device: Device) -> None:
    with issuer.site(Play(file())) as site:
        there = issuer.device(device.home, site)
        there.install(SITE)
    assert [one["site_approval"] for one in device.json("associations")["associations"]] == ["approved"]

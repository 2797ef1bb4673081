"""The tutorial's app on a simulated device, with interruptions: no password is lost that the user cannot recover."""

import json
import os
import pty
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.checking import NO, USAGE
from support.device import APP, Device, device_of
from support.disks import memory_disk
from support.people import PASSWORD, App
from support.server import Server, environment
from support.wire import NAME

UNAVAILABLE, UNREADABLE = 69, 66
LIMIT = 30


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(
        tmp_path_factory.mktemp("site"),
        "--app",
        APP,
        "--failures-per-address",
        "1000000",
        "--sign-ups-per-address",
        "1000000",
    )
    yield running
    running.stop()


@pytest.fixture
def device(site: Server, tmp_path: Path) -> Device:
    found = device_of(site, tmp_path)
    found.install(f"{NAME}:{site.port}")
    return found


def there(site: Server) -> tuple[str, ...]:
    return ("--app", APP, "--server", f"{NAME}:{site.port}")


def sign_up(device: Device, site: Server, account: str, *options: str) -> None:
    device("app", "sign-up", *there(site), "--account", account, "--password-stdin", *options, given=PASSWORD)


def test_a_generated_password_is_kept_before_the_person_is_asked(site: Server, device: Device) -> None:
    sign_up(device, site, "interrupted", "--yes")
    leader, follower = pty.openpty()
    asking = subprocess.Popen(
        # A shell starts background jobs with this signal ignored.
        ["env", "--default-signal=INT", *device.command("app", "update", *there(site))],
        cwd=device.home,
        env=environment(device.home),
        stdin=follower,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert asking.stderr
    try:
        with asking.stderr:
            assert b"Update the password" in asking.stderr.readline()
            asking.send_signal(signal.SIGINT)
            assert asking.wait(LIMIT) == -signal.SIGINT
    finally:
        asking.kill()
        os.close(follower)
        os.close(leader)
    (item,) = device.state["keychain"]
    assert item["password"] != PASSWORD
    assert device.passwords() == {"interrupted": PASSWORD}, "the user has not agreed to the change"
    with App(site) as app:
        assert app.sign_in("interrupted", item["password"]).status == 200


@pytest.mark.parametrize("form", ["text", "JSON", "a script"])
def test_a_generated_password_is_told_where_a_full_disk_cannot_keep_it(site: Server, device: Device, form: str) -> None:
    disk = device.home / "disk"
    name = f"full {form}"
    with memory_disk(disk, "64k"):
        there_is = Device(device.home, device.sites, "disk/device.json")
        there_is.install(f"{NAME}:{site.port}")
        sign_up(there_is, site, name, "--no")
        before = there_is.file.read_bytes()
        with pytest.raises(OSError), (disk / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(b"x" * 4096)
        update = ("app", "update", *there(site), "--yes")
        match form:
            case "text":
                done = there_is.run(*update)
            case "JSON":
                done = there_is.run(*update, "--json")
            case _:
                done = there_is.run("run", "-", given=" ".join(update))
        assert done.code not in (0, NO) and "device.json" in done.err and done.err.count("\n") == 1, done
        assert there_is.file.read_bytes() == before
    (told,) = re.findall(r"\b[A-Za-z0-9]{3}(?:-[A-Za-z0-9]{3}){3}\b", done.text)
    with App(site) as app:
        assert app.sign_in(name, told).status == 200


def test_a_reader_that_goes_away_does_not_lose_what_a_script_did(site: Server, device: Device) -> None:
    words = " ".join(there(site))
    script = f"app sign-up {words} --account piped --yes\n" + "associations\n" * 50
    (device.home / "s.device").write_text(script)
    running = subprocess.Popen(
        device.command("run", "s.device"),
        cwd=device.home,
        env=environment(device.home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout and running.stderr
    running.stdout.close()
    with running.stderr:
        said = running.stderr.read()
    assert running.wait(LIMIT) == 74, said
    assert [item["account"] for item in device.state["keychain"]] == ["piped"]


def test_signing_out_leaves_the_shared_passwords_as_they_are(site: Server, device: Device) -> None:
    sign_up(device, site, "leaving", "--no")
    assert device.passwords() == {}
    assert device.json("app", "sign-out", *there(site))["saved"] == {"keychain": "done", "shared": "untouched"}
    assert device.passwords() == {} and device.state["keychain"] == []


def test_signing_out_forgets_where_the_server_cannot_be_asked(site: Server, device: Device) -> None:
    sign_up(device, site, "offline", "--no")
    lost = Device(device.home, (*device.sites[:2], "--connect-to", f"{NAME}:{site.port}:127.0.0.1:1"))
    told = lost.json("app", "sign-out", *there(site), code=UNAVAILABLE)
    assert told["outcome"] == "only_here" and "127.0.0.1:1" in told["error"]["message"]
    assert device.state["keychain"] == []


@pytest.mark.parametrize("flow", ["update", "sign-out", "delete-account"])
def test_who_is_not_logged_in_is_told_so(site: Server, device: Device, flow: str) -> None:
    told = device.json("app", flow, *there(site), code=NO)
    attempts = [{"source": "keychain", "trouble": "no password."}]
    assert told == {"outcome": "not_logged_in", "attempts": attempts, "prompts": []}


def test_a_generated_password_is_told_to_programs_too(site: Server, device: Device) -> None:
    first = device.json("app", "sign-up", *there(site), "--account", "generated", "--no")["password"]
    second = device.json("app", "update", *there(site), "--no")["password"]
    assert first != second and device.state["keychain"][0]["password"] == second


@pytest.mark.parametrize("name", [f"https://{NAME}", f"{NAME}/path", f"{NAME}?q", f"a@{NAME}"])
def test_a_url_is_no_domain(device: Device, name: str) -> None:
    before = device.file.read_bytes()
    done = device.run("save", "--domain", name, "--account", "a", "--password-stdin", "--yes", given=PASSWORD)
    assert done.code == USAGE and f'"{name}" contains more than a host and a port' in done.err
    assert device.file.read_bytes() == before


def test_no_password_on_standard_input_is_a_mistake(device: Device) -> None:
    for app in ((), ("--app", APP)):
        done = device.run("save", *app, "--domain", NAME, "--account", "a", "--password-stdin", "--yes", given="\n")
        assert done.code == USAGE and "standard input contains no password" in done.err


def test_what_changes_nothing_makes_no_device(tmp_path: Path) -> None:
    device = Device(tmp_path)
    device("associations")
    device("request", "--app", APP, code=USAGE)
    assert not device.file.exists()
    device.run("autofill", "off")
    assert device.state["autofill"] is False


@pytest.mark.parametrize("name", ["folder", ""])
def test_a_folder_is_no_device(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir(mode=0o777)
    done = Device(tmp_path, name=name).run("associations")
    assert done.code == UNREADABLE and "is not a regular file" in done.err
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


def test_the_answers_of_a_script_that_fails_are_told_to_programs(device: Device) -> None:
    (device.home / "s.device").write_text("passwords\n=> says nothing of the kind\npasswords\n")
    done = device.run("run", "s.device", "--json")
    assert done.code == NO and "line 2" in done.err
    assert [one["line"] for one in json.loads(done.text)] == [1]

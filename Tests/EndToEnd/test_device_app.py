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
from support.server import UNLIMITED, Server, environment
from support.waiting import LIMIT
from support.wire import NAME

UNAVAILABLE = 69


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("site"), "--app", APP, *UNLIMITED)
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


def test_a_generated_password_is_saved_before_the_prompt(site: Server, device: Device) -> None:
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
def test_a_generated_password_is_printed_if_the_disk_is_full(site: Server, device: Device, form: str) -> None:
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


def test_a_closed_pipe_does_not_discard_the_work_of_a_script(site: Server, device: Device) -> None:
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


def test_signing_out_succeeds_without_the_server(site: Server, device: Device) -> None:
    sign_up(device, site, "offline", "--no")
    lost = Device(device.home, (*device.sites[:2], "--connect-to", f"{NAME}:{site.port}:127.0.0.1:1"))
    told = lost.json("app", "sign-out", *there(site), code=UNAVAILABLE)
    assert told["outcome"] == "only_here" and "127.0.0.1:1" in told["error"]["message"]
    assert device.state["keychain"] == []


def test_a_missing_password_on_standard_input_is_an_error(device: Device) -> None:
    for app in ((), ("--app", APP)):
        done = device.run("save", *app, "--domain", NAME, "--account", "a", "--password-stdin", "--yes", given="\n")
        assert done.code == USAGE and "standard input contains no password" in done.err


def test_a_failed_script_has_a_json_report(device: Device) -> None:
    (device.home / "s.device").write_text("passwords\n=> says nothing of the kind\npasswords\n")
    done = device.run("run", "s.device", "--json")
    assert done.code == NO and "line 2" in done.err
    assert [one["line"] for one in json.loads(done.text)] == [1]

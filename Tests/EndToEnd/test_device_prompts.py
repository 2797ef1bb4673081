"""Answers to a simulated device's prompts: from the command, from a stored answer, or from the user at the terminal."""

import os
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import NO, USAGE, Done, refused
from support.device import APP, Device, Issuer, Play, file
from support.people import PASSWORD
from support.server import TRACE, environment
from support.waiting import LIMIT

END_OF_FILE = "\x04"
CANCELLED = (
    "no matching items found, because the user canceled the picker (errSecItemNotFound -25300). Pick an account.\n"
)


@pytest.fixture
def device(issuer: Issuer, tmp_path: Path) -> Iterator[Device]:
    """A current device with an app that its site approves."""
    with issuer.site(Play(file())) as site:
        device = issuer.device(tmp_path, site)
        device.install(SITE)
        yield device


def test_a_wrong_prompt_answer_is_refused_and_not_saved(tmp_path: Path) -> None:
    device = Device(tmp_path)
    device("developer-mode", "on")
    before = device.file.read_bytes()
    done = device.run("answer", "save=yes", "delete=ray")
    refused(done, USAGE, "ray", "delete")
    assert done.err.count("\n") == 1
    assert device.file.read_bytes() == before


def at_the_terminal(device: Device, *words: str, typed: str) -> Done:
    """Runs a command with a terminal as its standard input, and types the text. The outputs are not terminals."""
    leader, follower = pty.openpty()
    try:
        running = subprocess.Popen(
            device.command(*words),
            cwd=device.home,
            env=environment(device.home),
            stdin=follower,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            os.write(leader, typed.encode())
            out, err = running.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            running.kill()
            running.communicate()
            raise
    finally:
        os.close(follower)
        os.close(leader)
    assert not TRACE.search(err.decode()), err
    return Done(running.returncode, out, err.decode())


@pytest.mark.parametrize(
    ("typed", "agreed"),
    [
        pytest.param("certainly\n yes \n", True, id="another word, and then yes"),
        pytest.param(END_OF_FILE, False, id="the end"),
        pytest.param("never\n", False, id="never"),
    ],
)
def test_the_user_types_the_password_and_then_the_response(device: Device, typed: str, agreed: bool) -> None:
    words = ("save", "--domain", SITE, "--account", "ray", "--password-stdin")
    done = at_the_terminal(device, *words, typed=f"{PASSWORD}\n{END_OF_FILE}{typed}")
    assert (done.code, done.text) == ((0, "Saved.\n") if agreed else (NO, "Not saved.\n")), done
    assert f'Save the password of "ray" at {SITE} for the browser? (yes, no, never)' in done.err
    assert PASSWORD not in done.text + done.err
    assert device.passwords() == ({"ray": PASSWORD} if agreed else {})
    assert device.state["never_saved"] == ([SITE] if typed == "never\n" else [])


@pytest.mark.parametrize(("typed", "account"), [("\n", None), ("0\n3\n-1\nray\n2\n", "second")])
def test_the_user_selects_an_account_by_number(device: Device, typed: str, account: str | None) -> None:
    for name in ("ray", "second"):
        device.save(SITE, name, PASSWORD, "--yes")
    done = at_the_terminal(device, "request", "--app", APP, typed=typed)
    assert f'  1  "ray" at {SITE}\n' in done.err and f'  2  "second" at {SITE}\n' in done.err
    told = (0, f'"{account}" at {SITE}\n') if account else (NO, CANCELLED)
    assert (done.code, done.text) == told

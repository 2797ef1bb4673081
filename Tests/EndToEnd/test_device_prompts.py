"""Answers to a simulated device's prompts: from the command, from a stored answer, or from the user at the terminal."""

import os
import pty
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import NO, USAGE, Done, refused
from support.device import APP, Device, Issuer, Play, file
from support.people import OTHER, PASSWORD
from support.server import TRACE, environment

END_OF_FILE = "\x04"
ADD = ("save", "--app", APP, "--domain", SITE, "--account", "ray")
CANCELLED = (
    "no matching items found, because the user canceled the picker (errSecItemNotFound -25300). Pick an account.\n"
)
NOBODY_KNOWS = "iOS accepted the request. It does not report whether the password was saved.\n"


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Issuer:
    return Issuer.new(tmp_path_factory.mktemp("prompts"))


@pytest.fixture
def make(issuer: Issuer, tmp_path: Path) -> Iterator[Callable[..., Device]]:
    with ExitStack() as stack:

        def device(*options: str) -> Device:
            made = issuer.device(tmp_path, stack.enter_context(issuer.site(Play(file()))))
            made.install(SITE, options=options)
            return made

        yield device


@pytest.fixture
def device(make: Callable[..., Device]) -> Device:
    """A current device with an app that its site approves."""
    return make()


def add(device: Device, password: str, *options: str, code: int = 0) -> str:
    return device(*ADD, "--password-stdin", *options, given=password, code=code)


def approval(device: Device) -> str:
    return device.record()["user_approval"]


def test_without_an_answer_nobody_says_yes(device: Device) -> None:
    assert add(device, PASSWORD) == NOBODY_KNOWS
    assert (device.passwords(), approval(device)) == ({}, "denied")
    assert device.save(SITE, "ray", PASSWORD, code=NO) == "Not saved.\n"


def test_an_answer_of_the_command_counts_for_the_command_alone(device: Device) -> None:
    assert add(device, PASSWORD, "--yes") == NOBODY_KNOWS
    assert (device.passwords(), approval(device)) == ({"ray": PASSWORD}, "approved")
    add(device, OTHER)
    assert device.passwords() == {"ray": PASSWORD}
    assert device("request", "--app", APP, code=NO) == CANCELLED
    add(device, OTHER, "--no")
    assert device.passwords() == {"ray": PASSWORD}
    add(device, OTHER, "--yes")
    assert device.passwords() == {"ray": OTHER}


def test_an_answer_given_before_is_kept_and_each_prompt_has_its_own(device: Device) -> None:
    device("answer", "save=yes", "update=no")
    add(device, PASSWORD)
    add(device, OTHER)
    assert device.passwords() == {"ray": PASSWORD}
    device("answer", "update=yes")
    add(device, OTHER)
    assert device.passwords() == {"ray": OTHER}, "the stored answer to save must still apply"
    device("answer", "save=no")
    device.save(SITE, "second", PASSWORD, code=NO)
    device(*ADD, "--delete")
    assert device.passwords() == {"ray": OTHER}, "no stored answer applies to a deletion"
    device("answer", "delete=yes")
    device(*ADD, "--delete")
    assert device.passwords() == {}


def test_an_answer_of_the_command_is_before_those_that_were_given(device: Device) -> None:
    device("answer", "save=no")
    add(device, PASSWORD, "--yes")
    assert device.passwords() == {"ray": PASSWORD}
    device("answer", "update=yes")
    add(device, OTHER, "--no")
    assert device.passwords() == {"ray": PASSWORD}


def test_one_answer_to_all_prompts_takes_the_place_of_those_before(device: Device) -> None:
    device("answer", "save=no", "update=no")
    device("answer", "--yes")
    add(device, PASSWORD)
    add(device, OTHER)
    assert device.passwords() == {"ray": OTHER}
    device("answer", "--no", "save=yes")
    device.save(SITE, "second", PASSWORD)
    device.save(SITE, "second", OTHER, code=NO)
    assert device.passwords() == {"ray": OTHER, "second": PASSWORD}


def test_the_account_that_is_picked(device: Device) -> None:
    for account in ("ray", "second", "yes"):
        device.save(SITE, account, f"of {account}", "--yes")

    def picked(*options: str, code: int = 0) -> list[str]:
        told = device.json("request", "--app", APP, *options, code=code)
        return [one["spwd"] for one in told["credentials"]]

    assert picked("--yes") == ["of ray"]
    assert picked("--choose", "second") == ["of second"]
    assert picked("--choose", "yes") == ["of yes"]
    assert picked("--choose", "third", code=NO) == []
    assert picked("--account", "second", "--yes") == ["of second"]
    device("answer", "pick=second")
    assert picked() == picked() == ["of second"]
    assert picked("--no", code=NO) == []
    device("answer", "pick=no")
    assert picked(code=NO) == []
    assert device.save(SITE, "fourth", PASSWORD, "--choose", "fourth", code=NO) == "Not saved.\n"


def test_never_is_for_the_host_and_for_good(device: Device) -> None:
    device("answer", "save=never")
    assert add(device, PASSWORD) == NOBODY_KNOWS
    assert device.state["never_saved"] == [SITE]
    device("answer", "--yes")
    assert "errSecDuplicateItem -25299" in add(device, PASSWORD, code=NO)
    assert device.save(SITE, "ray", PASSWORD, code=NO) == "Not saved.\n"
    assert device.passwords() == {}
    device.save("elsewhere.example.test", "ray", PASSWORD)
    assert device.passwords() == {"ray": PASSWORD}


def test_ios_8_saves_what_is_new_without_a_prompt(make: Callable[..., Device]) -> None:
    device = make("--system", "ios8")
    # iOS 8 does not approve an unsigned file.
    assert "-25293" in add(device, PASSWORD, code=NO)
    state = device.state
    assert state["records"][0]["site_approval"] == "denied"
    text = device.file.read_text()
    device.file.write_text(re.sub(r'("site_approval"\s*:\s*)"denied"', r'\1"approved"', text))
    add(device, PASSWORD, "--no")
    assert (device.passwords(), approval(device)) == ({"ray": PASSWORD}, "unspecified")
    add(device, OTHER, "--no")
    assert (device.passwords(), approval(device)) == ({"ray": PASSWORD}, "denied")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param((), ("the answer is missing", "--yes"), id="nothing"),
        pytest.param(("save",), ("equals sign", "save"), id="no equals sign"),
        pytest.param(("erase=yes",), ("erase", "save, update, delete, pick"), id="an unknown prompt"),
        pytest.param(("save=maybe",), ("maybe", "yes, no, never or ask"), id="an unknown answer"),
        pytest.param(("update=never",), ("never", "yes, no or ask"), id="never where it is not offered"),
        pytest.param(("pick=",), ("pick", "account"), id="an empty account"),
        pytest.param(("save=yes", "delete=ray"), ("ray", "delete"), id="a mistake behind a right one"),
    ],
)
def test_a_wrong_answer_is_refused_and_nothing_is_kept(
    tmp_path: Path, words: tuple[str, ...], said: tuple[str]
) -> None:
    device = Device(tmp_path)
    device("developer-mode", "on")
    before = device.file.read_bytes()
    done = device.run("answer", *words)
    refused(done, USAGE, *said)
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
            out, err = running.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            running.kill()
            running.communicate()
            raise
    finally:
        os.close(follower)
        os.close(leader)
    assert not TRACE.search(err.decode()), err
    return Done(running.returncode, out, err.decode())


YES_NO = [
    pytest.param("yes\n", True, id="yes"),
    pytest.param("Y\n", True, id="Y"),
    pytest.param("no\n", False, id="no"),
    pytest.param("\n", False, id="an empty line"),
    pytest.param("certainly\n yes \n", True, id="another word, and then yes"),
    pytest.param(END_OF_FILE, False, id="the end"),
]


@pytest.mark.parametrize(("typed", "agreed"), YES_NO)
def test_the_person_at_the_terminal_is_asked_whether_to_delete(device: Device, typed: str, agreed: bool) -> None:
    add(device, PASSWORD, "--yes")
    done = at_the_terminal(device, *ADD, "--delete", typed=typed)
    assert (done.code, done.text) == (0, NOBODY_KNOWS.replace("saved", "deleted")), done
    assert f'Delete the password of "ray" at {SITE} for {APP}? (yes, no)' in done.err
    assert "never" not in done.err
    assert device.passwords() == ({} if agreed else {"ray": PASSWORD})


@pytest.mark.parametrize(("typed", "agreed"), [*YES_NO, pytest.param("never\n", False, id="never")])
def test_the_person_types_the_password_and_then_the_answer(device: Device, typed: str, agreed: bool) -> None:
    words = ("save", "--domain", SITE, "--account", "ray", "--password-stdin")
    done = at_the_terminal(device, *words, typed=f"{PASSWORD}\n{END_OF_FILE}{typed}")
    assert (done.code, done.text) == ((0, "Saved.\n") if agreed else (NO, "Not saved.\n")), done
    assert f'Save the password of "ray" at {SITE} for the browser? (yes, no, never)' in done.err
    assert PASSWORD not in done.text + done.err
    assert device.passwords() == ({"ray": PASSWORD} if agreed else {})
    assert device.state["never_saved"] == ([SITE] if typed == "never\n" else [])


@pytest.mark.parametrize(
    ("typed", "account"),
    [("1\n", "ray"), (" 2\n", "second"), ("\n", None), ("0\n3\n-1\nray\n2\n", "second"), ("no\n", None)],
)
def test_the_person_picks_by_number(device: Device, typed: str, account: str | None) -> None:
    for name in ("ray", "second"):
        device.save(SITE, name, PASSWORD, "--yes")
    done = at_the_terminal(device, "request", "--app", APP, typed=typed)
    assert f'  1  "ray" at {SITE}\n' in done.err and f'  2  "second" at {SITE}\n' in done.err
    told = (0, f'"{account}" at {SITE}\n') if account else (NO, CANCELLED)
    assert (done.code, done.text) == told


def test_an_answer_that_is_known_is_not_asked_for(device: Device) -> None:
    add(device, PASSWORD, "--yes")
    done = at_the_terminal(device, "request", "--app", APP, "--yes", typed="")
    assert (done.code, done.err) == (0, "")
    device("answer", "pick=ray")
    done = at_the_terminal(device, "request", "--app", APP, typed="")
    assert (done.code, done.err) == (0, "")
    device("answer", "pick=ask", "--yes")
    done = at_the_terminal(device, "request", "--app", APP, typed="")
    assert (done.code, done.err) == (0, ""), "one answer to all prompts must also apply at a terminal"


def test_never_is_taken_back_by_allow(device: Device) -> None:
    device("answer", "save=never")
    for _ in range(2):
        device.save(SITE, "ray", PASSWORD, code=NO)
    assert device.state["never_saved"] == [SITE]
    assert device.json("allow", "--domain", SITE) == {"allowed": SITE, "changed": True, "prompts": []}
    assert device.json("allow", "--domain", SITE) == {"allowed": SITE, "changed": False, "prompts": []}
    assert device.save(SITE, "ray", PASSWORD, "--yes") == "Saved.\n"

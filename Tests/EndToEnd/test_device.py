"""`motivator device` against the real server: the tutorial, with commands and as a script."""

import re
from pathlib import Path

import pytest

from support.checking import BAD_INPUT, NO, NO_INPUT, USAGE, command, refused
from support.device import APP, Device, device_of, host
from support.keys import OTHER_APP
from support.people import OTHER, PASSWORD, App
from support.people import refused as refused_by_the_server
from support.server import Server


@pytest.fixture
def device(site: Server, tmp_path: Path) -> Device:
    return device_of(site, tmp_path)


def test_commands_run_the_whole_story(site: Server, device: Device) -> None:
    there = ("--app", APP, "--server", host(site))
    with App(site) as app:
        app.sign_up("Antoine")
        assert "approve 1 of 1 entries" in device.install(host(site))
        assert device.save(host(site), "Antoine", PASSWORD, "--yes") == "Saved.\n"

        told = device.json("app", "log-in", *there, "--yes")
        assert (told["outcome"], told["account"], told["source"]) == ("logged_in", "Antoine", "shared")
        assert [one["source"] for one in told["attempts"]] == ["keychain"], "not from its keychain"
        assert device.json("app", "log-in", *there, "--no")["source"] == "keychain", "not in the keychain"

        text = device("app", "update", *there, "--password-stdin", "--yes", given=OTHER)
        assert text.splitlines()[0] == 'Changed the password of "Antoine".'
        refused_by_the_server(app.sign_in("Antoine"), 401, "wrong_name_or_password")
        assert app.sign_in("Antoine", OTHER).status == 200
        assert device.passwords() == {"Antoine": OTHER}

        assert device.json("app", "sign-out", *there)["outcome"] == "signed_out"
        assert device.state["keychain"] == [], "signing out must empty the app's keychain"
        assert device.passwords() == {"Antoine": OTHER}, "signing out must keep the shared password"
        assert device.json("app", "log-in", *there, "--yes")["source"] == "shared"

        assert device("app", "delete-account", *there, "--yes").splitlines()[0] == "Deleted the account."
        refused_by_the_server(app.sign_in("Antoine", OTHER), 401, "wrong_name_or_password")
        assert device("passwords") == "No password is saved.\n"
        assert device.state["keychain"] == []
        told = device.json("app", "log-in", *there, "--yes", code=NO)
        assert [one["trouble"] for one in told["attempts"]] == ["no password.", "no password.", "declined."]


STORY = """
# The story of the tutorial.
install --app {app} --entitlement webcredentials:{host}
=> says approve 1 of 1
request --app {app} --domain {host} --yes
=> -25300
=> says errSecItemNotFound
app sign-up --app {app} --server {host} --account "Ray {name}" --password-stdin --yes
| {password}
=> ok
=> says Signed up as "Ray {name}".
=> lacks {password}
app sign-out --app {app} --server {host}
app log-in --app {app} --server {host} --yes
=> says with a shared password
app update --app {app} --server {host} --password-stdin --yes
| {other}
=> lacks {other}
app log-in --app {app} --server {host} --account 'Ray {name}' --password-stdin
| {password}
=> says the keychain
app sign-out --app {app} --server {host}
app log-in --app {app} --server {host} --account 'Ray {name}' --password-stdin --no
| {password}
=> 1
=> says Not logged in.
app log-in --app {app} --server {host} --yes
app delete-account --app {app} --server {host} --yes
passwords
=> says No password is saved.
uninstall --app {app}
associations
=> says No installed app
"""


def script(site: Server, name: str) -> str:
    return STORY.format(app=APP, host=host(site), name=name, password=PASSWORD, other=OTHER)


@pytest.mark.parametrize("end", ["\r\n"], ids=["CRLF"])
def test_a_script_runs_the_whole_story(site: Server, device: Device, end: str) -> None:
    text = script(site, f"of {len(end)}").replace("\n", end)
    (device.home / "story.device").write_bytes(text.encode())
    out = device("run", "story.device")
    assert PASSWORD not in out and OTHER not in out
    starts = [line for line in text.splitlines() if re.match(r"[a-z]", line)]
    assert [line.partition("  ")[2] for line in out.splitlines() if line[0] != " "] == starts
    with App(site) as app:
        for password in (PASSWORD, OTHER):
            refused_by_the_server(app.sign_in(f"Ray of {len(end)}", password), 401, "wrong_name_or_password")


def test_a_script_stops_at_the_first_failure_and_keeps_earlier_changes(device: Device) -> None:
    device("autofill", "on")
    text = "autofill off\n=> ok\n\ndeveloper-mode on\n=> says nothing of the kind\nautofill on\n"
    done = device.run("run", "-", given=text)
    assert done.code == NO
    assert "line 5" in done.err and "nothing of the kind" in done.err
    assert done.err.count("\n") == 1
    assert (device.state["autofill"], device.state["developer_mode"]) == (False, True)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("autofill off\nno-such-command\n", 2, id="an unknown command"),
        pytest.param("autofill off\nautofill on --state other.json\n", 2, id="another device"),
    ],
)
def test_a_script_with_a_syntax_error_runs_no_line(device: Device, text: str, line: int) -> None:
    device("developer-mode", "on")
    before = device.file.read_bytes()
    done = device.run("run", "-", given=text)
    refused(done, BAD_INPUT, f"line {line}")
    assert done.err.count("\n") == 1
    assert device.file.read_bytes() == before


def test_a_missing_script_is_named(device: Device) -> None:
    refused(device.run("run", "none.device"), NO_INPUT, "none.device")
    assert not device.file.exists()


def test_an_app_that_is_not_installed_is_named(site: Server, device: Device) -> None:
    for words in (("uninstall",), ("app", "log-in", "--server", host(site))):
        refused(device.run(*words, "--app", OTHER_APP), NO, OTHER_APP, "not installed")
    refused(device.run("uninstall", "--app", "DemoApp"), USAGE, "--app", "DemoApp")


def test_a_password_is_printed_only_when_it_is_generated(site: Server, device: Device) -> None:
    there = ("--app", APP, "--server", host(site))
    said: list[str] = []

    def do(*words: str, given: str = "", code: int = 0) -> str:
        done = device.run(*words, given=given)
        assert done.code == code, done
        said.append(done.text + done.err)
        return done.text

    device.install(host(site))
    do("app", "sign-up", *there, "--account", "Quiet", "--password-stdin", "--yes", given=PASSWORD)
    do("passwords")
    do("request", "--app", APP, "--yes")
    do("save", "--domain", host(site), "--account", "Quiet", "--password-stdin", "--no", given=OTHER, code=NO)
    do(
        "save",
        "--app",
        APP,
        "--domain",
        "elsewhere.test",
        "--account",
        "Quiet",
        "--password-stdin",
        given=OTHER,
        code=NO,
    )
    do("app", "log-in", *there, "--account", "Quiet", "--password-stdin", given=PASSWORD)
    do("associations")
    generated = do("app", "update", *there, "--yes")
    password = re.search(r"^The generated password is (\w{3}-\w{3}-\w{3}-\w{3})$", generated, re.MULTILINE)
    assert password, generated
    do("app", "update", *there, "--password-stdin", "--yes", given=OTHER)
    do("app", "delete-account", *there, "--yes")
    everything = "\n".join(said)
    assert PASSWORD not in everything and OTHER not in everything
    assert everything.count(password[1]) == 1


def test_passwords_are_shown_to_programs(site: Server, device: Device) -> None:
    device.install(host(site))
    device.save(host(site), "Loud", PASSWORD, "--yes")
    name, _, port = host(site).partition(":")
    shown = {"srvr": name, "acct": "Loud", "spwd": PASSWORD, "port": int(port)}
    assert device.json("passwords") == {"credentials": [shown], "prompts": []}
    assert device("passwords") == f'"Loud" at {host(site)}\n'
    choice = {"account": "Loud", "server": name, "port": int(port)}
    text = f"Which password does {APP} get?"
    picker = {"kind": "pick", "text": text, "choices": [choice], "answer": choice}
    picked = {"error": None, "credentials": [shown], "prompts": [picker]}
    assert device.json("request", "--app", APP, "--yes") == picked
    assert device("request", "--app", APP, "--yes") == f'"Loud" at {host(site)}\n'
    cancelled = device.json("request", "--app", APP, "--no", code=NO)
    assert (cancelled["error"]["code"], cancelled["credentials"]) == (-25300, [])
    assert cancelled["prompts"] == [picker | {"answer": "no"}]


def test_a_password_on_standard_input_has_a_limit(device: Device) -> None:
    device.save("example.test", "Long", "x" * 4096, "--yes")
    refused(
        device.run("save", "--domain", "example.test", "--account", "Longer", "--password-stdin", given="x" * 4097),
        BAD_INPUT,
        "standard input",
        "4096",
    )
    assert list(device.passwords()) == ["Long"]


@pytest.mark.parametrize(("given", "password"), [("pass\r\n", "pass"), ("pass\n\n", "pass\n"), (" päss ", " päss ")])
def test_one_line_break_at_the_end_is_not_part_of_a_password(device: Device, given: str, password: str) -> None:
    device.save("example.test", "Ended", given, "--yes")
    assert device.passwords() == {"Ended": password}


def test_a_password_that_is_not_utf_8_is_refused(device: Device) -> None:
    words = ("save", "--domain", "example.test", "--account", "Latin", "--password-stdin", "--yes")
    refused(command(device.home, *device.words(*words), given=b"p\xe4ss"), USAGE, "UTF-8")
    assert device.passwords() == {}

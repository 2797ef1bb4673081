"""`motivator device` against the real server: the tutorial, with commands and as a script."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.checking import BAD_INPUT, NO, NO_INPUT, USAGE, command, refused
from support.device import APP, FIELDS, Device, device_of, host
from support.keys import OTHER_APP
from support.people import OTHER, PASSWORD, App
from support.people import refused as refused_by_the_server
from support.server import Server

MOMENT = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(
        tmp_path_factory.mktemp("device-site"), "--failures-per-address", "1000000", "--sign-ups-per-address", "1000000"
    )
    yield running
    running.stop()


@pytest.fixture
def device(site: Server, tmp_path: Path) -> Device:
    return device_of(site, tmp_path)


def test_the_whole_story_by_commands(site: Server, device: Device) -> None:
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


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_the_whole_story_as_a_script(site: Server, device: Device, end: str) -> None:
    text = script(site, f"of {len(end)}").replace("\n", end)
    (device.home / "story.device").write_bytes(text.encode())
    out = device("run", "story.device")
    assert PASSWORD not in out and OTHER not in out
    starts = [line for line in text.splitlines() if re.match(r"[a-z]", line)]
    assert [line.partition("  ")[2] for line in out.splitlines() if line[0] != " "] == starts
    with App(site) as app:
        for password in (PASSWORD, OTHER):
            refused_by_the_server(app.sign_in(f"Ray of {len(end)}", password), 401, "wrong_name_or_password")


def test_a_script_for_programs_is_one_list_with_an_answer_for_each_command(site: Server, device: Device) -> None:
    text = script(site, "for programs")
    told = device.json("run", "-", given=text)
    lines = text.splitlines()
    assert [one["line"] for one in told] == [at for at, line in enumerate(lines, 1) if re.match(r"[a-z]", line)]
    assert told[1]["answer"]["error"]["code"] == -25300
    assert told[2]["answer"]["outcome"] == "signed_up"


def test_a_script_ends_at_what_is_not_met_and_keeps_what_was_done(device: Device) -> None:
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
        pytest.param("autofill off\nautofill 'on\n", 2, id="an open quote"),
        pytest.param("=> ok\nautofill off\n", 1, id="an expectation before any command"),
        pytest.param("autofill off\n=> maybe\n", 2, id="no expectation"),
        pytest.param("autofill off\nautofill on --state other.json\n", 2, id="another device"),
        pytest.param("autofill off\nrun other.device\n", 2, id="a script in a script"),
    ],
)
def test_a_script_with_a_mistake_does_nothing_at_all(device: Device, text: str, line: int) -> None:
    device("developer-mode", "on")
    before = device.file.read_bytes()
    done = device.run("run", "-", given=text)
    refused(done, BAD_INPUT, f"line {line}")
    assert done.err.count("\n") == 1
    assert device.file.read_bytes() == before


def test_a_script_that_is_not_there_is_named(device: Device) -> None:
    refused(device.run("run", "none.device"), NO_INPUT, "none.device")
    assert not device.file.exists()


def test_associations_are_shown_in_the_shape_of_swcutil(site: Server, device: Device) -> None:
    device.install(host(site), app=APP, options=("--version", "2.1"))
    device.install(host(site), app=OTHER_APP)
    rule, *first, again = (lines := device("associations").splitlines())[: len(FIELDS) + 2]
    assert rule == again == "-" * 60
    assert len(lines) == 2 * (len(FIELDS) + 1)
    second = lines[len(FIELDS) + 2 :]
    shown = [dict(zip(FIELDS, map(value, block), strict=True)) for block in (first, second)]
    for block in (first, second):
        assert [line.partition(":")[0] for line in block] == list(FIELDS)
        assert all(line[len(name) + 1 : 22].strip() == "" for line, name in zip(block, FIELDS, strict=True))
        assert all(line == line.rstrip() for line in block)
    assert shown[0]["Service"] == "webcredentials"
    assert [one["App ID"] for one in shown] == [APP, OTHER_APP]
    assert [one["App Version"] for one in shown] == ["2.1", "1.0"]
    assert [one["Domain"] for one in shown] == [host(site)] * 2
    assert [one["Site/Fmwk Approval"] for one in shown] == ["approved", "denied"]
    assert [one["User Approval"] for one in shown] == ["unspecified"] * 2
    assert [one["Retries"] for one in shown] == ["0", "1"]
    assert shown[0]["Error"] == "" and OTHER_APP in shown[1]["Error"]
    for one in shown:
        assert re.fullmatch(MOMENT, one["Last Checked"]) and re.fullmatch(MOMENT, one["Next Check"])


def value(line: str) -> str:
    return line[22:]


def test_associations_for_programs_say_the_same(site: Server, device: Device) -> None:
    assert device.json("associations") == {"associations": [], "prompts": []}
    assert device("associations") == "No installed app has an associated domain.\n"
    device.install(host(site), app=APP)
    lines = device("associations").splitlines()[1:]
    record = device.record()
    assert list(record) == [
        *("service", "app", "app_version", "domain", "entry", "user_approval", "site_approval"),
        *("last_checked", "next_check", "error", "retries"),
    ]
    assert record["entry"] == f"webcredentials:{host(site)}"
    told = [str(record[key] if record[key] is not None else "") for key in record if key != "entry"]
    assert [re.sub(r" (\d\d:\d\d:\d\d) \+0000$", r"T\1Z", value(line)) for line in lines] == told


def test_an_app_that_is_not_installed_is_named(site: Server, device: Device) -> None:
    for words in (("uninstall",), ("app", "log-in", "--server", host(site))):
        refused(device.run(*words, "--app", OTHER_APP), NO, OTHER_APP, "not installed")
    refused(device.run("uninstall", "--app", "DemoApp"), USAGE, "--app", "DemoApp")


def test_an_entry_that_a_device_drops_in_silence_is_told(site: Server, device: Device) -> None:
    text = device.install(
        host(site), options=("--entitlement", "webcredentials:localhost", "--entitlement", "x:y.test")
    )
    assert "approve 1 of 1 entries" in text
    assert text.count("Devices silently ignore an entry: ") == 2


def test_a_password_is_in_no_text_but_where_it_is_generated(site: Server, device: Device) -> None:
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


@pytest.mark.parametrize(
    ("given", "password"),
    [("pass", "pass"), ("pass\n", "pass"), ("pass\r\n", "pass"), ("pass\n\n", "pass\n"), (" päss ", " päss ")],
)
def test_one_line_end_is_no_part_of_a_password(device: Device, given: str, password: str) -> None:
    device.save("example.test", "Ended", given, "--yes")
    assert device.passwords() == {"Ended": password}


def test_a_password_that_is_not_utf_8_is_not_taken_for_another(device: Device) -> None:
    words = ("save", "--domain", "example.test", "--account", "Latin", "--password-stdin", "--yes")
    refused(command(device.home, *device.words(*words), given=b"p\xe4ss"), USAGE, "UTF-8")
    assert device.passwords() == {}

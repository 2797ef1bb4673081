"""Invalid usage of `association`: a clear sentence and the documented exit code, for any bytes."""

import os
import subprocess
from pathlib import Path

import pytest

from support.checking import BAD_INPUT, CONTROL, NO, NO_INPUT, NOT_PERMITTED, USAGE, YES, association, check, refused
from support.keys import association as plain
from support.server import BINARY, environment
from support.waiting import LIMIT


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "site.json").write_bytes(plain())
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param(("check", "none.json"), NO_INPUT, ("none.json",), id="no such file"),
        pytest.param(("check", "http://example.com/"), USAGE, ("http://example.com/", "https"), id="a plain URL"),
        pytest.param(("check", "site.json", "--app", "DemoApp"), USAGE, ("--app", "DemoApp"), id="no app"),
        pytest.param(("check", "site.json", "--service", "link"), USAGE, ("--service", "applinks"), id="no service"),
        pytest.param(("check", "site.json", "--trust", "site.json"), BAD_INPUT, ("site.json",), id="roots in JSON"),
        pytest.param(("check", "a.test", "--connect-to", "x"), USAGE, ("--connect-to", "HOST:PORT"), id="one part"),
        pytest.param(("verify", "none.der"), NO_INPUT, ("none.der",), id="nothing to verify"),
        pytest.param(("verify", "site.json"), BAD_INPUT, ("site.json", "unsigned JSON"), id="nothing signed"),
    ],
)
def test_bad_usage_is_refused(home: Path, arguments: tuple[str, ...], code: int, words: tuple[str, ...]) -> None:
    done = association(home, *arguments)
    refused(done, code, *words)
    assert len(done.err.splitlines()) <= 14


def test_a_file_that_may_not_be_read_is_not_permitted(home: Path) -> None:
    (home / "site.json").chmod(0)
    # Without these capabilities, file permissions also apply to root.
    limited = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
    refused(association(home, "check", "site.json", through=limited), NOT_PERMITTED, "site.json")


def test_a_hostile_file_name_is_shown_as_escapes(home: Path) -> None:
    name = b"\x1b[31ma\nb:c,d%25.json"
    path = os.path.join(os.fsencode(home), name)
    with open(path, "wb") as file:
        file.write(b"[")
    target = b"./" + name
    for command in (
        ("check",),
        ("check", "--json"),
        ("check", "--format", "github"),
        ("match", "--url", "https://a.b/"),
    ):
        done = association(home, command[0], target, *command[1:])
        assert done.code == (BAD_INPUT if command[0] == "match" else NO), (command, done)
        assert not CONTROL.search(done.text), command
    refused(association(home, "check", target + b".none.json"), NO_INPUT)
    refused(association(home, "verify", target), BAD_INPUT)
    refused(association(home, "check", "site.json", "--app", name), USAGE)


def test_no_argument_controls_a_terminal(home: Path) -> None:
    text = "\x1b[31m\u202e\x9b31m\ra\x07"
    # `association` examines standard error.
    for arguments in (
        ("check", "site.json", f"--{text}"),
        ("check", "site.json", "--timeout", text),
        ("check", "site.json", "--format", text),
        ("check", "site.json", "--at", text),
        ("check", "site.json", "--connect-to", f"{text}:1:a:1:"),
        ("check", f"https://{text}/"),
        ("check", f"{text}.com:x"),
        ("match", "site.json", "--url", f"https://{text}/"),
        ("explain", text),
        (text,),
    ):
        assert association(home, *arguments).code == USAGE, arguments
    # The command treats the second target as a file, which does not exist.
    assert association(home, "check", "site.json", text).code == NO_INPUT


def test_a_pipe_is_read_to_its_end_or_its_limit(home: Path) -> None:
    assert check(home, "-", given=plain(), verdict=YES).document["target"] == "standard input"
    done = association(home, "check", "-", given=b" " * (17 << 20))
    refused(done, BAD_INPUT, "standard input")


def test_a_process_substitution_is_read(home: Path) -> None:
    def asked(command: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["bash", "-c", command, str(BINARY)], cwd=home, env=environment(home), capture_output=True, timeout=LIMIT
        )

    assert asked('"$0" association check <(sleep 0.2; cat site.json)').returncode == YES
    assert asked('"$0" association compare <(cat site.json) <(sleep 0.2; cat site.json)').returncode == YES
    large = asked('"$0" association check <(head -c 17000000 /dev/zero)')
    assert (large.returncode, large.stdout) == (BAD_INPUT, b"")
    refused(association(home, "check", "/dev/zero"), NO_INPUT, "/dev/zero")

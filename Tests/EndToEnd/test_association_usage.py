"""Invalid usage of `association`: a clear sentence and the documented exit code, for any bytes."""

import os
import plistlib
import subprocess
from pathlib import Path

import pytest

from support.checking import (
    BAD_INPUT,
    CONTROL,
    NO,
    NO_INPUT,
    NOT_PERMITTED,
    USAGE,
    YES,
    association,
    check,
    refused,
)
from support.keys import APPS, identity
from support.keys import association as plain
from support.server import BINARY, environment


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "site.json").write_bytes(plain())
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param(("check",), USAGE, ("target",), id="no target"),
        pytest.param(("check", "none.json"), NO_INPUT, ("none.json",), id="no such file"),
        pytest.param(("check", "folder/none"), NO_INPUT, ("folder/none",), id="no such path"),
        pytest.param(("check", "e.com/"), NO_INPUT, ("e.com/", "use https://e.com/"), id="a domain with a slash"),
        pytest.param(("check", "e.com/x"), NO_INPUT, ("use https://e.com/x",), id="a domain with a path"),
        pytest.param(("check", "localhos"), NO_INPUT, ("localhos",), id="neither file nor domain"),
        pytest.param(("check", "."), NO_INPUT, (".",), id="a folder"),
        pytest.param(("check", "http://example.com/"), USAGE, ("http://example.com/", "https"), id="a plain URL"),
        pytest.param(("check", "ftp://example.com/"), USAGE, ("ftp://example.com/",), id="another scheme"),
        pytest.param(("check", "https://"), USAGE, ("https://",), id="a URL without a host"),
        pytest.param(("check", "https://[::1/"), USAGE, ("[::1",), id="a broken address"),
        pytest.param(("check", "https://example.com:0/"), USAGE, ("0",), id="port 0 in a URL"),
        pytest.param(("check", "example.com:99999"), USAGE, ("99999",), id="a port that is none"),
        pytest.param(("check", "exa mple.com"), USAGE, ("exa mple.com",), id="a space in a domain"),
        pytest.param(("check", "https://me:pw@example.com/"), USAGE, ("example.com",), id="user information"),
        pytest.param(("check", "site.json", "--app", "DemoApp"), USAGE, ("--app", "DemoApp"), id="no app"),
        pytest.param(("check", "site.json", "--app", "TEAMID.com.x"), USAGE, ("--app", "TEAMID"), id="a placeholder"),
        pytest.param(("check", "site.json", "--app", ""), USAGE, ("--app",), id="an empty app"),
        pytest.param(("check", "site.json", "--service", "links"), USAGE, ("--service", "applinks"), id="no service"),
        pytest.param(("check", "site.json", "--domain", "a b"), USAGE, ("--domain",), id="no domain"),
        pytest.param(("check", "site.json", "--entitlements", "none.plist"), NO_INPUT, ("none.plist",), id="no list"),
        pytest.param(
            ("check", "site.json", "--entitlements", "site.json"), BAD_INPUT, ("site.json",), id="a list that is JSON"
        ),
        pytest.param(("check", "site.json", "--trust", "none.pem"), NO_INPUT, ("none.pem",), id="no roots"),
        pytest.param(
            ("check", "site.json", "--trust", "site.json"), BAD_INPUT, ("site.json",), id="roots that are JSON"
        ),
        pytest.param(("check", "site.json", "--at", "2015-02-30"), USAGE, ("--at",), id="no date"),
        pytest.param(("check", "site.json", "--at", "yesterday"), USAGE, ("--at",), id="a word for a date"),
        pytest.param(("check", "site.json", "--timeout", "0"), USAGE, ("--timeout", "600"), id="no time"),
        pytest.param(("check", "site.json", "--timeout", "601"), USAGE, ("--timeout", "600"), id="too much time"),
        pytest.param(("check", "site.json", "--timeout", "-1"), USAGE, ("--timeout",), id="negative time"),
        pytest.param(("check", "site.json", "--timeout", "9" * 30), USAGE, ("--timeout",), id="time without end"),
        pytest.param(("check", "a.test", "--connect-to", "x"), USAGE, ("--connect-to", "HOST:PORT"), id="one part"),
        pytest.param(
            ("check", "a.test", "--connect-to", "a.test:443:127.0.0.1:0"), USAGE, ("--connect-to", "0"), id="to port 0"
        ),
        pytest.param(
            ("check", "a.test", "--connect-to", "a.test:443:[::1:443"), USAGE, ("--connect-to", "[::1]"), id="brackets"
        ),
        pytest.param(("check", "site.json", "--unknown"), USAGE, ("--unknown",), id="an unknown option"),
        pytest.param(("check", "site.json", "other.json"), NO_INPUT, ("other.json",), id="a second target"),
        pytest.param(("verify", "none.der"), NO_INPUT, ("none.der",), id="nothing to verify"),
        pytest.param(("verify", "site.json"), BAD_INPUT, ("site.json", "unsigned JSON"), id="nothing signed"),
        pytest.param(("verify", "site.json", "--at", "x"), USAGE, ("--at",), id="no date to verify at"),
        pytest.param(("frobnicate",), USAGE, ("frobnicate",), id="an unknown command"),
    ],
)
def test_bad_usage_is_refused(home: Path, arguments: tuple[str, ...], code: int, words: tuple[str, ...]) -> None:
    done = association(home, *arguments)
    refused(done, code, *words)
    assert len(done.err.splitlines()) <= 12


@pytest.mark.parametrize("target", ["http://example.com", "ftp://example.com/", "https://", "example.com:99999"])
def test_a_value_stands_once_in_a_message(home: Path, target: str) -> None:
    done = association(home, "check", target)
    refused(done, USAGE, target)
    # The fix contains a separate example.
    assert done.err.split(". ")[0].count(target) == 1, done.err


def test_a_file_that_may_not_be_read_is_not_permitted(home: Path) -> None:
    (home / "site.json").chmod(0)
    # Without these capabilities, file permissions also apply to root.
    limited = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
    refused(association(home, "check", "site.json", through=limited), NOT_PERMITTED, "site.json")


@pytest.mark.parametrize(
    "entry",
    [
        "",
        ":",
        "webcredentials:",
        "a" * 100_000,
        "webcredentials:\x1b[31m.com",
        "webcredentials:a.com\nx",
        "{}",
        "\u202e:x.com",
    ],
    ids=repr,
)
def test_an_entry_that_a_device_drops_is_a_finding(home: Path, entry: str) -> None:
    report = check(home, "site.json", "--entitlement", entry[:90_000], verdict=NO)
    assert len(report.codes_of("entitlement")) >= 1
    text = association(home, "check", "site.json", "--entitlement", entry[:90_000])
    assert text.code == NO
    assert not CONTROL.search(text.text)


@pytest.mark.parametrize(
    ("value", "codes"),
    [
        pytest.param({}, {"entitlement-list"}, id="no key"),
        pytest.param({"com.apple.developer.associated-domains": []}, {"entitlement-list"}, id="no entry"),
        pytest.param(
            {"com.apple.developer.associated-domain": ["webcredentials:a.com"]}, {"entitlement-list"}, id="a slip"
        ),
        pytest.param(
            {"com.apple.developer.associated-domains": "webcredentials:a.com"}, {"entitlement-list"}, id="a string"
        ),
        pytest.param({"com.apple.developer.associated-domains": [7]}, {"entitlement-list"}, id="a number"),
        pytest.param({"com.apple.developer.associated-domains": ["webcredentials:a.com"]}, set(), id="right"),
    ],
)
def test_the_list_of_an_app_is_judged(home: Path, value: object, codes: set[str]) -> None:
    (home / "app.entitlements").write_bytes(plistlib.dumps(value))
    # An app without an entry has no associated domain, regardless of the file.
    report = check(home, "site.json", "--entitlements", "app.entitlements", verdict=NO if codes else YES)
    assert report.codes_of("entitlement") == codes


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"bplist00",
        b"bplist00" + b"\xff" * 100,
        b"<plist>",
        b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'b'>]><plist><dict/></plist>",
        b"<plist><dict><key>\x1b[31m</key></dict></plist>",
        b"<plist>" + b"<array>" * 5000,
        b"\x1b[2J\x07",
    ],
    ids=lambda content: repr(content[:30]),
)
def test_a_list_that_is_none_is_bad_input(home: Path, content: bytes) -> None:
    (home / "app.entitlements").write_bytes(content)
    refused(
        association(home, "check", "site.json", "--entitlements", "app.entitlements"), BAD_INPUT, "app.entitlements"
    )


NAMES = [
    b"\x1b[31mred.json",
    b"a\nb.json",
    b"a\r::error::b.json",
    "\u202egnp.json".encode(),
    b"-.json",
    b"'; rm -rf x;'.json",
    b'".json',
    b"$(x).json",
    b"a:b,c%25.json",
]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_a_hostile_file_name_is_shown_as_escapes(home: Path, name: bytes) -> None:
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
    refused(association(home, "check", "site.json", "--app", name.replace(b"\0", b"")), USAGE)


def test_a_file_name_that_is_no_utf_8_is_told_as_not_there(home: Path) -> None:
    # Swift's arguments are text. A name that is not UTF-8 cannot be an argument, but its file can be standard input.
    with open(os.path.join(os.fsencode(home), b"\xff\xfe.json"), "wb") as file:
        file.write(plain())
    refused(association(home, "check", b"\xff\xfe.json"), NO_INPUT)


@pytest.mark.parametrize("text", ["\x1b[31m", "\u202e", "\x9b31m", "a\rb", "\x07"], ids=repr)
def test_no_argument_commands_a_terminal(home: Path, text: str) -> None:
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


def test_a_root_that_is_a_leaf_is_still_only_what_it_is(home: Path) -> None:
    certificate, _ = identity(home, "own.test")
    check(home, "site.json", "--trust", str(certificate), verdict=YES)


def test_a_pipe_is_read_to_its_end_and_no_further_than_the_bound(home: Path) -> None:
    assert check(home, "-", given=plain(), verdict=YES).document["target"] == "standard input"
    done = association(home, "check", "-", given=b" " * (17 << 20))
    refused(done, BAD_INPUT, "standard input")


def test_what_a_shell_puts_in_the_place_of_a_command_is_read(home: Path) -> None:
    def asked(command: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["bash", "-c", command, str(BINARY)], cwd=home, env=environment(home), capture_output=True, timeout=30
        )

    assert asked('"$0" association check <(sleep 0.2; cat site.json)').returncode == YES
    assert asked('"$0" association compare <(cat site.json) <(sleep 0.2; cat site.json)').returncode == YES
    large = asked('"$0" association check <(head -c 17000000 /dev/zero)')
    assert (large.returncode, large.stdout) == (BAD_INPUT, b"")
    refused(association(home, "check", "/dev/zero"), NO_INPUT, "/dev/zero")


def test_each_command_shows_an_example(home: Path) -> None:
    for command in ("check", "match", "verify", "compare", "explain", "sign"):
        done = association(home, command, "--help")
        assert done.code == YES
        assert f"motivator association {command}" in " ".join(done.text.split())
        assert APPS[0] not in done.text or command == "check"

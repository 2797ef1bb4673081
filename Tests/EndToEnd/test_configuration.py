"""The configuration file, environment variables and flags: precedence, `motivator config`, errors and reloads."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.fixtures import Start
from support.server import BINARY, Server, environment, run
from support.waiting import LIMIT
from support.wire import NAME

WELL_KNOWN = "/.well-known/apple-app-site-association"
NO_INPUT, CONFIGURATION = 66, 78
APP, OTHER = "A1B2C3D4E5.com.example.App", "A1B2C3D4E5.com.example.Other"


def settings(home: Path, *arguments: str, **variables: str) -> dict[str, Any]:
    """Returns the settings that `motivator config --json` prints, by name."""
    done = subprocess.run(
        [BINARY, "config", "--json", *arguments],
        cwd=home,
        env={**environment(home), **variables},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    return {setting["name"]: setting for setting in document["settings"]}


def test_each_value_is_shown_with_its_origin(tmp_path: Path) -> None:
    (tmp_path / "motivator.json").write_text('{"port": 1001, "plain-port": 1002, "log-file": "a.log", "echo": true}')
    shown = settings(tmp_path, "--plain-port", "1003", MOTIVATOR_LOG_FILE="b.log", MOTIVATOR_PLAIN_PORT="1004")
    assert shown["port"] == {"name": "port", "value": "1001", "origin": {"kind": "file", "path": "motivator.json"}}
    assert shown["plain-port"] == {"name": "plain-port", "value": "1003", "origin": {"kind": "flag"}}
    variable = {"kind": "environment", "variable": "MOTIVATOR_LOG_FILE"}
    assert shown["log-file"] == {"name": "log-file", "value": "b.log", "origin": variable}
    assert shown["echo"]["value"] is True
    assert shown["admin"] == {"name": "admin", "value": "127.0.0.1:8081", "origin": {"kind": "default"}}

    outcome = run(tmp_path, "config")
    assert outcome.code == 0, outcome.err
    lines = {line.split()[0]: line.split() for line in outcome.out.splitlines()}
    assert lines["port"] == ["port", "1001", "motivator.json"]
    assert lines["admin"] == ["admin", "127.0.0.1:8081", "default"]


def test_the_output_is_valid_as_a_file(tmp_path: Path) -> None:
    first = settings(tmp_path, "--site", "a.test=a", "--hsts", "60")
    values = {name: setting["value"] for name, setting in first.items() if setting["value"] not in (None, [])}
    (tmp_path / "motivator.json").write_text(json.dumps(values))
    second = settings(tmp_path)
    assert {name: setting["value"] for name, setting in second.items()} == {
        name: setting["value"] for name, setting in first.items()
    }


@pytest.mark.parametrize(("text", "parts"), [('{"prot": 1}', ["line 1, column 2", '"prot"'])])
@pytest.mark.parametrize("command", ["serve", "config"])
def test_a_file_that_is_not_valid_is_refused(tmp_path: Path, command: str, text: str, parts: list[str]) -> None:
    (tmp_path / "motivator.json").write_text(text)
    outcome = run(tmp_path, command)
    assert outcome.code == CONFIGURATION, outcome.err
    assert len(outcome.err.splitlines()) == 1
    for part in ["motivator.json", *parts]:
        assert part in outcome.err


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    assert run(tmp_path, "config").code == 0
    outcome = run(tmp_path, "serve", "--config", "missing.json")
    assert outcome.code == NO_INPUT
    assert "missing.json" in outcome.err


@pytest.mark.parametrize("command", ["serve", "config"])
def test_a_file_that_others_can_change_is_used_only_if_it_is_named(tmp_path: Path, command: str) -> None:
    file = tmp_path / "motivator.json"
    file.write_text('{"port": 1001}')
    file.chmod(0o666)
    outcome = run(tmp_path, command)
    assert outcome.code == CONFIGURATION, outcome.err
    assert 'other users can change "motivator.json"' in outcome.err and "chmod go-w" in outcome.err
    assert settings(tmp_path, "--config", "motivator.json")["port"]["value"] == "1001"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "motivator.json"
    file.write_text('{"port": 1001}')
    os.chown(file, 12345, 12345)
    outcome = run(tmp_path, "config")
    assert outcome.code == CONFIGURATION, outcome.err
    assert "another user (ID 12345)" in outcome.err


def test_the_ready_message_names_the_file(start: Start, tmp_path: Path) -> None:
    assert start().ready["configuration"] is None
    file = tmp_path / "options.json"
    file.write_text("{}")
    assert start("--config", str(file)).ready["configuration"] == str(file)


def test_no_output_shows_the_password_of_a_url(tmp_path: Path) -> None:
    (tmp_path / "motivator.json").write_text('{"public": "postgres://user:canary@db.example/x"}')
    for arguments in (["config"], ["config", "--json"]):
        outcome = run(tmp_path, *arguments)
        assert outcome.code == 0
        assert "user:***@db.example" in outcome.out
        assert "canary" not in outcome.out + outcome.err


def apps(server: Server) -> list[str]:
    with server.connect() as wire:
        return json.loads(wire.ask(WELL_KNOWN).content)["webcredentials"]["apps"]


def test_a_reload_changes_what_it_can_and_names_what_it_cannot(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "options.json"
    file.write_text(json.dumps({"app": [APP], "echo": True, "drain": 5}))
    server = start("--config", str(file))
    assert apps(server) == [APP]

    with server.connect() as wire:
        assert wire.ask("/echo").status == 200
        before = len(server.err.lines)
        file.write_text(json.dumps({"app": [APP, OTHER], "drain": 6}))
        server.signal(signal.SIGHUP)
        line = server.err.wait_for(lambda line: "after a restart" in line, since=before)
        assert line.rstrip('"').endswith("restart: drain")
        server.err.wait_for(lambda line: "reloaded" in line, since=before)
        assert wire.ask("/echo").status == 404
        assert wire.ask(WELL_KNOWN).status == 200
    assert apps(server) == [APP, OTHER]


def test_variables_configure_the_server(start: Start) -> None:
    server = start(variables={"MOTIVATOR_APP": f"{APP},{OTHER}", "MOTIVATOR_ECHO": "true"})
    assert apps(server) == [APP, OTHER]
    with server.connect() as wire:
        assert wire.ask("/echo", host=NAME).status == 200


def test_a_reload_of_an_invalid_file_keeps_the_old_configuration(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "options.json"
    file.write_text(json.dumps({"app": [APP]}))
    server = start("--config", str(file))
    for text, reason in [('{"app": ["Nonsense"]}', "Nonsense"), ('{"prot": 1}', "prot"), ("{", "file ends")]:
        before = len(server.err.lines)
        file.write_text(text)
        server.signal(signal.SIGHUP)
        line = server.err.wait_for(lambda line: "could not reload" in line, since=before)
        assert reason in line
        assert apps(server) == [APP]
    file.write_text(json.dumps({"app": [OTHER]}))
    server.signal(signal.SIGHUP)
    server.err.wait_for(lambda line: "reloaded" in line, since=before)
    assert apps(server) == [OTHER]

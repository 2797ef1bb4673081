"""The configuration over the wire: `motivator config`, errors and reloads. `ConfigurationTests` has all rules."""

import json
import signal
from pathlib import Path

import pytest

from support.checking import command
from support.fixtures import Start
from support.server import Server, run
from support.wire import NAME

WELL_KNOWN = "/.well-known/apple-app-site-association"
NO_INPUT, CONFIGURATION = 66, 78
APP, OTHER = "A1B2C3D4E5.com.example.App", "A1B2C3D4E5.com.example.Other"


def test_each_value_is_shown_with_its_origin(tmp_path: Path) -> None:
    (tmp_path / "motivator.json").write_text('{"port": 1001, "plain-port": 1002, "log-file": "a.log", "echo": true}')
    variables = {"MOTIVATOR_LOG_FILE": "b.log", "MOTIVATOR_PLAIN_PORT": "1004"}
    done = command(tmp_path, "config", "--json", "--plain-port", "1003", variables=variables)
    shown = {setting["name"]: setting for setting in json.loads(done.out)["settings"]}
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


@pytest.mark.parametrize("name", ["serve", "config"])
def test_a_file_that_is_not_valid_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "motivator.json"
    file.write_text('{"prot": 1}')
    outcome = run(tmp_path, name)
    assert (outcome.code, outcome.err.count("\n")) == (CONFIGURATION, 1), outcome.err
    assert "motivator.json" in outcome.err and 'line 1, column 2: unknown key "prot"' in outcome.err
    file.chmod(0o666)
    outcome = run(tmp_path, name)
    assert (outcome.code, "chmod go-w" in outcome.err) == (CONFIGURATION, True), outcome.err


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    outcome = run(tmp_path, "serve", "--config", "missing.json")
    assert (outcome.code, "missing.json" in outcome.err) == (NO_INPUT, True), outcome.err


def apps(server: Server) -> list[str]:
    with server.connect() as wire:
        return json.loads(wire.ask(WELL_KNOWN).content)["webcredentials"]["apps"]


def test_a_reload_changes_what_it_can_and_names_what_it_cannot(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "options.json"
    file.write_text(json.dumps({"app": [APP], "echo": True, "drain": 5}))
    server = start("--config", str(file))
    assert server.ready["configuration"] == str(file)
    assert apps(server) == [APP]
    with server.connect() as wire:
        assert wire.ask("/echo").status == 200
        before = len(server.err.lines)
        file.write_text(json.dumps({"app": [APP, OTHER], "drain": 6, "domain": [NAME, "mountains.test"]}))
        server.signal(signal.SIGHUP)
        line = server.err.wait_for(lambda line: "after a restart" in line, since=before)
        assert line.rstrip('"').endswith("restart: drain")
        server.err.wait_for(lambda line: "reloaded" in line, since=before)
        assert wire.ask("/echo").status == 404
        assert wire.ask(WELL_KNOWN).status == 200
    assert b"site_name" in server.curl("/api/signup", "--json", '{"username": "Ada", "password": "mountains1"}').stdout
    assert apps(server) == [APP, OTHER]


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

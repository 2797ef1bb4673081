"""`doctor` finds the causes that prevent the server from working, explains the fixes, and changes nothing."""

import json
import re
import shutil
import socket
import sys
import zlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from support.authorities import Maker
from support.server import BINARY, Server, free_port
from support.stores import Done, Machine, make, make_with_system_stores, run, tree

NAME = "doctor.example.test"


def ports() -> tuple[str, ...]:
    """Returns options with unused ports."""
    return ("--port", str(free_port()), "--plain-port", "0", "--admin", f"127.0.0.1:{free_port()}")


def doctor(machine: Machine, *options: str | Path) -> Done:
    words = [*options, *(() if "--port" in options else ports())]
    return machine.motivator("doctor", "--certificates", "certs", "--database", "data/motivator.sqlite", *words)


def checks(machine: Machine, group: str, *options: str | Path, refusal: int = 1) -> dict[str, dict[str, Any]]:
    """Checks the whole document, and returns the checks of a group by subject.

    `refusal` is the exit code if there is a problem.
    """
    done = doctor(machine, "--json", *options)
    document = json.loads(done.out)
    statuses = {one["status"] for one in document["checks"]}
    assert statuses <= {"ok", "warning", "problem"}
    assert (done.code, document["ok"]) == ((refusal, False) if "problem" in statuses else (0, True)), done.err
    for one in document["checks"]:
        assert one["message"].endswith(".")
        assert bool(one["fix"]) == (one["status"] != "ok"), one
    return {one["subject"]: one for one in document["checks"] if one["group"] == group}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return make(tmp_path / "home")


# Ports


def test_a_free_port_is_fine_and_a_used_port_is_a_problem(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = used.getsockname()[1]
        found = checks(machine, "ports", "--port", str(port), "--plain-port", str(free_port()), "--admin", "off")
        problem = found[f"HTTPS 127.0.0.1:{port}"]
        assert problem["status"] == "problem"
        assert problem["message"] == f"Another process uses 127.0.0.1:{port}."
        assert "--port" in problem["fix"] and str(port) in problem["fix"]
        assert [one["status"] for name, one in found.items() if name.startswith("HTTP ")] == ["ok"] * (len(found) // 2)
    assert checks(machine, "ports", "--port", str(port))[f"HTTPS 127.0.0.1:{port}"]["status"] == "ok"


def test_a_running_server_is_not_a_problem(server: Server, machine: Machine) -> None:
    address = f"127.0.0.1:{server.admin_port}"
    options = ("--host", "127.0.0.1", "--port", str(server.port), "--plain-port", "0", "--admin", address)
    done = machine.run(BINARY, "doctor", "--json", "--certificates", "certs", *options)
    found = {one["subject"]: one for one in done.json["checks"] if one["group"] == "ports"}
    assert [one["status"] for one in found.values()] == ["ok", "ok"]
    assert all("a running motivator" in one["message"] for one in found.values())


def test_an_address_of_another_machine_is_a_problem(machine: Machine) -> None:
    found = checks(machine, "ports", "--host", "192.0.2.1", *ports())
    (one,) = [one for name, one in found.items() if "192.0.2.1" in name]
    assert one["status"] == "problem"
    assert "this machine has no address" in one["message"].lower()


# Names


def test_a_name_that_does_not_resolve_needs_the_line_in_the_hosts_file(machine: Machine, tmp_path: Path) -> None:
    found = checks(machine, "names", "--domain", NAME, "--domain", f"b.{NAME}")
    line = found[NAME]["line"]
    assert line == f"127.0.0.1 {NAME} b.{NAME}"
    assert (found[NAME]["status"], found["localhost"]["status"]) == ("problem", "ok")

    hosts = tmp_path / "hosts"
    hosts.write_text(Path("/etc/hosts").read_text() + f"\n{line}\n")
    fixed = Machine(machine.home, ((hosts, Path("/etc/hosts")),))
    found = checks(fixed, "names", "--domain", NAME, "--domain", f"b.{NAME}")
    assert {one["status"] for one in found.values()} == {"ok"}

    hosts.write_text(Path("/etc/hosts").read_text() + f"\n192.0.2.1 {NAME} www.example.com\n")
    found = checks(fixed, "names", "--domain", NAME, "--domain", "www.example.com")
    assert (found[NAME]["status"], found["www.example.com"]["status"]) == ("problem", "warning")
    assert "192.0.2.1" in found[NAME]["message"]


# Trust


def test_an_untrusting_database_is_a_problem_until_its_line_is_run(machine: Machine) -> None:
    machine.database(".pki/nssdb")
    problem = checks(machine, "trust")["NSS"]
    assert problem["status"] == "problem"
    command = problem["line"].replace("motivator", str(BINARY), 1)
    assert machine.run("sh", "-c", command).code == 0
    assert checks(machine, "trust")["NSS"]["status"] == "ok"


def test_a_new_installation_has_no_problem(tmp_path: Path) -> None:
    empty = Machine(tmp_path)
    for group in ("trust", "clock", "files", "database", "versions"):
        assert {one["status"] for one in checks(empty, group).values()} == {"ok"}
    assert not list(tmp_path.iterdir())


def test_on_a_machine_without_a_problem_the_exit_code_is_0(tmp_path: Path) -> None:
    system = make_with_system_stores(tmp_path)
    hosts = tmp_path / "hosts"
    hosts.write_text(f"127.0.0.1 localhost {NAME}\n")
    machine = Machine(system.home, (*system.binds, (hosts, Path("/etc/hosts"))))
    problem = checks(machine, "trust", "--domain", NAME)["system"]
    assert problem["status"] == "problem"
    command = problem["line"].removeprefix("sudo ").replace("motivator", str(BINARY), 1)
    assert machine.run("sh", "-c", command).code == 0
    before = tree(machine.home)
    done = doctor(machine, "--domain", NAME)
    assert (done.code, done.err) == (0, ""), done.out
    assert done.out.endswith("\nNo problems found.\n")
    assert tree(machine.home) == before


# Clock


@pytest.mark.parametrize(
    ("start", "days", "subject", "status", "words"),
    [
        (timedelta(days=2), 90, "clock", "problem", "before the CA was created"),
        (timedelta(days=-90), 100, "root", "warning", "expires on"),
    ],
)
def test_the_clock_is_compared_with_the_root(
    tmp_path: Path, start: timedelta, days: int, subject: str, status: str, words: str
) -> None:
    maker = tmp_path / "maker"
    maker.mkdir()
    root = Maker(maker).make("Root", None, "basicConstraints=critical,CA:TRUE", start=start, days=days)
    (tmp_path / "home/certs").mkdir(parents=True)
    shutil.copy(root.certificate, tmp_path / "home/certs/authority.pem")
    found = checks(Machine(tmp_path / "home"), "clock")[subject]
    assert found["status"] == status
    assert words in found["message"].lower().replace(" ca ", " CA ")


FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))


def test_a_clock_before_the_release_of_the_program_is_a_problem(tmp_path: Path) -> None:
    # libfaketime moves the environment in the first process that loads the library. A Swift program would then not
    # find its arguments.
    first = (sys.executable, "-c", "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))")
    variables = {"LD_PRELOAD": str(FAKETIME[0]), "FAKETIME": "@2020-01-01 00:00:00"}
    words = ("doctor", "--json", "--certificates", "certs", *ports())
    done = Machine(tmp_path).run(*first, BINARY, *words, variables=variables)
    (found,) = [one for one in done.json["checks"] if one["subject"] == "clock"]
    assert (done.code, found["status"]) == (1, "problem")
    assert "2020-01-01T00:00:" in found["message"]


# Files and the database


@pytest.mark.parametrize(
    ("name", "mode", "words", "group", "code"),
    [
        ("certs/authority.key", 0o640, "can be read by other users", "files", 1),
        ("certs/intermediate.pem", 0o622, "other users can write to", "files", 1),
        ("certs", 0o775, "other users can write to", "files", 1),
        ("data/motivator.sqlite", 0o644, "can be read by other users of this machine", "database", 77),
    ],
)
def test_a_file_that_others_can_use_is_a_problem_until_its_fix_is_run(
    machine: Machine, name: str, mode: int, words: str, group: str, code: int
) -> None:
    (machine.home / "data").mkdir()
    (machine.home / "data/motivator.sqlite").touch(0o600)
    assert {one["status"] for one in checks(machine, group).values()} == {"ok"}
    (machine.home / name).chmod(mode)
    (problem,) = [one for one in checks(machine, group, refusal=code).values() if one["status"] == "problem"]
    assert words in problem["message"].lower()
    command = re.search(r"chmod .*[^.]", problem["fix"])
    assert command
    assert machine.run("sh", "-c", command[0]).code == 0
    assert {one["status"] for one in checks(machine, group).values()} == {"ok"}


def test_a_database_that_the_program_does_not_support_has_the_exit_code_of_serve(machine: Machine) -> None:
    url = "postgres://user:canary@127.0.0.1:1/accounts"
    words = ("--certificates", "certs", "--database", url, *ports())
    done = machine.motivator("doctor", "--json", *words)
    (found,) = [one for one in done.json["checks"] if one["group"] == "database"]
    served = machine.motivator("serve", *words)
    assert (done.code, found["status"]) == (served.code, "problem") == (64, "problem")
    for text in (found["message"] + found["fix"], served.err):
        assert "user:***@127.0.0.1:1/accounts" in text and "--traits PostgreSQL" in text
    assert "canary" not in done.out + done.err + served.err


# Versions and output


def test_the_versions_are_those_of_the_libraries(machine: Machine) -> None:
    found = checks(machine, "versions")
    openssl = run(["openssl", "version"], machine.home).out.split()[1]
    assert found["OpenSSL"]["message"] == f"{openssl}."
    assert found["zlib"]["message"] == f"{zlib.ZLIB_RUNTIME_VERSION}."
    assert re.fullmatch(r"3\.\d+\.\d+\.", found["SQLite"]["message"])
    version = run([BINARY, "--version"], machine.home).out.split()[1]
    assert found["motivator"]["message"].startswith(f"{version}, ")


def test_the_text_is_aligned_and_each_line_to_copy_is_whole(machine: Machine) -> None:
    done = doctor(machine, "--domain", NAME)
    assert (done.code, done.err) == (1, "")
    rows = [line for line in done.out.splitlines() if line.startswith(("ok ", "problem ", "warning "))]
    starts = {re.match(r"\w+ +(\S.*?)  +", row).end() for row in rows}
    assert len(starts) == 1, rows
    assert f"\n{' ' * (starts.pop() + 2)}127.0.0.1 {NAME}\n" in done.out
    assert re.search(r"\n\d+ problems? must be fixed\.\n$", done.out)


def test_a_malformed_option_is_a_usage_error(machine: Machine) -> None:
    for options in (("--host", "name"), ("--domain", "not a name"), ("--port", "70000"), ("--app", "x")):
        done = run([BINARY, "doctor", *options], machine.home)
        assert done.code == 64, options

"""`certificate trust`: real trust stores, in copies that only the test can see."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.keys import openssl
from support.page import Page
from support.server import BINARY, Server, environment, run
from support.stores import LOCAL, Machine, make, make_with_system_stores, tree

java = pytest.mark.skipif(shutil.which("keytool") is None, reason="scripts/setup full installs Java")
CHROMIUM, FIREFOX = ".pki/nssdb", ".mozilla/firefox/abc.default"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return make(tmp_path / "home")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    yield make_with_system_stores(tmp_path_factory.mktemp("system"))


# Errors


@pytest.mark.parametrize("words", [("profile",), ("trust", "--print"), ("trust", "--install"), ("trust", "--remove")])
def test_without_a_ca_the_error_names_the_option(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run(tmp_path, "certificate", *words)
    assert (done.code, done.out) == (66, "")
    assert "Specify the folder of your CA with --certificates" in done.err
    assert not list(tmp_path.iterdir())


def test_a_root_that_other_users_can_replace_is_refused(machine: Machine) -> None:
    machine.root.chmod(0o666)
    done = machine.trust("--install")
    assert done.code == 77
    assert "other users can write to" in done.err


def test_a_missing_tool_is_reported_with_what_to_install(machine: Machine) -> None:
    machine.home.joinpath(CHROMIUM).mkdir(parents=True)
    machine.home.joinpath(CHROMIUM, "cert9.db").touch()
    done = machine.trust("--install", "--store", "nss", "--store", "java", variables={"PATH": "/nonexistent"})
    assert done.code == 69
    nss, java = done.json["stores"]
    assert (nss["result"], java["result"]) == ("unavailable", "unavailable")
    assert nss["line"] == "sudo apt-get install libnss3-tools"
    assert java["line"] == "sudo apt-get install default-jre-headless"


# The commands


def test_remove_undoes_the_linux_steps_of_the_first_page(machine: Machine) -> None:
    server = Server(machine.home, plain=True)
    with server.connect_plain() as wire:
        steps = Page.of(wire.ask("/?platform=linux").content)
        (machine.home / "authority.pem").write_bytes(wire.ask("/authority.pem").content)
    server.stop()
    command = next(pre.text for pre in steps.all("pre") if "certutil" in pre.text)
    done = subprocess.run(["sh", "-c", command], cwd=machine.home, env=environment(machine.home), capture_output=True)
    assert done.returncode == 0, done.stderr
    for result in ("removed", "not-installed"):
        assert machine.trust("--remove", "--store", "nss").results("nss") == [result]


def test_the_commands_are_printed_for_every_system_and_change_nothing(machine: Machine) -> None:
    before = tree(machine.home)
    done = machine.motivator("certificate", "trust", "--certificates", "certs")
    assert (done.code, done.err) == (0, "")
    assert subprocess.run(["sh", "-n"], input=done.out, text=True, check=False).returncode == 0
    titles = "\n".join(line for line in done.out.splitlines() if line.startswith("#"))
    systems = (
        "macOS",
        "iOS Simulator",
        "iPhone",
        "Debian",
        "Fedora",
        "Chromium",
        "Firefox",
        "Java",
        "Node.js",
        "Python",
    )
    for system in (*systems, "Go"):
        assert f"# {system}" in titles
    assert done.out.count(str(machine.root)) >= 9
    assert machine.motivator("certificate", "trust", "--print", "--certificates", "certs").out == done.out
    document = machine.trust("--print").json
    assert [system["name"] for system in document["systems"]] == [
        block.splitlines()[0].removeprefix("# ") for block in done.out.split("\n\n")
    ]
    digest = openssl("x509", "-in", machine.root, "-noout", "-fingerprint", "-sha256").decode().strip()
    assert document["root"]["sha256"] == digest.partition("=")[2]
    assert tree(machine.home) == before


def printed(machine: Machine, name: str) -> str:
    """Returns the printed commands for a system, without sudo."""
    (system,) = [one for one in machine.trust("--print").json["systems"] if name in one["name"]]
    return "\n".join(system["commands"]).replace("sudo ", "")


@pytest.mark.parametrize(("name", "folder"), [("Chromium", CHROMIUM), ("Firefox", FIREFOX)])
def test_the_printed_commands_do_what_install_does(machine: Machine, name: str, folder: str) -> None:
    database = machine.database(folder)
    before = machine.listed(database)
    done = machine.run("sh", "-ec", printed(machine, name))
    assert done.code == 0, done.err
    assert machine.trust("--install", "--store", "nss").results("nss") == ["already-installed"]
    assert machine.trust("--remove", "--store", "nss").results("nss") == ["removed"]
    assert machine.listed(database) == before


URL = "https://localhost:$PORT/"
CLIENTS = {
    "Python": [sys.executable, "-c", "import os, urllib.request as r; r.urlopen(os.path.expandvars('URL'))"],
    "Node.js": ["node", "-e", "fetch('URL'.replace('$PORT', process.env.PORT)).catch(() => process.exit(1))"],
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_program_trusts_the_server_with_its_printed_commands(server: Server, tmp_path: Path, name: str) -> None:
    client = [word.replace("URL", URL) for word in CLIENTS[name]]
    if not shutil.which(client[0]):
        pytest.skip(f"{name} is not installed")
    machine = Machine(tmp_path)
    (system,) = [
        one
        for one in machine.motivator(
            *("certificate", "trust", "--print", "--json", "--certificates", server.certificates)
        ).json["systems"]
        if one["name"] == name
    ]
    variables = {"PORT": str(server.port)}
    assert machine.run(*client, variables=variables).code != 0
    script = "\n".join([*system["commands"], 'exec "$@"'])
    done = machine.run("sh", "-ec", script, "sh", *client, variables=variables)
    assert done.code == 0, done.err


# NSS


def test_nss_each_database_gets_the_root_once_and_loses_it_again(machine: Machine) -> None:
    databases = [machine.database(CHROMIUM), machine.database(FIREFOX)]
    # A root with the same subject. The command must not remove it.
    assert machine.motivator("certificate", "authority", "--certificates", "others").code == 0
    other = ["certutil", "-A", "-t", "C,,", "-n", "Another root", "-i", "others/authority.pem"]
    assert machine.run(*other, "-d", f"sql:{databases[0]}").code == 0
    before = [machine.listed(database) for database in databases]

    first = machine.trust("--install", "--store", "nss")
    assert (first.code, first.results("nss")) == (0, ["installed", "installed"])
    assert [one["location"] for one in first.json["stores"]] == list(map(str, databases))
    for database in databases:
        (line,) = [line for line in machine.listed(database).splitlines() if line.startswith("motivator-")]
        assert line.split()[-1] == "C,,"
        leaf = machine.run("certutil", "-V", "-u", "L", "-n", line.split()[0], "-d", f"sql:{database}")
        assert leaf.code == 0, leaf.err

    assert machine.trust("--install", "--store", "nss").results("nss") == ["already-installed"] * 2
    assert machine.trust("--remove", "--store", "nss").results("nss") == ["removed"] * 2
    assert [machine.listed(database) for database in databases] == before
    again = machine.trust("--remove", "--store", "nss")
    assert (again.code, again.results("nss")) == (0, ["not-installed"] * 2)


def test_nss_a_database_with_a_password_fails_and_does_not_change(machine: Machine) -> None:
    (machine.home / "password").write_text("secret\n")
    machine.database(CHROMIUM)
    locked = machine.database(FIREFOX, "-f", str(machine.home / "password"))
    before = machine.listed(locked)
    done = machine.trust("--install", "--store", "nss")
    assert (done.code, done.results("nss")) == (74, ["installed", "failed"])
    assert "password" in done.json["stores"][1]["message"].lower()
    assert machine.listed(locked) == before


def test_nss_a_root_that_the_user_added_is_kept(machine: Machine) -> None:
    database = machine.database(CHROMIUM)
    add = ["certutil", "-A", "-t", "C,,", "-n", "My own name", "-i", machine.root, "-d", f"sql:{database}"]
    assert machine.run(*add).code == 0
    before = machine.listed(database)
    assert machine.trust("--install", "--store", "nss").results("nss") == ["already-installed"]
    done = machine.trust("--remove", "--store", "nss")
    assert (done.code, done.results("nss")) == (74, ["failed"])
    assert "under another name" in done.json["stores"][0]["message"]
    assert machine.listed(database) == before


# Debian and Java


def test_debian_the_system_trusts_the_root_until_it_is_removed(system: Machine) -> None:
    (source, _), (local, _) = system.binds[:2]
    before = tree(source / "certs"), tree(local)
    verify = ["openssl", "verify", "-x509_strict", system.home / "certs/intermediate.pem"]
    assert system.run(*verify).code != 0

    done = system.trust("--install", "--store", "system")
    assert (done.code, done.results("system")) == (0, ["installed"]), done.out
    assert system.run(*verify).code == 0
    assert system.root.read_text() in (source / "certs/ca-certificates.crt").read_text()
    assert system.trust("--install", "--store", "system").results("system") == ["already-installed"]

    done = system.trust("--remove", "--store", "system")
    assert (done.code, done.results("system")) == (0, ["removed"]), done.out
    assert system.run(*verify).code != 0
    assert (tree(source / "certs"), tree(local)) == before
    assert system.trust("--remove", "--store", "system").results("system") == ["not-installed"]


def test_debian_a_folder_that_cannot_be_written_is_a_failure_with_the_command(system: Machine) -> None:
    binary = ["motivator", "certificate", "trust", "--install", "--store", "system", "--certificates", "certs"]
    script = f'mount -o remount,bind,ro {LOCAL} && exec "$0" "$@"'
    done = system.run("sh", "-c", script, BINARY, *binary[1:])
    assert done.code == 77
    assert "Read-only file system" in " ".join(done.out.split())
    assert "sudo motivator certificate trust --install --store system" in " ".join(done.out.split())


def test_debian_a_root_that_the_administrator_added_is_kept(system: Machine) -> None:
    local = system.binds[1][0]
    own = local / "own.crt"
    own.write_bytes(system.root.read_bytes())
    try:
        assert system.run("update-ca-certificates").code == 0
        assert system.trust("--install", "--store", "system").results("system") == ["already-installed"]
        done = system.trust("--remove", "--store", "system")
        assert (done.code, done.results("system")) == (74, ["failed"])
        assert own.exists()
    finally:
        own.unlink()
        assert system.run("update-ca-certificates", "--fresh").code == 0


def keys(machine: Machine) -> str:
    done = machine.run("keytool", "-list", "-cacerts", "-storepass", "changeit")
    assert done.code == 0, done.out
    return done.out


@java
def test_java_trusts_the_root_until_it_is_removed(system: Machine) -> None:
    before = keys(system)
    assert system.trust("--install", "--store", "java").results("java") == ["installed"]
    assert "motivator-" in keys(system)
    assert system.trust("--install", "--store", "java").results("java") == ["already-installed"]
    assert system.trust("--remove", "--store", "java").results("java") == ["removed"]
    assert keys(system) == before
    assert system.trust("--remove", "--store", "java").results("java") == ["not-installed"]


@java
def test_java_loses_the_root_that_an_update_of_the_system_added(system: Machine) -> None:
    before = keys(system)
    assert system.trust("--install", "--store", "system").code == 0
    # The hook in Debian's Java packages uses such names for its entries.
    (name,) = [path.stem for path in system.binds[1][0].glob("motivator-*.crt")]
    entry = ["-alias", f"debian:{name}.pem", "-file", system.root]
    assert system.run("keytool", "-importcert", "-noprompt", "-cacerts", "-storepass", "changeit", *entry).code == 0
    assert system.trust("--install", "--store", "java").results("java") == ["already-installed"]
    refused = system.trust("--remove", "--store", "java")
    assert refused.results("java") == ["failed"]
    assert system.trust("--remove", "--store", "system").results("system") == ["removed"]
    assert keys(system) == before

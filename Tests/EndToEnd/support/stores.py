"""Private copies of this machine's trust stores. Commands run in a mount namespace with the copies."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.server import BINARY, environment

LIMIT = 100.0
LOCAL = Path("/usr/local/share/ca-certificates")
HOOKS = Path("/etc/ca-certificates/update.d")
# Binds pairs of paths up to "--", and then runs the remaining arguments as a command.
BIND = 'while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 99; shift 2; done; shift; exec "$@"'


@dataclass(frozen=True)
class Done:
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def results(self, store: str) -> list[str]:
        """Returns the results of a kind of store from the JSON document of `certificate trust`."""
        return [one["result"] for one in self.json["stores"] if one["store"] == store]


def run(command: list[str | Path], home: Path, variables: dict[str, str] | None = None) -> Done:
    done = subprocess.run(
        list(map(str, command)),
        cwd=home,
        env=environment(home) | (variables or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True)
class Machine:
    """A machine with its own stores, home folder and CA. Other files belong to the real machine."""

    home: Path
    binds: tuple[tuple[Path, Path], ...] = ()

    @property
    def root(self) -> Path:
        return self.home / "certs/authority.pem"

    def motivator(self, *arguments: str | Path, variables: dict[str, str] | None = None) -> Done:
        return self.run(BINARY, *arguments, variables=variables)

    def trust(self, *arguments: str | Path, variables: dict[str, str] | None = None) -> Done:
        return self.motivator(
            *("certificate", "trust", *arguments, "--json", "--certificates", "certs"), variables=variables
        )

    def run(self, *command: str | Path, variables: dict[str, str] | None = None) -> Done:
        if not self.binds:
            return run(list(command), self.home, variables)
        user = () if os.geteuid() == 0 else ("--map-root-user",)
        pairs = [path for pair in self.binds for path in pair]
        return run(
            ["unshare", *user, "--mount", "--propagation", "private", "sh", "-c", BIND, "sh", *pairs, "--", *command],
            self.home,
            variables,
        )

    def database(self, folder: str, *options: str) -> Path:
        """Creates an NSS database below the home folder."""
        path = self.home / folder
        path.mkdir(parents=True)
        assert run(["certutil", "-N", "-d", f"sql:{path}", *(options or ("--empty-password",))], self.home).code == 0
        return path

    def listed(self, database: Path) -> str:
        done = run(["certutil", "-L", "-d", f"sql:{database}"], self.home)
        assert done.code == 0, done.err
        return done.out


def make(home: Path, *binds: tuple[Path, Path]) -> Machine:
    """Creates a CA in the home folder."""
    home.mkdir(exist_ok=True)
    done = run([BINARY, "certificate", "authority", "--certificates", "certs"], home)
    assert done.code == 0, done.err
    return Machine(home, binds)


def make_with_system_stores(folder: Path) -> Machine:
    """Creates a machine with copies of Debian's store and Java's key store.

    Excludes Debian's hooks, because they would run dpkg on the real machine.
    """
    ssl, local, hooks = folder / "ssl", folder / "local", folder / "hooks"
    shutil.copytree("/etc/ssl", ssl, symlinks=True, ignore=shutil.ignore_patterns("private"))
    shutil.copytree(LOCAL, local)
    hooks.mkdir()
    binds = [(ssl, Path("/etc/ssl")), (local, LOCAL)]
    if HOOKS.is_dir():
        binds.append((hooks, HOOKS))
    machine = make(folder / "home", *binds)
    assert machine.run("update-ca-certificates", "--fresh").code == 0
    return machine


def tree(folder: Path) -> dict[str, bytes]:
    """Returns the content of each file below a folder, and the target of each symbolic link."""
    return {
        str(path.relative_to(folder)): os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }

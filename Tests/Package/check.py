#!/usr/bin/env python3
"""Installs the Debian package in a bare Debian, runs the service without systemd, and purges the package.

    sudo Tests/Package/check.py PACKAGE                  needs root, debootstrap and a network
    sudo Tests/Package/check.py PACKAGE --root FOLDER    uses a copy of an existing Debian root from debootstrap

The service runs as the package's user, in its own process, mount and network namespaces. It has no capabilities. As the
unit requests, the root file system is read-only except for the state folder. The service listens only inside these
namespaces.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "Tests/EndToEnd"))

from support.debian import make_root  # noqa: E402

SUITE = "bookworm"
LIMIT = 60.0
STATE = "var/lib/motivator"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PROXIES = {name: value for name, value in os.environ.items() if name.lower() in ("http_proxy", "https_proxy")}
# These files record actions of apt and dpkg, or contain the system user. The purge keeps the system user.
RECORDS = re.compile(
    r"(var/log|var/cache|var/lib/apt|tmp|run|proc|sys|dev)(/|$)|var/lib/dpkg/(status|info/format|triggers)"
    r"|etc/(passwd|group|shadow|gshadow|\.pwd\.lock)|etc/ld\.so\.cache"
)


def say(text: str) -> None:
    print(f"package: {text}", flush=True)


class Root:
    """A minimal Debian system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *command: str) -> str:
        environment = {"PATH": PATH, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", **PROXIES}
        # The loader finds the program's folder through /proc.
        enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", enter, self.folder, *command],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{shlex.join(command)} failed:\n{done.stdout}{done.stderr}"
        return done.stdout

    def files(self) -> dict[str, tuple[int, int, int]]:
        """Returns the mode, owner and size of each file that an installation may change."""
        found = {}
        for path in self.folder.rglob("*"):
            name = str(path.relative_to(self.folder))
            if not RECORDS.match(name):
                status = path.lstat()
                found[name] = (status.st_mode, status.st_uid, 0 if path.is_dir() else status.st_size)
        return found


class Service:
    """The service, started like the unit but without systemd."""

    def __init__(self, root: Root) -> None:
        unit = (root.folder / "lib/systemd/system/motivator.service").read_text()
        settings = dict(re.findall(r"^(\w+)=(.*)$", unit, re.MULTILINE))
        assert settings["CapabilityBoundingSet"] == "" and settings["NoNewPrivileges"] == "yes", unit
        assert (settings["StateDirectory"], settings["ProtectSystem"]) == ("motivator", "strict"), unit
        user, folder = settings["User"], root.folder
        default = (folder / settings["EnvironmentFile"].lstrip("-/")).read_text()
        options = re.search(r'^OPTIONS="(.*)"$', default, re.MULTILINE)
        assert options
        words = shlex.split(settings["ExecStart"].replace("$OPTIONS", options[1]))
        number = root.run("id", "--user", user).strip()
        # What systemd does for StateDirectory.
        state = folder / STATE
        state.mkdir(mode=int(settings["StateDirectoryMode"], 8))
        os.chown(state, int(number), int(root.run("id", "--group", user)))
        self.notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notifications.settimeout(LIMIT)
        path = folder / "run/notify"
        self.notifications.bind(str(path))
        path.chmod(0o777)
        setup = f"""
            set -e
            mount --bind {folder} {folder}
            mount -t proc proc {folder}/proc
            mount --bind {state} {state}
            mount -o remount,bind,ro {folder}
            ip link set lo up
            exec chroot {folder} "$@"
        """
        self.folder = folder
        self.drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--bounding-set=-all"]
        self.drop += ["--inh-caps=-all", "--no-new-privs"]
        variables = {"PATH": PATH, "NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "30000000"}
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--net", "--fork", "sh", "-c", setup, "sh", *self.drop, *words],
            env=variables,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, state: str) -> None:
        while state not in self.notifications.recv(4096).decode().split("\n"):
            pass

    @property
    def child(self) -> int:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        assert len(children) == 1, children
        return int(children[0])

    def inside(self, *command: str) -> str:
        """Runs a command next to the service, with the same restricted privileges."""
        enter = ["nsenter", "--target", str(self.child), "--mount", "--pid", "--net", "chroot", str(self.folder)]
        done = subprocess.run(
            [*enter, *self.drop, *command], env={"PATH": PATH}, capture_output=True, text=True, timeout=LIMIT
        )
        assert done.returncode == 0, f"{shlex.join(command)}: {done}"
        return done.stdout

    def curl(self, *arguments: str) -> str:
        """Runs this machine's curl in the network of the service."""
        command = ["nsenter", "--target", str(self.child), "--net", "curl", "--silent", "--show-error", "--fail"]
        done = subprocess.run([*command, "--noproxy", "*", *arguments], capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def kill(self) -> None:
        if self.process.poll() is None:
            os.kill(self.child, signal.SIGKILL)
            self.process.wait(LIMIT)
        self.notifications.close()


def check_service(root: Root) -> None:
    service = Service(root)
    try:
        service.wait_for("READY=1")
        status = Path(f"/proc/{service.child}/status").read_text()
        user = root.run("id", "--user", "motivator").strip()
        assert re.search(rf"^Uid:\s+{user}\s", status, re.MULTILINE), status
        assert re.search(r"^CapBnd:\s+0+$", status, re.MULTILINE), status
        assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE), status
        say("ready: the package's user, no capabilities, no new privileges, a read-only root")
        service.wait_for("WATCHDOG=1")

        authority = root.folder / STATE / "certs/authority.pem"
        trusting = ("--cacert", str(authority))
        association = service.curl(*trusting, "https://127.0.0.1:8443/.well-known/apple-app-site-association")
        app = json.loads(association)["webcredentials"]["apps"][0]
        assert "<html" in service.curl(*trusting, "https://localhost:8443/")
        content = json.dumps({"username": "antoine", "password": "four small red foxes"})
        service.curl(*trusting, "--json", content, "https://localhost:8443/api/signup")
        service.inside("motivator", "healthcheck")
        entry = "webcredentials:localhost?mode=developer"
        check = ["motivator", "association", "check", "localhost:8443", "--app", app, "--entitlement", entry]
        service.inside(*check, "--trust", f"/{STATE}/certs/authority.pem")
        assert (root.folder / STATE / "motivator.sqlite").stat().st_mode & 0o077 == 0
        say("serves the site, creates an account, and is associated with its app")

        os.kill(service.child, signal.SIGHUP)
        service.wait_for("RELOADING=1")
        service.wait_for("READY=1")
        os.kill(service.child, signal.SIGTERM)
        service.wait_for("STOPPING=1")
        assert service.process.wait(LIMIT) == 0
        say("reloads after SIGHUP, and stops after SIGTERM")
    finally:
        service.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description="Installs, runs and purges the Debian package in a bare Debian.")
    parser.add_argument("package", type=Path)
    parser.add_argument("--root", type=Path, help="a minimal Debian from debootstrap (the check uses a copy)")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("package: namespaces and chroot require root privileges; run with sudo")
    with tempfile.TemporaryDirectory(prefix="package-") as name:
        Path(name).chmod(0o755)
        root = Root(Path(name) / "root")
        make_root(SUITE, root.folder, options.root)
        # The parts that Debian's installer creates, but debootstrap does not.
        shutil.copy("/etc/resolv.conf", root.folder / "etc/resolv.conf")
        (root.folder / "etc/hosts").write_text("127.0.0.1 localhost\n")
        fields = subprocess.run(
            ["dpkg-deb", "--field", options.package, "Depends"], capture_output=True, text=True, check=True
        )
        say(f"installing the dependencies: {fields.stdout.strip()}")
        root.run("apt-get", "update")
        wanted = ["systemd-standalone-sysusers", fields.stdout.strip()]
        root.run("apt-get", "satisfy", "--yes", "--no-install-recommends", *wanted)
        before = root.files()
        shutil.copy(options.package, root.folder / "tmp/motivator.deb")

        root.run("dpkg", "--install", "/tmp/motivator.deb")
        say(f"installed: {root.run('motivator', '--version').splitlines()[0]}")
        assert "motivator:x:" in (root.folder / "etc/passwd").read_text()
        check_service(root)
        # An upgrade keeps the state.
        root.run("dpkg", "--install", "/tmp/motivator.deb")
        root.run("dpkg", "--remove", "motivator")
        assert (root.folder / STATE / "motivator.sqlite").exists()
        assert (root.folder / "etc/default/motivator").exists()
        say("an upgrade and a removal keep the state and the configuration")
        root.run("dpkg", "--purge", "motivator")
        after = root.files()
        changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        assert changed == [], changed
        say("a purge leaves no file; only the system user remains")
    say("all checks passed")


if __name__ == "__main__":
    main()

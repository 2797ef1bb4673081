#!/usr/bin/env python3
"""Replays the Dockerfile's steps without a container engine, and runs the program as docker-compose.yml does.

    sudo Tests/Container/check.py                   all steps: needs root, debootstrap, Swift and a network
    sudo Tests/Container/check.py --program FILE    uses an existing program, and compiles nothing
    sudo Tests/Container/check.py --root FOLDER     uses a copy of an existing Debian root from debootstrap

The build stage runs with this machine's compiler, in a clean folder with the files that .dockerignore and COPY select.
The final stage runs in a minimal Debian. The program is process 1 of its own process, mount and network namespaces. The
program runs as the image's user, without capabilities, on a read-only root. It listens only inside those namespaces.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "Tests/EndToEnd"))

from support.container import Stage, ignore_patterns, is_sent, read_dockerfile  # noqa: E402

from support.debian import make_root  # noqa: E402

LIMIT = 60.0
# The proxy settings for downloads. A container engine passes these settings on, too.
PROXIES = {name: value for name, value in os.environ.items() if name.lower() in ("http_proxy", "https_proxy")}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def say(text: str) -> None:
    print(f"container: {text}", flush=True)


def copy(sources: list[str], target: Path, patterns: list[str]) -> None:
    """Runs COPY from the build context: copies files that .dockerignore admits, and the content of folders."""
    for path in (found for source in sources for found in REPOSITORY.glob(source)):
        for file in [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]:
            if is_sent(str(file.relative_to(REPOSITORY)), patterns):
                to = target / (file.name if path.is_file() else file.relative_to(path))
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, to)


def replay_build(stage: Stage, folder: Path, patterns: list[str], compiles: bool) -> Path:
    """Runs the build stage, except for its packages. `scripts/setup` has installed them on this machine."""
    source, out = folder / "src", folder / "out"
    for name, arguments in stage.steps:
        if name == "COPY":
            *sources, target = arguments.split()
            copy(sources, source / target, patterns)
        elif name == "RUN" and not arguments.startswith("apt-get"):
            command = arguments.replace("/out/", f"{out}/")
            if not compiles and command.startswith("swift build"):
                # Without compiling, only the manifest and the folders of the targets can be checked.
                command = "swift package describe >/dev/null"
            say(f"build: {command}")
            subprocess.run(["sh", "-c", command], cwd=source, check=True)
    return out / "motivator"


def replay_final(stage: Stage, root: Path, program: Path, patterns: list[str]) -> None:
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    for name, arguments in stage.steps:
        if name == "RUN":
            say(f"run: {arguments}")
            environment = {"PATH": PATH, "DEBIAN_FRONTEND": "noninteractive", **PROXIES}
            command = ["chroot", str(root), "sh", "-c", arguments]
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        elif name == "COPY" and arguments.startswith("--from"):
            shutil.copy2(program, root / arguments.split()[-1].removeprefix("/"))
        elif name == "COPY":
            *sources, target = arguments.split()
            copy(sources, root / target.removeprefix("/"), patterns)


class Running:
    """The program as process 1 of the container."""

    def __init__(self, stage: Stage, root: Path) -> None:
        self.root = root
        user, group = stage.one("USER").split(":")
        self.drop = [
            *("setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--bounding-set=-all"),
            *("--inh-caps=-all", "--no-new-privs"),
        ]
        # The volumes keep the owner and mode of the image's folders, like new volumes in a container engine.
        volumes = " ".join(stage.words("VOLUME"))
        setup = f"""
            set -e
            mount --bind {root} {root}
            mount -t proc proc {root}/proc
            for volume in {volumes}; do mount --bind {root}$volume {root}$volume; done
            mount -o remount,bind,ro {root}
            ip link set lo up
            exec chroot {root} "$@"
        """
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--net", "--fork", "sh", "-c", setup, "sh", *self.drop]
            + stage.words("ENTRYPOINT")
            + stage.words("CMD")
            + ["--json"],
            env={"PATH": PATH},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait_until_ready(self) -> None:
        line = self.process.stdout.readline() if self.process.stdout else ""
        assert line and json.loads(line)["event"] == "ready", f"not ready: {line!r}"
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        assert len(children) == 1, children
        self.child = int(children[0])

    def inside(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Runs a command in the container with the same restricted privileges, like `docker exec`."""
        enter = ["nsenter", "--target", str(self.child), "--mount", "--pid", "--net", "chroot", str(self.root)]
        return subprocess.run(
            [*enter, *self.drop, *command], env={"PATH": PATH}, capture_output=True, text=True, timeout=LIMIT
        )

    def curl(self, *arguments: str) -> str:
        """Runs this machine's curl in the container's network."""
        command = ["nsenter", "--target", str(self.child), "--net", "curl", "--silent", "--show-error", "--fail"]
        done = subprocess.run([*command, "--noproxy", "*", *arguments], capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def status(self, name: str) -> str:
        lines = Path(f"/proc/{self.child}/status").read_text().splitlines()
        return next(line for line in lines if line.startswith(f"{name}:")).split(maxsplit=1)[1]

    def end(self, number: signal.Signals) -> int:
        os.kill(self.child, number)
        return self.process.wait(LIMIT)

    def kill(self) -> None:
        if self.process.poll() is None:
            for child in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
                os.kill(int(child), signal.SIGKILL)
            self.process.wait(LIMIT)


def check_running(stage: Stage, root: Path) -> None:
    running = Running(stage, root)
    try:
        running.wait_until_ready()
        user = stage.one("USER").split(":")[0]
        assert running.status("NSpid").split()[-1] == "1", "the program is not process 1"
        assert running.status("Uid").split() == [user] * 4
        assert int(running.status("CapBnd"), 16) == int(running.status("CapEff"), 16) == 0
        assert running.status("NoNewPrivs") == "1"
        say("ready: process 1, its own user, no capabilities, no new privileges")

        authority = root.parent / "authority.pem"
        authority.write_text(running.curl("http://127.0.0.1:8080/authority.pem"))
        trusting = ("--cacert", str(authority))
        association = running.curl(*trusting, "https://127.0.0.1:8443/.well-known/apple-app-site-association")
        assert json.loads(association)["webcredentials"]["apps"], association
        assert "<html" in running.curl(*trusting, "https://localhost:8443/")
        say("responds on 8443 and 8080, with the association file and the static files")
        content = json.dumps({"username": "someone", "password": "four words of mine"})
        created = json.loads(running.curl(*trusting, "--json", content, "https://127.0.0.1:8443/api/signup"))
        assert created["username"] == "someone", created
        say("creates an account in the database of its volume")

        refused = running.inside("touch", "/srv/public/new")
        assert "Read-only file system" in refused.stderr, f"the root is writable: {refused}"
        for volume in stage.words("VOLUME"):
            made = running.inside(
                "sh", "-c", f"stat --format '%a %u' {volume} && find {volume} -name '*.key' -perm /077"
            )
            assert made.stdout.splitlines() == [f"700 {user}"], made
        say("the root is read-only, the volumes are private, and other users cannot read keys or databases")

        health = json.loads(stage.one("HEALTHCHECK").split("CMD ")[1])
        done = running.inside(*health)
        assert done.returncode == 0, done
        say(f"healthy: {' '.join(health)}")

        started = time.monotonic()
        code = running.end(getattr(signal, stage.one("STOPSIGNAL")))
        assert code == 0, f"exit code {code} after {stage.one('STOPSIGNAL')}"
        say(f"stopped by {stage.one('STOPSIGNAL')} as process 1 after {time.monotonic() - started:.1f} s")
    finally:
        running.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description="Replays the Dockerfile without a container engine.")
    parser.add_argument("--dockerfile", type=Path, default=REPOSITORY / "Dockerfile")
    parser.add_argument("--program", type=Path, help="a program built with --static-swift-stdlib")
    parser.add_argument("--root", type=Path, help="a minimal Debian from debootstrap (the check uses a copy)")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("container: namespaces and chroot require root privileges; run with sudo")
    build, final = read_dockerfile(options.dockerfile)
    patterns = ignore_patterns(REPOSITORY / ".dockerignore")
    with tempfile.TemporaryDirectory(prefix="container-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        root = folder / "root"
        make_root(final.base.split(":")[1].removesuffix("-slim"), root, options.root)
        built = replay_build(build, folder, patterns, compiles=not options.program)
        replay_final(final, root, options.program or built, patterns)
        check_running(final, root)
    say("all checks passed")


if __name__ == "__main__":
    main()

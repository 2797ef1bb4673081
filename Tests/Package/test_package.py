"""The Debian package and the archive, without an installation. Tests/Package/check.py installs the package."""

import os
import re
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.server import BINARY, ROOT, free_port
from support.waiting import LIMIT
from support.wire import ADDRESS

DEBIAN = ROOT / "scripts/packaging/debian"
UNITS = [DEBIAN / "motivator.service", DEBIAN / "motivator.socket"]
# The maximum exposure, from 0 to 100. The server needs the network, its state folder, and calls such as setrlimit.
MOST_EXPOSURE = 13


@dataclass(frozen=True)
class Packages:
    debian: Path
    # The content of the Debian package.
    root: Path
    # The content of the archive, relative to its top-level folder.
    moved: Path


def output(*command: str | Path, **variables: str) -> str:
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    folder = tmp_path_factory.mktemp("packages")
    output(ROOT / "scripts/package", "--fast", "--program", BINARY, "--output", folder)
    (debian,) = folder.glob("motivator_*.deb")
    (archive,) = folder.glob("motivator-*.tar.gz")
    root, moved = folder / "root", folder / "moved"
    output("dpkg-deb", "--extract", debian, root)
    with tarfile.open(archive) as content:
        content.extractall(folder / "archive", filter="data")
    (inner,) = (folder / "archive").iterdir()
    inner.rename(moved)
    return Packages(debian, root, moved)


def program(packages: Packages, kind: str) -> Path:
    return packages.root / "usr/bin/motivator" if kind == "debian" else packages.moved / "bin/motivator"


@pytest.mark.skipif("MOTIVATOR_FULL" not in os.environ, reason="scripts/test --full runs lintian")
def test_lintian_accepts_the_package(packages: Packages) -> None:
    assert output("lintian", "--allow-root", "--fail-on", "error,warning", packages.debian) == ""
    overrides = (DEBIAN / "motivator.lintian-overrides").read_text().splitlines()
    for before, line in zip(["", *overrides], overrides, strict=False):
        assert line.startswith("# ") or before.startswith("# "), f"the override has no reason: {line}"


def test_the_package_depends_on_the_systems_libraries(packages: Packages) -> None:
    depends = output("dpkg-deb", "--field", packages.debian, "Depends").strip().split(", ")
    names = {one.split(" (")[0] for one in depends}
    libraries = {"libc6", "libgcc-s1", "libssl3", "libsqlite3-0", "libstdc++6", "zlib1g"}
    assert names - libraries == {"systemd | systemd-standalone-sysusers | systemd-sysusers"}
    assert names >= libraries
    assert "libssl3 (>= 3.0.0)" in depends


@pytest.mark.parametrize("kind", ["debian", "archive"])
def test_the_program_loads_only_the_systems_libraries(packages: Packages, kind: str) -> None:
    installed = program(packages, kind)
    libraries = re.findall(r"=> (\S+) \(0x", output("ldd", installed))
    assert any("libcrypto" in path for path in libraries)
    for path in libraries:
        assert re.match(r"/(usr/)?lib/", path), path
        assert not re.search("swift|Foundation|dispatch", path), path


@pytest.mark.parametrize("kind", ["debian", "archive"])
def test_the_program_runs_from_any_folder(packages: Packages, tmp_path: Path, kind: str) -> None:
    """The program runs without a checkout or Swift. Its home folder contains only its data."""
    installed = program(packages, kind)
    port = free_port()
    home = tmp_path / "home"
    home.mkdir()
    options = ("--json", "--host", ADDRESS, "--port", str(port), "--plain-port", "0", "--admin", "off")
    with subprocess.Popen(
        [installed, "serve", *options], cwd="/", env={"HOME": str(home)}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert '"event":"ready"' in process.stdout.readline()
        data = home / ".local/share/motivator"
        curl = ("curl", "--silent", "--fail", "--noproxy", "*", "--cacert", data / "certs/authority.pem")
        page = output(*curl, f"https://localhost:{port}/")
        style = re.search(r'href="(/style[^"]*\.css[^"]*)"', page)
        assert style, page
        output(*curl, f"https://localhost:{port}{style[1]}")
        process.terminate()
        assert process.wait(LIMIT) == 0
    assert (data / "motivator.sqlite").exists()


def test_there_is_a_manual_page_for_each_command(packages: Packages) -> None:
    pages = packages.moved / "share/man/man1"
    commands = re.findall(r"^  ([a-z]+) +\S", output(BINARY, "--help").split("SUBCOMMANDS:")[1], re.MULTILINE)
    names = {"motivator.1", *(f"motivator-{command}.1" for command in commands)}
    assert {page.name for page in pages.iterdir()} == names
    for page in pages.iterdir():
        text = output("man", "--warnings", "--encoding=UTF-8", "--local-file", page, MANWIDTH="80", MAN_KEEP_STDERR="1")
        assert "warning" not in text.split("NAME")[0]
    serve = output("man", "--local-file", pages / "motivator-serve.1", MANWIDTH="200")
    for option in re.findall(r"^  (--[a-z-]+)", output(BINARY, "serve", "--help"), re.MULTILINE):
        assert re.search(rf"^ +{option}\b", serve, re.MULTILINE), option
    assert "~/.local/share/motivator/certs" in serve


def test_bash_completes_a_command(packages: Packages) -> None:
    script = packages.root / "usr/share/bash-completion/completions/motivator"
    commands = """
        source "$1"
        COMP_WORDS=(motivator asso) COMP_CWORD=1 COMP_LINE='motivator asso' COMP_POINT=14
        function=$(complete -p motivator | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
        "$function" motivator asso motivator
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    assert output("bash", "-c", commands, "bash", script).split() == ["association"]


# The service


def test_the_units_are_valid(packages: Packages, tmp_path: Path) -> None:
    for unit in UNITS:
        installed = (packages.root / "lib/systemd/system" / unit.name).read_text()
        assert installed == unit.read_text()
        changed = installed.replace("/usr/bin/motivator", str(program(packages, "debian")))
        (tmp_path / unit.name).write_text(changed)
    manual = str(packages.root / "usr/share/man")
    assert output("systemd-analyze", "verify", *(tmp_path / unit.name for unit in UNITS), MANPATH=manual) == ""


def test_the_sandbox_of_the_service_is_tight() -> None:
    options = ("--offline=true", f"--threshold={MOST_EXPOSURE}", "--no-pager")
    assert "Overall exposure level for" in output("systemd-analyze", "security", *options, UNITS[0])


def allowed_calls() -> set[str]:
    """Returns the system calls that the unit's filters allow."""

    def calls(name: str) -> set[str]:
        if not name.startswith("@"):
            return {name}
        lines = output("systemd-analyze", "syscall-filter", name).splitlines()[1:]
        words = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
        return set().union(*(calls(word) for word in words))

    found: set[str] = set()
    for line in re.findall(r"^SystemCallFilter=(.+)$", UNITS[0].read_text(), re.MULTILINE):
        for name in line.removeprefix("~").split():
            found = found - calls(name) if line.startswith("~") else found | calls(name)
    return found


def test_the_service_makes_only_calls_that_its_sandbox_allows(packages: Packages, tmp_path: Path) -> None:
    """Runs a sign-up, a check, a reload and a stop, and records every system call."""
    port = free_port()
    log = tmp_path / "calls"
    options = (
        "--json",
        "--host",
        ADDRESS,
        "--port",
        str(port),
        "--plain-port",
        "0",
        "--admin",
        "off",
        "--allow-fetch",
        "any",
    )
    command = ["strace", "--follow-forks", "--output", log, program(packages, "debian"), "serve"]
    with subprocess.Popen(
        [*command, *options], env={"HOME": "/", "XDG_DATA_HOME": str(tmp_path)}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert '"event":"ready"' in process.stdout.readline()
        authority = tmp_path / "motivator/certs/authority.pem"
        curl = ("curl", "--silent", "--fail", "--noproxy", "*", "--cacert", authority)
        origin = f"https://localhost:{port}"
        output(*curl, "--json", '{"username": "antoine", "password": "four small red foxes"}', f"{origin}/api/signup")
        output(*curl, f"{origin}/api/check?site=localhost:{port}&app=A1B2C3D4E5.com.example.App")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        output("kill", "-HUP", children[0])
        output("kill", "-TERM", children[0])
        assert process.wait(LIMIT) == 0
    text = log.read_text()
    made = set(re.findall(r"^\d+ +(\w+)\(", text, re.MULTILINE))
    assert made >= {"accept4", "openat", "setrlimit" if "setrlimit" in made else "prlimit64"}
    if os.geteuid() == 0:
        # SQLite calls fchown only as root.
        made.remove("fchown")
    assert made - allowed_calls() == set()
    # MemoryDenyWriteExecute, RestrictAddressFamilies and ProcSubset. The C library uses two features only if they
    # exist: an AF_NETLINK socket for the resolver, and the memory policy.
    assert not re.search(r"PROT_WRITE\|PROT_EXEC|PROT_EXEC\|PROT_WRITE", text)
    assert set(re.findall(r"socket\((\w+),", text)) <= {"AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"}
    # libdispatch may read the states of the process's own threads, because ProcSubset does not hide them.
    hidden = re.findall(r'"/proc/(?!self/|thread-self/|\d+/stat")([^"]+)', text)
    assert set(hidden) <= {"sys/vm/overcommit_memory"}


@pytest.mark.skipif(
    "MOTIVATOR_FULL" not in os.environ or os.geteuid() != 0, reason="takes minutes: scripts/test --full, as root"
)
@pytest.mark.timeout(900)
def test_the_package_installs_serves_and_purges(packages: Packages) -> None:
    assert "all checks passed" in output(ROOT / "Tests/Package/check.py", packages.debian)

"""The installation step of the action: the archive for the runner, its checksum, and the versions of other actions."""

import hashlib
import io
import os
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

from support.server import ROOT

INSTALL = ROOT / ".github/actions/association-check/install"
# Copies the requested files from the folder RELEASE, like the program of GitHub.
DOWNLOADER = """#!/usr/bin/env bash
set -eu
echo "$*" >>"$RELEASE/calls"
while (($#)); do
    if [[ $1 == --pattern && -e $RELEASE/$2 ]]; then cp "$RELEASE/$2" .; fi
    shift
done
"""
MACHINES = [("X64", "x86_64"), ("ARM64", "aarch64")]


class Release:
    """A release with archives and their checksums, and a runner that installs from it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tools, self.temporary = folder / "release", folder / "tools", folder / "temporary"
        for path in (self.folder, self.tools, self.temporary):
            path.mkdir()
        downloader = self.tools / "gh"
        downloader.write_text(DOWNLOADER)
        downloader.chmod(0o755)
        for _, machine in MACHINES:
            self.archive(machine).write_bytes(archive(f"#!/bin/sh\necho {machine}\n".encode()))
        files = sorted(self.folder.iterdir())
        lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  ./{file.name}\n" for file in files]
        (self.folder / "SHA256SUMS").write_text("".join(lines))

    def archive(self, machine: str) -> Path:
        return self.folder / f"motivator-0.6.0-linux-{machine}.tar.gz"

    def install(self, system: str = "Linux", architecture: str = "X64") -> subprocess.CompletedProcess[str]:
        variables = {"RUNNER_OS": system, "RUNNER_ARCH": architecture, "RUNNER_TEMP": str(self.temporary)}
        variables |= {"VERSION": "v0.6.0", "REPOSITORY": "owner/name", "GITHUB_PATH": str(self.folder / "path")}
        variables |= {"RELEASE": str(self.folder), "PATH": f"{self.tools}:{os.defpath}"}
        return subprocess.run([INSTALL], env=variables, capture_output=True, text=True, timeout=60)

    @property
    def added_paths(self) -> list[str]:
        path = self.folder / "path"
        return path.read_text().splitlines() if path.exists() else []


def archive(program: bytes) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        entry = tarfile.TarInfo("motivator-0.6.0/bin/motivator")
        entry.size, entry.mode = len(program), 0o755
        tar.addfile(entry, io.BytesIO(program))
    return content.getvalue()


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return Release(tmp_path)


@pytest.mark.parametrize(("architecture", "machine"), MACHINES)
def test_the_archive_for_the_runner_is_installed(release: Release, architecture: str, machine: str) -> None:
    done = release.install(architecture=architecture)
    assert done.returncode == 0, done
    (folder,) = release.added_paths
    program = subprocess.run([f"{folder}/motivator"], capture_output=True, text=True, timeout=60)
    assert program.stdout == f"{machine}\n"


def test_a_changed_archive_is_refused(release: Release) -> None:
    release.archive("x86_64").write_bytes(archive(b"#!/bin/sh\necho changed\n"))
    done = release.install()
    assert done.returncode == 69, done
    assert "::error::motivator-0.6.0-linux-x86_64.tar.gz does not match SHA256SUMS" in done.stdout
    assert release.added_paths == []
    assert not (release.temporary / "motivator/bin").exists()


@pytest.mark.parametrize("remaining", ["", "aarch64"])
def test_an_archive_without_a_checksum_is_refused(release: Release, remaining: str) -> None:
    sums = release.folder / "SHA256SUMS"
    lines = [line for line in sums.read_text().splitlines(keepends=True) if remaining and remaining in line]
    sums.write_text("".join(lines))
    assert release.install().returncode == 69
    assert release.added_paths == []


@pytest.mark.parametrize(("system", "architecture"), [("macOS", "ARM64"), ("Windows", "X64"), ("Linux", "ARM")])
def test_a_runner_without_a_published_program_gets_an_error(release: Release, system: str, architecture: str) -> None:
    done = release.install(system, architecture)
    assert done.returncode == 69, done
    assert f"::error::Releases have no program for {system} on {architecture}. Use a Linux runner" in done.stdout
    assert not (release.folder / "calls").exists()


@pytest.mark.parametrize("path", sorted(ROOT.glob(".github/**/*.yml")), ids=lambda path: path.name)
def test_each_action_of_others_is_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"^\s*- uses: (.*)$", path.read_text(), re.MULTILINE)
    for action in used:
        assert re.fullmatch(r"\./.*|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action

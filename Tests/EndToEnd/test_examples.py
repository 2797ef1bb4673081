"""The example package, built like any other package against a version tag of this repository."""

import os
import subprocess
from pathlib import Path

import pytest

from support.server import ROOT

PROGRAMS = {
    "check-file": [
        'webcredentials: ["D3KQX62K1A.com.example.DemoApp"]',
        "https://example.com/shop/42 matched",
        "https://example.com/shop/42?preview=yes blocked",
        "https://example.com/about unmatched",
        "verdict: denied",
        "json-trailing-comma",
    ],
    "share-password": ["antoine at example.com with the saved password", "example.org: -34018"],
    "issue-certificate": ["www.example.com trusted", "example.com not trusted", "signed: {}"],
}
BUILD_LIMIT = 900
RUN_LIMIT = 60


def run(*words: str | Path, cwd: Path, limit: int = RUN_LIMIT, **variables: str) -> str:
    done = subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=limit,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def tagged(folder: Path) -> Path:
    """A repository with the current files of this repository, and the tag 1.0.0."""
    repository = folder / "ultra-motivator"
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT)
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, repository / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    author = ("-c", "user.name=test", "-c", "user.email=test@example.test")
    run("git", "init", "--quiet", cwd=repository)
    run("git", "add", "--all", cwd=repository)
    run("git", *author, "commit", "--quiet", "--message", "Everything", cwd=repository)
    run("git", "tag", "1.0.0", cwd=repository)
    return repository


@pytest.mark.skipif("MOTIVATOR_FULL" not in os.environ, reason="scripts/test --full builds the examples")
@pytest.mark.timeout(2 * BUILD_LIMIT)
@pytest.mark.parametrize("configuration", ["debug", "release"])
def test_another_package_can_use_the_libraries(tmp_path: Path, configuration: str) -> None:
    """The programs build with a dependency on a version, and print the documented output."""
    repository = tagged(tmp_path)
    examples = tmp_path / "Examples"
    examples.mkdir()
    run("cp", "-R", ROOT / "Examples" / "Package.swift", ROOT / "Examples" / "Sources", examples, cwd=tmp_path)
    build = ["swift", "build", "--configuration", configuration, "--security-path", str(tmp_path / "security")]
    run(*build, cwd=examples, limit=BUILD_LIMIT, ULTRA_MOTIVATOR=f"file://{repository}")
    for program, lines in PROGRAMS.items():
        output = run(examples / ".build" / configuration / program, cwd=tmp_path)
        for line in lines:
            assert line in output.splitlines(), f"{program}:\n{output}"

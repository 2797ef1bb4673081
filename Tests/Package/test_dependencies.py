"""The recorded versions of dependencies, the pinned Python packages, and the software bill of materials."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from support.server import ROOT

LOCKS = sorted([*ROOT.glob("Tests/EndToEnd/requirements*.txt"), *ROOT.glob("Tests/Probe/*.txt")])
PACKAGE = re.compile(r"^[a-z0-9._-]+==\S+(?: ; .+)? \\$")


def resolution(folder: Path, **versions: str) -> None:
    """Writes a Package.resolved in SwiftPM's format."""
    pins = [
        {
            "identity": name,
            "kind": "remoteSourceControl",
            "location": f"https://example.com/{name}",
            "state": {"revision": "0" * 40, "version": version},
        }
        for name, version in versions.items()
    ]
    text = json.dumps({"originHash": "0", "pins": pins, "version": 3}, indent=2, separators=(",", " : "))
    (folder / "Package.resolved").write_text(text)


def versions(command: str, folder: Path, recorded: str, ci: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs scripts/resolved-versions on the test's own package, with its own list."""
    recorded_list = folder / "list.txt"
    if not recorded_list.exists():
        recorded_list.write_text(f"# comment\n{recorded}".replace("FOLDER", str(folder)))
    variables = {**os.environ, "RESOLVED_VERSIONS": str(recorded_list), "CI": "true" if ci else ""}
    return subprocess.run(
        [ROOT / "scripts/resolved-versions", command, folder],
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


RECORDED = "FOLDER one 1.2.3 https://example.com/one\nFOLDER two 2.0.0 https://example.com/two\n"


@pytest.mark.parametrize("ci", [False, True])
def test_equal_versions_pass_silently(tmp_path: Path, ci: bool) -> None:
    resolution(tmp_path, one="1.2.3", two="2.0.0")
    done = versions("check", tmp_path, RECORDED, ci)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("resolved", "message"),
    [
        ({"one": "1.2.4", "two": "2.0.0"}, "one is 1.2.4, the recorded version is 1.2.3"),
        ({"one": "1.2.3"}, "the list has two 2.0.0, but this package is not resolved"),
        ({"one": "1.2.3", "two": "2.0.0", "three": "3.0.0"}, "three 3.0.0 is resolved, but the list does not have"),
    ],
)
@pytest.mark.parametrize("ci", [False, True])
def test_a_difference_is_explained_and_fails_in_ci(
    tmp_path: Path, resolved: dict[str, str], message: str, ci: bool
) -> None:
    resolution(tmp_path, **resolved)
    done = versions("check", tmp_path, RECORDED, ci)
    assert done.returncode == (1 if ci else 0)
    assert message in done.stderr
    assert "--accept-versions" in done.stderr


def test_accepted_versions_replace_only_those_of_the_folder(tmp_path: Path) -> None:
    resolution(tmp_path, one="1.2.4", three="3.0.0")
    assert versions("accept", tmp_path, RECORDED + "other one 1.0.0 https://example.com/one\n").returncode == 0
    assert versions("check", tmp_path, RECORDED, ci=True).returncode == 0
    lines = (tmp_path / "list.txt").read_text().splitlines()
    assert lines[0] == "# comment"
    assert "other one 1.0.0 https://example.com/one" in lines
    assert not any(" two " in line for line in lines)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_python_package_is_pinned_with_hashes(lock: Path) -> None:
    lines = [line for line in lock.read_text().splitlines() if line and not line.lstrip().startswith("#")]
    packages = [line for line in lines if not line.startswith(" ")]
    assert packages
    for package in packages:
        assert PACKAGE.match(package), package
        following = lines[lines.index(package) + 1]
        assert re.match(r" +--hash=sha256:[0-9a-f]{64}", following), package


def test_every_requested_python_package_is_locked() -> None:
    assert len(LOCKS) == 4
    for lock in LOCKS:
        requested = [line for line in lock.with_suffix(".in").read_text().splitlines() if line and line[0] != "#"]
        locked = {line.split("==")[0] for line in lock.read_text().splitlines() if "==" in line}
        assert {re.split(r"[\[=]", name)[0].lower() for name in requested} <= locked


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    done = subprocess.run([ROOT / "scripts/sbom"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_bill_of_materials_follows_the_schema(bill: dict[str, Any]) -> None:
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(json.dumps(bill)) is None
    broken = {**bill, "components": [{"name": "no type"}]}
    assert validator.validate_str(json.dumps(broken)) is not None


def test_the_bill_of_materials_has_every_package_and_library(bill: dict[str, Any]) -> None:
    manifest = (ROOT / "Package.swift").read_text()
    declared = {url.rpartition("/")[2].lower() for url in re.findall(r'\.package\(url: "([^"]+)"', manifest)}
    lines = (ROOT / "scripts/resolved-versions.txt").read_text().splitlines()
    resolved = {line.split()[1] for line in lines if line.startswith(". ")}
    names = {component["name"] for component in bill["components"]}
    assert declared <= resolved and names == resolved | {"openssl", "sqlite", "zlib"}
    for component in bill["components"]:
        assert re.fullmatch(r"pkg:(swift|deb|generic)/\S+@[0-9]\S*", component["purl"]), component
    assert bill["metadata"]["component"]["name"] == "ultra-motivator"


def test_the_bill_of_materials_of_a_build_with_postgresql_adds_libpq(bill: dict[str, Any]) -> None:
    command = [ROOT / "scripts/sbom", "--postgresql"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(done.stdout) is None
    names = {component["name"] for component in json.loads(done.stdout)["components"]}
    assert names == {component["name"] for component in bill["components"]} | {"libpq"}


def test_the_bill_of_materials_is_reproducible(bill: dict[str, Any]) -> None:
    done = subprocess.run([ROOT / "scripts/sbom"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert json.loads(done.stdout) == bill

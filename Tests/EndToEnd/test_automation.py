"""The workflows, the action and the pre-commit hook: their files, and the commands that they run."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.server import BINARY, ROOT

WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
ACTION = ROOT / ".github/actions/association-check"
TOOLS = ROOT / ".venv/bin"
APP = "D3KQX62K1A.com.example.DemoApp"
GOOD = f'{{"webcredentials": {{"apps": ["{APP}"]}}}}\n'
BROKEN = f'{{"webcredentials": {{"apps": ["{APP}",]}}}}\n'


def run(*command: str | Path, folder: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )


@pytest.fixture(autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds a folder that contains the program under its own name to the path."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "motivator").symlink_to(BINARY)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def steps(path: Path) -> list[dict[str, Any]]:
    content = yaml.safe_load(path.read_text())
    jobs = content["jobs"].values() if "jobs" in content else [content["runs"]]
    return [step for job in jobs for step in job["steps"]]


@pytest.mark.parametrize(
    ("schema", "paths"), [("vendor.github-workflows", WORKFLOWS), ("vendor.github-actions", [ACTION / "action.yml"])]
)
def test_github_accepts_the_files(schema: str, paths: list[Path]) -> None:
    assert paths
    done = run(TOOLS / "check-jsonschema", "--builtin-schema", schema, *paths)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", [*WORKFLOWS, ACTION / "action.yml"], ids=lambda path: path.name)
def test_the_commands_of_the_workflows_are_correct_and_exist(path: Path) -> None:
    commands = [step["run"] for step in steps(path) if "run" in step]
    assert commands
    for command in commands:
        # The command as GitHub runs it, with each expression replaced by a value.
        script = "#!/usr/bin/env bash\nset -e\n" + re.sub(r"\$\{\{[^}]*\}\}", "value", command)
        done = subprocess.run(["shellcheck", "-"], input=script, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
        for name in re.findall(r"(?<![\w/.-])((?:scripts|\.ci)/[a-z-]+)", command):
            assert os.access(ROOT / name, os.X_OK), name
        for name in re.findall(r"\$GITHUB_ACTION_PATH/([a-z]+)", command):
            assert os.access(ACTION / name, os.X_OK), name


def test_no_expression_is_part_of_a_command_that_others_can_set() -> None:
    """An expression in a command allows code injection if its value comes from a pull request or an input."""
    for path in [*WORKFLOWS, ACTION / "action.yml"]:
        for step in steps(path):
            found = re.findall(r"\$\{\{\s*([^}]*?)\s*\}\}", step.get("run", ""))
            assert [name for name in found if not name.startswith("matrix.")] == [], path


def check(targets: str, **variables: str) -> subprocess.CompletedProcess[str]:
    inputs = yaml.safe_load((ACTION / "action.yml").read_text())["inputs"]
    defaults = {name.upper(): entry.get("default", "") for name, entry in inputs.items()}
    (step,) = (step for step in steps(ACTION / "action.yml") if "/check" in step["run"])
    assert set(step["env"]) == set(defaults)
    values = {**defaults, "TARGETS": targets, **variables}
    return run("bash", "-c", step["run"], GITHUB_ACTION_PATH=str(ACTION), **values)


def test_the_action_accepts_a_file(tmp_path: Path) -> None:
    (tmp_path / "site").write_text(GOOD)
    done = check(f"{tmp_path}/site\n", APPS=f"{APP}\n", ENTITLEMENTS="webcredentials:example.com\n")
    assert done.returncode == 0, done


def test_the_action_annotates_the_line_of_an_error(tmp_path: Path) -> None:
    (tmp_path / "site with a space").write_text(BROKEN)
    done = check(f"\n{tmp_path}/site with a space\n")
    assert done.returncode == 1, done
    assert re.search(r"^::error file=.*site with a space,line=1,col=\d+,title=json-trailing-comma::", done.stdout)


def test_the_action_does_not_read_targets_as_options() -> None:
    done = check("--help")
    assert done.returncode != 0
    assert "USAGE" not in done.stdout


def test_the_action_installs_nothing_if_the_program_is_installed(tmp_path: Path) -> None:
    done = run(ACTION / "install", RUNNER_TEMP=str(tmp_path), GITHUB_PATH=str(tmp_path / "path"))
    assert done.returncode == 0, done
    assert list(tmp_path.iterdir()) == []


def test_pre_commit_runs_the_hook(tmp_path: Path) -> None:
    """The hook's repository contains only its definition. The test installs the program, as the hook requires."""
    variables = {
        "HOME": str(tmp_path),
        "PRE_COMMIT_HOME": str(tmp_path / "cache"),
        "GIT_CONFIG_COUNT": "3",
        **{"GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Test"},
        **{"GIT_CONFIG_KEY_1": "user.email", "GIT_CONFIG_VALUE_1": "test@example.test"},
        **{"GIT_CONFIG_KEY_2": "protocol.file.allow", "GIT_CONFIG_VALUE_2": "always"},
    }

    def git(folder: Path, *arguments: str) -> str:
        done = run("git", *arguments, folder=folder, **variables)
        assert done.returncode == 0, done
        return done.stdout.strip()

    hooks, site = tmp_path / "hooks", tmp_path / "site"
    for folder in (hooks, site):
        folder.mkdir()
        git(folder, "init", "--quiet")
    (hooks / ".pre-commit-hooks.yaml").write_text((ROOT / ".pre-commit-hooks.yaml").read_text())
    git(hooks, "add", ".")
    git(hooks, "commit", "--quiet", "--message", "Add a hook")
    revision = git(hooks, "rev-parse", "HEAD")
    hook = {"repo": str(hooks), "rev": revision, "hooks": [{"id": "association-check"}]}
    (site / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [hook]}))
    file = site / "public/.well-known/apple-app-site-association"
    file.parent.mkdir(parents=True)
    (site / "other.json").write_text("{,}")
    file.write_text(GOOD)
    git(site, "add", ".")
    hook_run = (TOOLS / "pre-commit", "run", "--all-files")
    done = run(*hook_run, folder=site, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "check association files" in done.stdout and "Passed" in done.stdout
    file.write_text(BROKEN)
    git(site, "add", ".")
    done = run(*hook_run, folder=site, **variables)
    assert done.returncode == 1
    assert "json-trailing-comma" in done.stdout

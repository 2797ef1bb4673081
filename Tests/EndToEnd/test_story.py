"""The story runs to its end if everything is correct, and stops at the first step that fails."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.server import ROOT

LIMIT = 180


def tell(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "Tests/EndToEnd/story.py", *options],
        cwd=home,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )


@pytest.mark.timeout(LIMIT)
def test_web_and_app_share_passwords_from_the_first_account_to_its_end(tmp_path: Path, reports: Path) -> None:
    told = tell(tmp_path, "--pictures", str(reports))
    assert told.returncode == 0, told.stdout + told.stderr
    steps = [line for line in told.stdout.splitlines() if line[:2].strip().isdigit()]
    assert [int(line[:2]) for line in steps] == list(range(1, 14))
    assert told.stdout.splitlines()[-1] == "All steps succeeded."
    assert told.stderr == ""


@pytest.mark.timeout(LIMIT)
def test_an_app_that_the_site_does_not_name_is_told_so(tmp_path: Path) -> None:
    told = tell(tmp_path, "--app", "A1B2C3D4E5.com.example.Stranger")
    assert told.returncode == 1
    assert "A1B2C3D4E5.com.example.Stranger" in told.stderr and "after step 1" in told.stderr
    assert "installs" not in told.stdout

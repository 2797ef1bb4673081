"""The story succeeds if everything is correct, and stops at the first failing step."""

import html
import os
import re
import subprocess
import sys
from pathlib import Path

from album import SCALE, WIDTH
from support.server import ROOT

# The time limit in seconds for a run with browsers.
LIMIT = 500
PAGE = ROOT / "docs/story.md"
# The maximum total size of all images in bytes. Each clone of the repository contains them.
PICTURES_LIMIT = 450_000
PICTURE = re.compile(r'<img src="story/([^"]+)" width="\d+" alt="([^"]+)">')


def run_story(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "Tests/Pictures/story.py", *options],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(ROOT / "Tests/EndToEnd")},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )


def test_web_and_app_share_passwords_from_the_first_account_to_its_end(tmp_path: Path, reports: Path) -> None:
    """The story's page has the same steps and prompts as this run. Only the pictures themselves can differ."""
    done = run_story(tmp_path, "--pictures", str(reports / "story"))
    assert done.returncode == 0, done.stdout + done.stderr
    *steps, last = done.stdout.splitlines()
    assert last == "All steps succeeded."
    assert done.stderr == ""
    page = PAGE.read_text()
    assert (reports / "story.md").read_text() == page, "update the page: scripts/story --pictures docs/story"
    assert [step.strip() for step in steps] == re.findall(r"^\d+\. .*$", page, re.MULTILINE)


def test_each_step_of_the_page_has_its_pictures() -> None:
    page = PAGE.read_text()
    found = [name for name, _ in PICTURE.findall(page)]
    assert sorted(found) == sorted(file.name for file in (ROOT / "docs/story").iterdir())
    assert {int(name[:2]) for name in found} == set(range(1, len(re.findall(r"^\d+\. ", page, re.MULTILINE)) + 1))
    contents = [(ROOT / "docs/story" / name).read_bytes() for name in found]
    for content in contents:
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        assert int.from_bytes(content[16:20]) == WIDTH * SCALE
    assert sum(map(len, contents)) < PICTURES_LIMIT


def test_the_page_names_each_prompt_of_the_device() -> None:
    texts = [html.unescape(text) for _, text in PICTURE.findall(PAGE.read_text())]
    for words in ("Save the password of", "Update the password of", "Delete the password of", "Which password does"):
        assert any(text.startswith(f"Simulated device: {words}") for text in texts), words
    assert any("errSecMissingEntitlement -34018" in text for text in texts)


def test_the_story_stops_for_an_app_that_the_site_does_not_list(tmp_path: Path) -> None:
    done = run_story(tmp_path, "--app", "A1B2C3D4E5.com.example.Stranger")
    assert done.returncode == 1
    assert "A1B2C3D4E5.com.example.Stranger" in done.stderr and "after step 1" in done.stderr
    assert "installs" not in done.stdout

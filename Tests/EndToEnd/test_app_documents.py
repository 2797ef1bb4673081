"""The code for an iOS app in docs/use-from-your-app.md and in the DocC article of the same name."""

import plistlib
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from support.checking import YES, check, command
from support.server import ROOT

PAGE = ROOT / "docs/use-from-your-app.md"
ARTICLE = ROOT / "Sources/SharedWebCredentials/Documentation.docc/UseFromYourApp.md"
SWIFT = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIST = re.compile(r"^<!-- entitlements -->\n```xml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COPY = re.compile(r"^<!-- copy -->\n```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^ *motivator ([a-z -]+?)(?= --| [a-z]+[:.]|$)", re.MULTILINE)
# Modules of Apple's SDK. Code that imports them can only be parsed here.
APPLE = re.compile(r"^import (SwiftUI|UIKit)$", re.MULTILINE)
KEY = "com.apple.developer.associated-domains"
APP = "A1B2C3D4E5.com.example.App"
SITE = (
    f'{{"webcredentials": {{"apps": ["{APP}"]}}, '
    f'"applinks": {{"details": [{{"appIDs": ["{APP}"], "components": [{{"/": "/shop/*"}}]}}]}}}}'
)
ENTRIES = [
    ["webcredentials:example.com", "applinks:example.com"],
    ["webcredentials:example.com?mode=developer", "applinks:example.com?mode=developer"],
]


@dataclass(frozen=True)
class Block:
    name: str
    code: str

    @property
    def needs_apple(self) -> bool:
        return APPLE.search(self.code) is not None


@cache
def blocks() -> list[Block]:
    """Returns the Swift blocks of both documents. A block's name is the number of its first line."""
    found = []
    for path in (PAGE, ARTICLE):
        text = path.read_text()
        for match in SWIFT.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(f"{path.stem}-{line}.swift", match[1]))
    return found


def lists() -> list[bytes]:
    return [text.encode() for text in LIST.findall(PAGE.read_text())]


def compiler(*arguments: str | Path) -> None:
    done = subprocess.run(
        ["swiftc", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout


def test_both_documents_have_code_of_each_kind() -> None:
    """Asserts that the documents contain blocks. Without blocks, the other tests would pass."""
    assert {block.name.split("-")[0] for block in blocks() if not block.needs_apple} == {"use", "UseFromYourApp"}
    assert any("import UIKit" in block.code for block in blocks())
    assert any("import SwiftUI" in block.code for block in blocks())


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.name)
def test_each_block_of_swift_is_parsed(tmp_path: Path, block: Block) -> None:
    path = tmp_path / block.name
    path.write_text(block.code)
    compiler("-parse", path)


def test_the_code_fits_the_copied_files(tmp_path: Path) -> None:
    """Runs the commands that copy the files. Type-checks the files and the documents' blocks as a single module."""
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "Sources").symlink_to(ROOT / "Sources")
    (commands,) = COPY.findall(PAGE.read_text())
    subprocess.run(["bash", "-euo", "pipefail", "-s"], cwd=repository, input=commands, text=True, check=True)
    app = tmp_path / "DemoApp/UltraMotivator"
    for block in blocks():
        if block.needs_apple:
            continue
        # On Linux, URLSession is in a separate module. The app contains the copied files instead of the library.
        code = block.code.replace("import Foundation\n", "import Foundation\nimport FoundationNetworking\n")
        (app / block.name).write_text(code.replace("import SharedWebCredentials\n", ""))
    compiler("-typecheck", "-swift-version", "6", "-warnings-as-errors", *sorted(app.glob("*.swift")))


def test_each_type_of_a_block_for_apple_exists_in_a_copied_file_or_a_block() -> None:
    """The code that is only parsed uses these types of the project."""
    code = "\n".join(block.code for block in blocks() if block.needs_apple)
    sources = "\n".join(path.read_text() for path in (ROOT / "Sources").rglob("*.swift"))
    known = sources + "\n".join(block.code for block in blocks())
    used = ("AccountModel", "APIClient", "LogInPrompt", "MemoryKeychain", "MotivatorApp", "SystemSharedWebCredentials")
    for name in used:
        assert f"{name}(" in code or f": {name}" in code or f"extension {name}" in code, f"{name} is not used"
        assert re.search(rf"(struct|class|enum) {name}\b", known), f"{name} does not exist"


def test_the_entitlements_are_property_lists_with_the_entries_of_the_page() -> None:
    assert [plistlib.loads(data) for data in lists()] == [{KEY: entries} for entries in ENTRIES]


@pytest.mark.parametrize("number", range(len(ENTRIES)))
def test_the_checker_finds_no_problem_in_the_entitlements(tmp_path: Path, number: int) -> None:
    (tmp_path / "App.entitlements").write_bytes(lists()[number])
    (tmp_path / "site.json").write_text(SITE)
    report = check(tmp_path, "site.json", "--app", APP, "--entitlements", "App.entitlements", "--profile", "device")
    assert report.code == YES, report
    found = {issue["code"] for issue in report.document["issues"] if issue["severity"] != "note"}
    assert not found
    modes = [issue for issue in report.document["issues"] if issue["code"] == "entitlement-developer-mode"]
    assert len(modes) == (len(ENTRIES[number]) if "mode=developer" in ENTRIES[number][0] else 0)
    assert report.document["verdicts"] == {"device": "associated", "documented": "associated"}


def test_the_commands_of_the_page_exist(tmp_path: Path) -> None:
    commands = COMMAND.findall(PAGE.read_text())
    assert len(commands) > 5, commands
    for words in commands:
        words = words.removesuffix(" on")
        done = command(tmp_path, *words.split(), "--help")
        assert done.code == YES and f"USAGE: motivator {words} " in done.text, words

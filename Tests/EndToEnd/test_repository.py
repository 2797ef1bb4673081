"""The repository's folders, packages and imports, as the project's assignment requires them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.server import ROOT

TOP_LEVEL = ("Package.swift", "Sources", "Tests", "Public", "certs", "scripts", "docker-compose.yml")
# The maximum size of the site's style sheet in bytes. It fits into one record of TLS.
STYLE_SHEET_LIMIT = 16 << 10
NETWORKING = {"NIO", "NIOCore", "NIOPosix", "NIOSSL", "NIOHTTP1", "Network", "Hummingbird", "Vapor", "FlyingFox"}


@pytest.mark.parametrize("name", TOP_LEVEL)
def test_the_top_level_has_the_required_entries(name: str) -> None:
    # Git does not track empty folders.
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", name],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    assert [file for file in listed.stdout.splitlines() if (ROOT / file).is_file()]


def test_the_server_uses_sockets_dispatch_and_openssl_directly() -> None:
    sources = {path: path.read_text() for path in (ROOT / "Sources").rglob("*.swift")}
    imports = {
        module: {
            path.relative_to(ROOT / "Sources").parts[0] for path, text in sources.items() if imported(module, text)
        }
        for module in NETWORKING | {"Dispatch", "COpenSSL"}
    }
    assert {"Server", "TLS"} & imports["COpenSSL"] and "Server" in imports["Dispatch"]
    assert not any(imports[module] for module in NETWORKING)
    server = "".join(text for path, text in sources.items() if path.parts[-2] in ("Server", "Platform"))
    for call in ("socket", "bind", "listen", "accept4", "recv", "send"):
        assert re.search(rf"\b{call}\(", server), call
    assert "swift-nio" not in (ROOT / "Package.swift").read_text()


def imported(module: str, text: str) -> bool:
    return re.search(rf"^\s*(?:\w+ )?import {module}$", text, re.MULTILINE) is not None


def test_a_build_needs_the_packages_of_the_assignment() -> None:
    found = re.search(r"^readonly build_packages=\((.*)\)$", (ROOT / "scripts/setup").read_text(), re.MULTILINE)
    assert found
    # pkg-config finds the libraries of the other packages.
    assert set(found[1].split()) == {"libssl-dev", "libsqlite3-dev", "zlib1g-dev", "pkg-config"}


def test_the_style_sheet_is_short() -> None:
    assert 0 < (ROOT / "Public/style.css").stat().st_size <= STYLE_SHEET_LIMIT


@pytest.mark.parametrize("has_folder", [True, False], ids=["with certs", "without certs"])
def test_serve_starts_in_a_fresh_checkout_without_an_error(tmp_path: Path, has_folder: bool) -> None:
    scripts, program = tmp_path / "scripts", tmp_path / ".build/release/motivator"
    scripts.mkdir()
    program.parent.mkdir(parents=True)
    shutil.copy(ROOT / "scripts/serve", scripts)
    for stub in (scripts / "setup", scripts / "build", program):
        stub.write_text('#!/bin/sh\n[ "${0##*/}" = motivator ] && echo "$@"\nexit 0\n')
        stub.chmod(0o755)
    if has_folder:
        (tmp_path / "certs").mkdir(mode=0o775)
    done = subprocess.run([scripts / "serve", "--echo"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("serve --certificates certs ") and done.stdout.endswith(" --echo\n")
    assert (tmp_path / "certs").stat().st_mode & 0o022 == 0

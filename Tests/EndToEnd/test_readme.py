"""The README's commands, run as they stand."""

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from support.server import ROOT, STOP_LIMIT, Lines

README = ROOT / "README.md"
BLOCK = re.compile(r"^<!-- test -->\n+```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE_LIMIT = 60
# The line that serves builds first, which is quick here because the binary is there.
BUILD_LIMIT = 300


def commands() -> list[str]:
    """The lines of all marked blocks, a line that ends in a backslash joined to the next."""
    blocks = BLOCK.findall(README.read_text())
    return [
        line for block in blocks for line in block.replace("\\\n", " ").splitlines() if line.strip() and line[0] != "#"
    ]


def shell(line: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=ROOT,
        env={**os.environ, "HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LINE_LIMIT,
    )


@pytest.mark.timeout(600)
def test_the_commands_of_the_readme_do_what_it_says(tmp_path: Path) -> None:
    """The server runs as the README says, on its default ports, while the other lines are run one after the other."""
    lines = commands()
    assert any(line.startswith("scripts/serve") for line in lines), "the README has no marked line that serves"
    assert any("curl" in line for line in lines), "the README has no marked line that asks the server"
    serving = next(line for line in lines if line.startswith("scripts/serve"))
    server = subprocess.Popen(
        ["bash", "-c", f"exec {serving}"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = Lines()
    reader = threading.Thread(target=said.take, args=(server.stdout,), daemon=True)
    reader.start()
    try:
        said.wait_for(lambda line: "https://" in line, limit=BUILD_LIMIT)
        for line in lines:
            if line != serving:
                done = shell(line, tmp_path)
                assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait(STOP_LIMIT)
    assert code == 0, said.text

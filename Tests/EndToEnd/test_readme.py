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


def scripts() -> list[str]:
    """The marked blocks."""
    return BLOCK.findall(README.read_text())


def shell(script: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=ROOT,
        env={**os.environ, "HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LINE_LIMIT,
    )


@pytest.mark.timeout(600)
def test_the_commands_of_the_readme_do_what_it_says(tmp_path: Path) -> None:
    """The server runs as the README says, on its default ports, while each block is run as a script."""
    blocks = scripts()
    serving = next((line for block in blocks for line in block.splitlines() if line.startswith("scripts/serve")), None)
    assert serving, "the README has no marked line that serves"
    assert any("curl" in block for block in blocks), "the README has no marked line that asks the server"
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
        for block in blocks:
            script = block.replace(serving, "")
            done = shell(script, tmp_path)
            assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait(STOP_LIMIT)
    assert code == 0, said.text

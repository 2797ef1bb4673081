"""The commands of the README and of the pages in docs, pasted into two terminals."""

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from support.server import ROOT, Lines
from support.waiting import LIMIT

README = ROOT / "README.md"
# The marked blocks of these pages run after those of the README.
PAGES = [ROOT / "docs" / name for name in ("associated-domains.md", "shared-credentials.md", "site-and-api.md")]
# The commands for the first and the second terminal.
SERVE = re.compile(r"^<!-- serve -->\n+```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^<!-- test -->\n+```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS_LIMIT = 600
# The first command builds the program. The build is quick when the program is up to date.
BUILD_LIMIT = 600
# A shell that reads commands from a pipe reads them line by line, as from a terminal. A command that reads standard
# input would consume the following lines. The first failure ends the shell.
SHELL = ["bash", "-eEuo", "pipefail", "-s"]
TRAP = "trap 'echo \"failed: $BASH_COMMAND\" >&2' ERR\n"


@pytest.mark.timeout(BUILD_LIMIT + BLOCKS_LIMIT)
def test_the_commands_of_the_readme_work_when_pasted(tmp_path: Path) -> None:
    """Runs the server in the first terminal, on the default ports, and every marked block in the second terminal."""
    text = README.read_text()
    serve, blocks = SERVE.findall(text), BLOCK.findall(text)
    assert len(serve) == 1, "the README must have one block that starts the server"
    assert any("curl" in block for block in blocks), "no marked block sends a request to the server"
    for page in PAGES:
        marked = BLOCK.findall(page.read_text())
        assert marked, f"{page.name} has no marked block"
        blocks += marked
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    server = subprocess.Popen(
        SHELL,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert server.stdin
    server.stdin.write(serve[0])
    server.stdin.close()
    output = Lines()
    reader = threading.Thread(target=output.take, args=(server.stdout,), daemon=True)
    reader.start()
    try:
        output.wait_for(lambda line: "https://" in line, limit=BUILD_LIMIT)
        done = subprocess.run(
            SHELL,
            cwd=ROOT,
            env={**os.environ, "HOME": str(home), "TMPDIR": str(temporary)},
            input=TRAP + "".join(blocks),
            capture_output=True,
            text=True,
            timeout=BLOCKS_LIMIT,
        )
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    finally:
        # Like Ctrl-C: every process in the terminal receives the signal.
        os.killpg(server.pid, signal.SIGINT)
        code = server.wait(LIMIT)
    assert code == 0, output.text
    assert not list(home.iterdir()), "the commands left files in the home folder"
    assert not list(temporary.iterdir()), "the commands left temporary files"

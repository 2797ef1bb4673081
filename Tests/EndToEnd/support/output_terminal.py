"""Runs `motivator` with a terminal as its standard output."""

import os
import pty
import subprocess
from pathlib import Path

from support.server import BINARY, environment
from support.waiting import LIMIT


def on_a_terminal(home: Path, *arguments: str, **variables: str) -> bytes:
    """Returns the command's output when its standard output is a terminal."""
    leader, follower = pty.openpty()
    with os.fdopen(leader, "rb", buffering=0) as terminal:
        process = subprocess.Popen(
            [BINARY, *arguments],
            cwd=home,
            env=environment(home) | variables,
            stdin=subprocess.DEVNULL,
            stdout=follower,
            stderr=subprocess.PIPE,
        )
        os.close(follower)
        written = b""
        while True:
            try:
                piece = terminal.read(65536)
            except OSError:
                # EIO: the command has closed the other side.
                break
            if not piece:
                break
            written += piece
        _, err = process.communicate(timeout=LIMIT)
    assert err == b""
    return written

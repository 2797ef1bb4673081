"""System faults for a running server: failing calls, a stopped process, and clock jumps."""

import glob
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.server import Server

LIMIT = 20.0


@contextmanager
def failing(server: Server, calls: str, error: str, path: Path | None = None, when: str = "") -> Iterator[Path]:
    """Makes the server's system calls fail, for one path or for all paths. Yields the output of strace."""
    options = ["-e", f"inject={calls}:error={error}{':when=' + when if when else ''}"]
    with traced(server, calls, *options, *(("-P", str(path)) if path else ())) as record:
        yield record


@contextmanager
def traced(server: Server, calls: str, *options: str) -> Iterator[Path]:
    """Records the server's system calls, one per line. Yields the output of strace."""
    assert shutil.which("strace"), "strace is missing; scripts/setup test installs it"
    record = server.home / f"strace-{time.monotonic_ns()}"
    arguments = ["strace", "-f", "-o", str(record), "-e", f"trace={calls}", *options]
    tracer = subprocess.Popen(
        [*arguments, "-p", str(server.process.pid)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert tracer.stderr
    try:
        for line in tracer.stderr:
            if "Operation not permitted" in line:
                pytest.skip("this user is not permitted to trace another process (ptrace)")
            if "attached" in line:
                break
        else:
            raise AssertionError(f"strace ended with exit code {tracer.wait()}")
        yield record
    finally:
        if tracer.poll() is None:
            tracer.send_signal(signal.SIGINT)
        tracer.stderr.close()
        tracer.wait(LIMIT)


def was_injected(record: Path) -> bool:
    return "(INJECTED)" in record.read_text(errors="replace")


@contextmanager
def stopped(server: Server) -> Iterator[None]:
    """Stops the whole process, as a debugger or a suspended machine does."""
    server.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.signal(signal.SIGCONT)


class FakeClock:
    """The wall clock of a server that starts with `WRAPPER` and `variables`. The monotonic clock stays real."""

    # libfaketime sets a variable in the first process that loads it. This moves the environment, but Swift locates the
    # arguments relative to the environment. Therefore, another process loads libfaketime first, and the server replaces
    # that process.
    WRAPPER = ("env",)

    def __init__(self, folder: Path) -> None:
        found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
        assert found, "libfaketime is missing; scripts/setup test installs it"
        self._file = folder / "clock"
        self.set(0)
        self.variables = {
            "LD_PRELOAD": found[0],
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, seconds: int) -> None:
        """Sets the difference from the real time."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        os.replace(new, self._file)

    def remove(self, server: Server) -> None:
        """Removes the files that libfaketime leaves when the first process is replaced."""
        for left in glob.glob(f"/dev/shm/*faketime_*_{server.process.pid}"):
            os.unlink(left)

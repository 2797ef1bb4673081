"""Measurements of the memory and the descriptors of a running server."""

import contextlib
import re
import time
from collections.abc import Callable
from pathlib import Path

from support.server import Server
from support.waiting import LIMIT

# The maximum increase in the server's memory during an attack, in bytes.
MOST_ABOVE_START = 150_000_000


def status_value(server: Server, name: str) -> int:
    """Returns a size from /proc/PID/status in bytes."""
    found = re.search(rf"^{name}:\s+(\d+) kB$", Path(f"/proc/{server.process.pid}/status").read_text(), re.MULTILINE)
    assert found, f"the server with process ID {server.process.pid} has no {name}: it has exited"
    return int(found[1]) * 1024


class MemoryWatch:
    """Measures the increase of the process's resident memory since the start of the watch.

    The kernel records the peak, so the watch cannot miss a peak between two samples.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        with contextlib.suppress(PermissionError):
            # Writing 5 resets the peak (proc_pid_clear_refs(5)).
            Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")
        self.start = status_value(server, "VmRSS")

    @property
    def above_start(self) -> int:
        return status_value(self._server, "VmHWM") - self.start

    @property
    def now(self) -> int:
        return status_value(self._server, "VmRSS") - self.start

    def hold(self, most: int = MOST_ABOVE_START) -> None:
        above = self.above_start
        assert above < most, f"memory rose by {above / 1e6:.0f} MB, more than {most / 1e6:.0f} MB"


def wait_until(condition: Callable[[], bool], server: Server, limit: float = LIMIT) -> bool:
    """Waits for a condition of the server's process. Makes one request per round, and never sleeps."""
    deadline = time.monotonic() + limit
    while not condition():
        if time.monotonic() > deadline:
            return False
        with contextlib.suppress(OSError, AssertionError), server.connect() as wire:
            wire.ask("/digits.txt", "Connection: close")
            wire.wait_for_end()
    return True

"""The server's view of a service manager: passed listeners, and a socket for notifications."""

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

from support.waiting import LIMIT
from support.wire import ADDRESS


def listener() -> socket.socket:
    """Returns a listening socket, like a socket unit."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((ADDRESS, 0))
    listening.listen()
    return listening


def port(listening: socket.socket) -> int:
    return listening.getsockname()[1]


def passing(*descriptors: int, process: str = "$$") -> tuple[str, ...]:
    """Returns a wrapper that passes descriptors, starting at number 3 (sd_listen_fds(3))."""
    moves = " ".join(f"{10 + index}<&{number}" for index, number in enumerate(descriptors))
    final = " ".join(f"{3 + index}<&{10 + index} {10 + index}<&-" for index in range(len(descriptors)))
    script = f'exec {moves}; exec {final}; LISTEN_PID={process} LISTEN_FDS={len(descriptors)} exec "$@"'
    return ("bash", "-c", script, "bash")


class Notifications:
    """The socket that receives the service's state."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        # In the variable, "@" stands for the zero byte of the abstract namespace.
        self.socket.bind(address.replace("@", "\0", 1) if address.startswith("@") else address)
        self.socket.settimeout(LIMIT)

    def wait_for(self, state: str) -> list[str]:
        """Waits for a notification with this assignment, and returns its lines."""
        while True:
            lines = self.socket.recv(4096).decode().split("\n")
            if state in lines:
                return lines


@contextlib.contextmanager
def notifications(address: str | Path) -> Iterator[Notifications]:
    received = Notifications(str(address))
    try:
        yield received
    finally:
        received.socket.close()

"""Clients that send or read slowly, and the time until the server ends their connections."""

import select
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass

from support.answers import Answer
from support.wire import Ending, Wire


@dataclass(frozen=True)
class End:
    """How a slow connection ended."""

    seconds: float
    answer: Answer | None
    ending: Ending

    def __str__(self) -> str:
        status = self.answer.status if self.answer else "no response"
        return f"{status}, {self.ending.value}, after {self.seconds:.1f} s"


def trickle(wire: Wire, head: bytes, pieces: Iterable[tuple[float, bytes]], limit: float) -> End:
    """Sends each piece after its pause while reading. Stops at a response, a close or the limit.

    The pauses are the attack. The end of the connection interrupts them.
    """
    poll = select.poll()
    poll.register(wire.descriptor, select.POLLIN)
    began = time.monotonic()
    due = began
    wire.send(head)
    remaining = iter(pieces)
    answer: Answer | None = None
    pause, piece = next(remaining, (limit, b""))
    due += pause
    while time.monotonic() - began < limit and wire.ending is Ending.OPEN:
        # A server may respond before it closes the connection. Wait for the close, too.
        timeout = min(due, began + limit) - time.monotonic()
        if poll.poll(max(0.0, timeout) * 1000):
            answer = wire.take() or answer
        elif time.monotonic() >= due and not answer:
            wire.send(piece)
            pause, piece = next(remaining, (limit, b""))
            due += pause
        elif answer:
            due = began + limit
    return End(time.monotonic() - began, answer, wire.ending)


def is_held(wire: Wire) -> bool:
    """Returns whether the server still has the connection open.

    A client that does not read never sees the FIN after the unread data. The state of the server's socket is reliable:
    after the server closes a socket, the system lists it without an inode.
    """
    server, client = f":{wire.port:04X}", f":{wire.local_port:04X}"
    with open("/proc/self/net/tcp") as table:
        for line in table:
            columns = line.split()
            if columns[1].endswith(server) and columns[2].endswith(client):
                return columns[9] != "0"
    return False


def read_slowly(wire: Wire, rate: float, limit: float, step: float = 0.5) -> float | None:
    """Reads `rate` raw bytes per second from the socket. Returns the seconds until the connection ended."""
    plain = socket.socket(fileno=wire.descriptor)
    try:
        poll = select.poll()
        poll.register(plain, select.POLLRDHUP)
        began = time.monotonic()
        owed = 0.0
        while time.monotonic() - began < limit:
            # The pause is the attack. A reset interrupts it.
            if poll.poll(step * 1000) or not is_held(wire):
                return time.monotonic() - began
            owed += rate * step
            try:
                owed -= len(plain.recv(int(owed), socket.MSG_DONTWAIT)) if owed >= 1 else 0
            except BlockingIOError:
                owed = 0.0
            except OSError:
                return time.monotonic() - began
        return None
    finally:
        plain.detach()

"""Many client connections in one loop. Each connects, sends bytes and counts the responses."""

import contextlib
import itertools
import os
import select
import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Self

from support.answers import Answer, AnswerReader, FramingFault
from support.server import Server
from support.waiting import Patience
from support.wire import ADDRESS, NAME

# The maximum number of connections that have not completed their handshake.
OPENING = 64
# The size of one write in bytes. A larger piece would be copied repeatedly while the server does not read.
PIECE = 64 << 10
IP_BIND_ADDRESS_NO_PORT = 24


def sources(count: int, first: int = 2) -> list[str]:
    """Returns loopback addresses. The server treats each address as a separate client."""
    return [f"127.0.{number // 250}.{number % 250 + 1}" for number in range(first - 1, first - 1 + count)]


def trusting_context() -> ssl.SSLContext:
    """Returns a TLS context without certificate verification, which would only slow down the attacker."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class State(Enum):
    CONNECTING = auto()
    HANDSHAKE = auto()
    OPEN = auto()
    CLOSED = auto()


class Member:
    """A connection. After `release_tls`, only its descriptor remains, and the connection stays open."""

    def __init__(self, port: int, source: str, context: ssl.SSLContext | None) -> None:
        raw = socket.socket()
        raw.setblocking(False)
        raw.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw.bind((source, 0))
        raw.connect_ex((ADDRESS, port))
        self.source = source
        self.state = State.CONNECTING
        self.socket: socket.socket = raw
        self.out = memoryview(b"")
        self.reads = True
        self.sent = 0
        self.received = 0
        self.statuses: list[int] = []
        self.fault = ""
        self._is_released = False
        self._reader = AnswerReader()
        self._context = context
        self._wants = select.EPOLLOUT

    @property
    def is_open(self) -> bool:
        return self.state is State.OPEN

    @property
    def is_closed(self) -> bool:
        return self.state is State.CLOSED

    @property
    def events(self) -> int:
        if self.state is State.OPEN:
            return (select.EPOLLIN if self.reads else 0) | (select.EPOLLOUT if self.out else 0)
        return self._wants

    def send(self, message: bytes | memoryview) -> None:
        self.out = memoryview(message) if not self.out else memoryview(bytes(self.out) + bytes(message))

    def close(self) -> None:
        self.state = State.CLOSED
        self.socket.close()

    def abort(self) -> None:
        """Closes the connection with RST."""
        with contextlib.suppress(OSError):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.close()

    def release_tls(self) -> None:
        """Frees the TLS state of an open connection that sends nothing more."""
        if self.is_open and isinstance(self.socket, ssl.SSLSocket):
            self.socket = socket.socket(fileno=self.socket.detach())
            self._is_released = True

    def advance(self, events: int) -> list[Answer]:
        """Reads and writes without blocking. Returns the complete responses."""
        try:
            if self.state is State.CONNECTING:
                self._connected()
            if self.state is State.HANDSHAKE:
                self._continue_handshake()
            if self.state is State.OPEN:
                if self.out:
                    self._write()
                if self.reads and events & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
                    return self._read()
        except FramingFault as fault:
            self.fault = str(fault)
            self.close()
        except OSError as error:
            self.fault = f"{type(error).__name__}: {error}"
            self.close()
        return []

    def _connected(self) -> None:
        error = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise OSError(error, os.strerror(error))
        self.state = State.OPEN
        if self._context:
            self.state = State.HANDSHAKE
            self.socket = self._context.wrap_socket(
                self.socket, server_hostname=NAME, do_handshake_on_connect=False, suppress_ragged_eofs=True
            )

    def _continue_handshake(self) -> None:
        assert isinstance(self.socket, ssl.SSLSocket)
        try:
            self.socket.do_handshake()
            self.state = State.OPEN
        except ssl.SSLWantReadError:
            self._wants = select.EPOLLIN
        except ssl.SSLWantWriteError:
            self._wants = select.EPOLLOUT

    def _write(self) -> None:
        try:
            while self.out:
                count = self.socket.send(self.out[:PIECE])
                self.sent += count
                self.out = self.out[count:]
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError, BlockingIOError):
            pass
        except OSError:
            # The server's last response may still be readable.
            self.out = memoryview(b"")

    def _read(self) -> list[Answer]:
        answers: list[Answer] = []
        try:
            while True:
                data = self.socket.recv(PIECE)
                if not data:
                    self.close()
                    break
                self.received += len(data)
                if self._is_released:
                    continue
                self._reader.feed(data)
                while answer := self._reader.next():
                    answers.append(answer)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
            pass
        except OSError as error:
            self.fault = f"{type(error).__name__}: {error}"
            self.close()
        self.statuses += [answer.status for answer in answers]
        return answers


class Crowd:
    """Connections from one or several addresses in turn."""

    def __init__(self, server: Server, addresses: Sequence[str], *, tls: bool = True, port: int | None = None) -> None:
        self.members: list[Member] = []
        self.on_answer: Callable[[Member, Answer], None] = lambda member, answer: None
        self._port = port or server.port
        self._addresses = itertools.cycle(addresses)
        self._context = trusting_context() if tls else None
        self._poll = select.epoll()
        self._registered: dict[int, Member] = {}
        self._events: dict[Member, tuple[int, int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for member in self.members:
            member.close()
        self._poll.close()

    @property
    def statuses(self) -> Counter[int]:
        return Counter(status for member in self.members for status in member.statuses)

    @property
    def open(self) -> list[Member]:
        return [member for member in self.members if member.is_open]

    def add(self, message: bytes = b"") -> Member:
        """Starts a connection. `drive` completes it, then sends the message."""
        member = Member(self._port, next(self._addresses), self._context)
        member.send(message)
        self.members.append(member)
        self.update(member)
        return member

    def join(self, count: int, message: bytes = b"", limit: float = 60.0) -> list[Member]:
        """Opens connections, and waits until each is open or closed. A refused connection is not an error.

        The limit restarts with each of them.
        """
        added: list[Member] = []
        opening: set[Member] = set()
        patience = Patience(limit)
        while len(added) < count or opening:
            while len(added) < count and len(opening) < OPENING:
                member = self.add(message)
                added.append(member)
                opening.add(member)
            self.turn(time.monotonic() + patience.left)
            left = {one for one in opening if one.state in (State.CONNECTING, State.HANDSHAKE)}
            if left != opening:
                patience.restart()
            opening = left
            if not patience.left:
                break
        return added

    def drive(self, done: Callable[[], bool], limit: float) -> bool:
        """Drives all connections until `done`. Returns False after the time limit."""
        deadline = time.monotonic() + limit
        while not done():
            if time.monotonic() > deadline:
                return False
            self.turn(deadline)
        return True

    def turn(self, deadline: float) -> None:
        """Handles events for at most 50 ms, so that the caller can check its own condition."""
        for descriptor, events in self._poll.poll(max(0.0, min(0.05, deadline - time.monotonic())), 512):
            member = self._registered.get(descriptor)
            if not member:
                continue
            for answer in member.advance(events):
                self.on_answer(member, answer)
            self.update(member)

    def update(self, member: Member) -> None:
        """Registers the events that the member waits for."""
        known = self._events.get(member)
        if member.is_closed:
            if known:
                # The kernel removes a closed descriptor automatically.
                if self._registered.get(known[0]) is member:
                    del self._registered[known[0]]
                del self._events[member]
            return
        now = (member.socket.fileno(), member.events)
        if known == now:
            return
        if known:
            self._poll.modify(*now)
        else:
            self._poll.register(*now)
        self._registered[now[0]] = member
        self._events[member] = now

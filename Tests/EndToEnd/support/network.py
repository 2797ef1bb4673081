"""Machines on a local network. Each machine is a network namespace with its own addresses and host name."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.answers import Answer, AnswerReader
from support.waiting import LIMIT
from support.wire import ADDRESS

LAPTOP, PHONE = "10.20.30.40", "10.20.30.41"
NAME = "laptop.local"
# Shows a file as /etc/hosts to a command, in a mount namespace of the command.
HOSTS = 'mount --bind "$0" /etc/hosts && exec "$@"'
# Sets the host name, starts the loopback interface, and then echoes its input until the input ends.
HOLD = 'hostname "$0" && ip link set lo up && exec cat'
USER = () if os.geteuid() == 0 else ("--user", "--preserve-credentials")
MAPPED = () if os.geteuid() == 0 else ("--map-root-user",)


@dataclass(frozen=True)
class Machine:
    """A process that keeps the namespaces until its input ends."""

    pid: int
    # The file that resolves names on this machine, in place of multicast DNS.
    hosts: Path | None = None

    @property
    def enter(self) -> tuple[str, ...]:
        """The prefix of a command that runs on this machine."""
        resolving = ("unshare", "--mount", "sh", "-c", HOSTS, str(self.hosts)) if self.hosts else ()
        return ("nsenter", "--target", str(self.pid), *USER, "--net", "--uts", *resolving)

    def run(self, *command: str | Path, **settings: str | Path) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*self.enter, *command], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, **settings
        )

    def configure(self, *lines: str) -> None:
        """Runs commands of `ip`."""
        for line in lines:
            done = self.run("ip", *line.split())
            assert done.returncode == 0, f"ip {line}: {done.stderr.decode()}"

    def get(self, url: str, *options: str) -> Answer:
        """Requests a URL with curl, and asserts that a response arrives."""
        done = self.run(
            *("curl", "--silent", "--show-error", "--noproxy", "*", "--max-time", str(LIMIT), "--include"),
            *("--globoff", *options, url),
        )
        assert done.returncode == 0, done.stderr.decode()
        reader = AnswerReader()
        reader.feed(done.stdout)
        reader.end()
        answer = reader.next()
        assert answer
        return answer

    @contextmanager
    def forwarded(self, port: int) -> Iterator[int]:
        """Opens a port in the tests' own network that forwards to a port on this machine's loopback address."""
        with socket.create_server((ADDRESS, 0)) as listener:
            command = [sys.executable, str(Path(__file__).with_name("relay.py")), str(listener.fileno())]
            relay = subprocess.Popen([*self.enter, *command, ADDRESS, str(port)], pass_fds=[listener.fileno()])
            try:
                yield listener.getsockname()[1]
            finally:
                relay.terminate()
                relay.wait(LIMIT)


@contextmanager
def machine(name: str, beside: Machine | None = None) -> Iterator[Machine]:
    """Creates a machine without a network. It can later be connected to the machine `beside`."""
    before = beside.enter if beside else ("unshare", *MAPPED, "--net", "--uts")
    command = [*before, "unshare", "--net", "--uts", "sh", "-c", HOLD, name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdin and holder.stdout
        holder.stdin.write(b"ready\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == b"ready\n"
        yield Machine(holder.pid)
        holder.stdin.close()
        holder.wait(LIMIT)


@contextmanager
def local_network() -> Iterator[tuple[Machine, Machine]]:
    """Creates a laptop and a phone on the same network."""
    with ExitStack() as stack:
        laptop = stack.enter_context(machine(NAME.removesuffix(".local")))
        phone = stack.enter_context(machine("phone", laptop))
        laptop.configure(f"link add name lan0 type veth peer name lan0 netns {phone.pid}")
        for one, address in ((laptop, LAPTOP), (phone, PHONE)):
            one.configure(f"addr add {address}/24 dev lan0", "link set lan0 up")
        yield laptop, phone


@pytest.fixture
def laptop() -> Iterator[Machine]:
    """A laptop with a single address on a local network without other machines."""
    with machine("laptop") as one:
        one.configure(f"addr add {LAPTOP}/32 dev lo")
        yield one

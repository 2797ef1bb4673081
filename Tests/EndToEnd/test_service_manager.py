"""The protocols of systemd: passed listeners (sd_listen_fds(3)), and notifications (sd_notify(3))."""

import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from support.fixtures import Start
from support.manager import listener, notifications, passing, port
from support.server import BINARY, Server, environment, free_port
from support.waiting import LIMIT
from support.wire import ADDRESS, NAME, Wire


@pytest.fixture
def socket_path() -> Iterator[Path]:
    # A socket's path is limited to 107 bytes. The paths of pytest's folders can be longer.
    with tempfile.TemporaryDirectory(prefix="motivator-", dir="/tmp") as folder:
        yield Path(folder) / "notify"


def activated(start: Start, secure: socket.socket, plain: socket.socket, **more: Any) -> Server:
    numbers = (plain.fileno(), secure.fileno())
    options = ("--plain-port", str(port(plain)))
    return start(*options, port=port(secure), wrapper=passing(*numbers), descriptors=numbers, **more)


def test_the_server_uses_the_passed_listeners(start: Start) -> None:
    with listener() as secure, listener() as plain:
        server = activated(start, secure, plain)
        assert server.port == port(secure)
        assert server.ready["plain"] == port(plain)
        with server.connect() as wire:
            assert wire.ask("/").status == 200
        with Wire(port(plain)) as wire:
            assert wire.ask("/", host=ADDRESS).status == 200


def test_no_connection_is_lost_while_the_server_restarts(start: Start) -> None:
    with listener() as secure, listener() as plain:
        first = activated(start, secure, plain)
        context = first.context
        started, restarted = threading.Barrier(5, timeout=LIMIT), threading.Event()

        def visit(is_secure: bool) -> None:
            with Wire(port(secure), context) if is_secure else Wire(port(plain)) as wire:
                assert wire.ask("/", host=NAME if is_secure else ADDRESS).status == 200

        def visit_repeatedly(is_secure: bool) -> None:
            visit(is_secure)
            started.wait()
            while not restarted.is_set():
                visit(is_secure)
            visit(is_secure)

        with ThreadPoolExecutor(4) as pool:
            visitors = [pool.submit(visit_repeatedly, is_secure) for is_secure in (True, False) * 2]
            started.wait()
            first.stop()
            # The manager's sockets are still listening. New connections wait in their queues.
            activated(start, secure, plain, certificates=first.certificates)
            restarted.set()
        for visitor in visitors:
            visitor.result()


def refused(home: Path, descriptors: tuple[int, ...], *options: str) -> subprocess.CompletedProcess[str]:
    command = [*passing(*descriptors), BINARY, "serve", "--admin", "off", "--certificates", "certs", *options]
    return subprocess.run(
        [*command, "--database", ":memory:"],
        cwd=home,
        env=environment(home),
        pass_fds=descriptors,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )


def test_a_passed_port_that_no_option_names_is_an_error(tmp_path: Path) -> None:
    with listener() as secure:
        done = refused(tmp_path, (secure.fileno(),), "--port", str(free_port()), "--plain-port", "0")
    assert done.returncode == 64, done
    assert "but its port is neither --port nor --plain-port" in done.stderr
    assert "socket unit" in done.stderr


def test_a_passed_file_is_an_error(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file:
        done = refused(tmp_path, (file.fileno(),))
    assert done.returncode == 78, done
    assert "the passed descriptor 3 is not a listening IPv4 or IPv6 socket" in done.stderr


def test_listeners_for_another_process_are_ignored(start: Start) -> None:
    with listener() as other:
        numbers = (other.fileno(),)
        server = start(wrapper=passing(*numbers, process=str(os.getpid())), descriptors=numbers)
        assert server.port != port(other)


@pytest.mark.parametrize("kind", ["file", "abstract"])
def test_the_service_manager_receives_the_state_of_the_server(start: Start, socket_path: Path, kind: str) -> None:
    address = f"@motivator-test-{os.getpid()}" if kind == "abstract" else str(socket_path)
    with notifications(address) as received:
        server = start(variables={"NOTIFY_SOCKET": address})
        received.wait_for("READY=1")
        before = time.monotonic_ns() // 1_000
        server.signal(signal.SIGHUP)
        lines = received.wait_for("RELOADING=1")
        stamp = re.search(r"^MONOTONIC_USEC=(\d+)$", "\n".join(lines), re.MULTILINE)
        assert stamp and before <= int(stamp[1]) <= time.monotonic_ns() // 1_000
        received.wait_for("READY=1")
        server.stop()
        received.wait_for("STOPPING=1")


def test_the_watchdog_is_notified_repeatedly(start: Start, socket_path: Path) -> None:
    with notifications(socket_path) as received:
        variables = {"NOTIFY_SOCKET": str(socket_path), "WATCHDOG_USEC": "200000"}
        start(variables=variables)
        notified = [received.wait_for("WATCHDOG=1") for _ in range(3)]
    assert notified == [["WATCHDOG=1"]] * 3


def test_an_unreachable_manager_does_not_stop_the_server(start: Start, tmp_path: Path) -> None:
    server = start(variables={"NOTIFY_SOCKET": str(tmp_path / "missing")})
    server.err.wait_for(lambda line: "could not notify the service manager" in line)
    with server.connect() as wire:
        assert wire.ask("/").status == 200

"""kill -9 at random times: after a restart, every acknowledged change exists, and the database is intact.

MOTIVATOR_CRASHES is the number of crashes, by default 8. With MOTIVATOR_FULL, the crashes continue until the server has
acknowledged 5,000 changes.
"""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.people import App, together
from support.server import UNLIMITED, Server
from support.waiting import LIMIT

ROUNDS = int(os.environ.get("MOTIVATOR_CRASHES", "8"))
CLIENTS = 8
IS_FULL = "MOTIVATOR_FULL" in os.environ
# The maximum number of acknowledgments before the crash.
MOST = 1250 if IS_FULL else 120
# The number of acknowledgments in all rounds together.
LEAST = 5000 if IS_FULL else ROUNDS


@dataclass
class Ledger:
    """The possible passwords of each account: the acknowledged password and, during a change, the new password."""

    passwords: dict[str, set[str | None]] = field(default_factory=dict)
    acknowledged: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def begins(self, name: str, password: str) -> None:
        with self.changed:
            self.passwords.setdefault(name, {None}).add(password)

    def acknowledges(self, name: str, password: str) -> None:
        with self.changed:
            self.passwords[name] = {password}
            self.acknowledged += 1
            self.changed.notify_all()

    def wait_for(self, number: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.acknowledged >= number, timeout=LIMIT), self.acknowledged


def live(server: Server, ledger: Ledger, prefix: str) -> None:
    """Signs up and changes passwords until the connection ends."""
    with App(server) as app:
        for number in range(10_000):
            name = f"{prefix}-{number}"
            current = f"the first password of {name}"
            ledger.begins(name, current)
            answer = app.call("/api/signup", {"username": name, "password": current})
            assert answer.status == 201, (answer.status, answer.text)
            ledger.acknowledges(name, current)
            for change in range(3):
                new = f"password {change} of {name}"
                ledger.begins(name, new)
                answer = app.update(name, current, new)
                assert answer.status == 200, (answer.status, answer.text)
                ledger.acknowledges(name, new)
                current = new


def crash(
    server: Server, ledger: Ledger, prefix: str, moments: random.Random, number: signal.Signals = signal.SIGKILL
) -> int:
    """Runs 8 clients until the signal is sent. Returns the exit code."""
    over = threading.Event()
    failures: list[BaseException] = []

    def one(index: int) -> None:
        try:
            live(server, ledger, f"{prefix}-{index}")
        except (AssertionError, OSError) as failure:
            if not over.is_set():
                failures.append(failure)

    threads = [threading.Thread(target=one, args=(index,), daemon=True) for index in range(CLIENTS)]
    before = ledger.acknowledged
    for thread in threads:
        thread.start()
    try:
        ledger.wait_for(before + moments.randint(1, MOST))
        # Waits a random time, so that the crash does not always occur just after an acknowledgment.
        for _ in range(moments.randint(0, 3000)):
            os.sched_yield()
    finally:
        over.set()
        server.signal(number)
        code = server.wait()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return code


def check_file(server: Server, at: Path) -> None:
    """Checks a copy of the database, because the server itself must recover the original."""
    shutil.copytree(server.database.parent, at)
    with contextlib.closing(sqlite3.connect(at / server.database.name)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert copy.execute("PRAGMA foreign_key_check").fetchall() == []
    shutil.rmtree(at)


def check_accounts(server: Server, ledger: Ledger, prefix: str) -> int:
    """Signs in to all accounts of a round. Returns the number of accounts."""
    names = [name for name in ledger.passwords if name.startswith(prefix)]

    def part(index: int) -> None:
        with App(server) as app:
            for name in names[index::CLIENTS]:
                possible = ledger.passwords[name]
                right = {password for password in possible if password and app.sign_in(name, password).status == 200}
                if None in possible:
                    assert len(right) <= 1, f"{name}: {right}"
                else:
                    assert len(right) == 1, f"{name}: none of {possible} signs in"

    together(CLIENTS, part)
    return len(names)


@pytest.mark.timeout(600 + 60 * ROUNDS)
def test_acknowledged_changes_survive_every_kill(tmp_path: Path) -> None:
    moments = random.Random(os.environ.get("MOTIVATOR_SEED", "9112"))
    ledger = Ledger()
    home = tmp_path / "home"
    home.mkdir()
    server = Server(home, *UNLIMITED)
    try:
        number = -1
        while (number := number + 1) < ROUNDS or ledger.acknowledged < LEAST:
            assert crash(server, ledger, f"round{number}", moments) == -signal.SIGKILL
            check_file(server, tmp_path / "copy")
            server = Server(home, *UNLIMITED)
            assert check_accounts(server, ledger, f"round{number}-") > 0
        assert check_accounts(server, ledger, "round") == len(ledger.passwords)
        print(f"{ledger.acknowledged} acknowledged changes in {number} rounds")
        server.stop()
    finally:
        server.kill()
    check_file(server, tmp_path / "copy")

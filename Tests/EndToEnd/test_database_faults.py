"""A database that fails while the server runs: the server returns 503 with a reason, serves reads, and recovers."""

import os
import resource
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.answers import Answer
from support.disks import fill, image_disk, memory_disk
from support.page import Page
from support.people import OTHER, PASSWORD, App, Visitor, refused
from support.server import Server, run

ASSOCIATION = "/.well-known/apple-app-site-association"
UNAVAILABLE = 69
PATIENCE = 20.0
# More attempts than fit into the remaining space, including a restarted write-ahead log.
MOST = 2000

Start = Callable[..., Server]


@dataclass
class Town:
    """People with accounts, and the server's acknowledgments to each."""

    app: App
    # Names and acknowledged passwords.
    acknowledged: dict[str, str] = field(default_factory=dict)
    number: int = 0

    def try_to_settle(self) -> Answer:
        self.number += 1
        name = f"citizen-{self.number}"
        answer = self.app.call("/api/signup", {"username": name, "password": PASSWORD})
        assert answer.status in (201, 503), (answer.status, answer.text)
        if answer.status == 201:
            self.acknowledged[name] = PASSWORD
        return answer

    def settle(self, number: int) -> None:
        for _ in range(number):
            answer = self.try_to_settle()
            assert answer.status == 201, answer.text

    def settle_until_refused(self) -> Answer:
        for _ in range(MOST):
            answer = self.try_to_settle()
            if answer.status == 503:
                return answer
        raise AssertionError("writes succeed although the database cannot accept any")

    def hold(self, app: App | None = None) -> None:
        """Asserts that everything acknowledged exists."""
        assert self.acknowledged
        for name, password in self.acknowledged.items():
            assert (app or self.app).sign_in(name, password).status == 200, name


@contextmanager
def full_disk(server: Server) -> Iterator[None]:
    ballast = fill(server.database.parent)
    yield
    ballast.unlink()


@contextmanager
def locked(server: Server) -> Iterator[None]:
    other = sqlite3.connect(server.database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield
    other.execute("ROLLBACK")
    other.close()


FAULTS = [("a full disk", full_disk, "full"), ("a lock of another program", locked, "lock")]


def unavailable(answer: Answer) -> None:
    refused(answer, 503, "unavailable")
    assert 1 <= int(answer.field("Retry-After")) <= 3600


@pytest.mark.parametrize(("fault", "reason"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_writes_wait_for_the_end_of_the_fault_and_reads_go_on(
    tmp_path: Path, fault: Callable[[Server], Iterator[None]], reason: str
) -> None:
    with ExitStack() as stack:
        stack.enter_context(memory_disk(tmp_path / "data"))
        server = Server(tmp_path, "--failures-per-address", "1000000", "--sign-ups-per-address", "1000000")
        stack.callback(server.stop)
        app = stack.enter_context(App(server))
        visitor = stack.enter_context(Visitor(server))
        town = Town(app)
        town.settle(20)
        assert visitor.sign_in("citizen-1").status == 303
        token = app.sign_up("Reader")
        before = len(server.err.lines)
        with fault(server):
            unavailable(town.settle_until_refused())
            line = server.err.wait_for(lambda line: "unavailable" in line and reason in line.lower(), since=before)
            assert PASSWORD not in line
            unavailable(app.sign_in("citizen-2"))
            unavailable(app.update("citizen-2", PASSWORD, OTHER))
            unavailable(app.call("/api/account", {"password": PASSWORD}, method="DELETE", token=token))

            assert app.send("GET", ASSOCIATION).status == 200
            assert app.is_signed_in(token)
            assert "citizen-1" in (visitor.name or "")
            refusal = visitor.submit("/update", changed())
            assert refusal.status == 503
            assert int(refusal.field("Retry-After")) >= 1
            page = Page.of(refusal.content)
            assert page.alerts
            assert page.form("/update").inputs["username"].get("value") == "citizen-1"
            outcome = run(tmp_path, "healthcheck", "--admin", server.admin_address)
            assert outcome.code == UNAVAILABLE, "a server that cannot write is not healthy"
        town.settle(1)
        town.hold()
        assert visitor.submit("/update", changed()).status == 303
        town.acknowledged["citizen-1"] = OTHER
        healthy_again(tmp_path, server)
        server.stop()
        again = Server(tmp_path, "--failures-per-address", "1000000", "--sign-ups-per-address", "1000000")
        stack.callback(again.stop)
        town.hold(stack.enter_context(App(again)))


def healthy_again(home: Path, server: Server) -> None:
    """Waits until the server is healthy again. The server caches a health result for a second to keep checks cheap."""
    deadline = time.monotonic() + PATIENCE
    while run(home, "healthcheck", "--admin", server.admin_address).code:
        assert time.monotonic() < deadline, "the fault is over, but the server is still unhealthy"


def changed() -> dict[str, str]:
    return {"current_password": PASSWORD, "new_password": OTHER, "confirm_new_password": OTHER}


def test_the_log_of_a_long_fault_is_short(start: Start) -> None:
    server = start()
    with App(server) as app:
        app.sign_up("First")
        before = len(server.err.lines)
        with locked(server):
            for number in range(20):
                unavailable(app.call("/api/signup", {"username": f"n{number}", "password": PASSWORD}))
        app.sign_up("Last")
    server.stop()
    reasons = [line for line in server.err.lines[before:] if "lock" in line.lower()]
    # Each attempt waits a quarter of a second for the lock. The log reports the reason at most once per second.
    assert 1 <= len(reasons) < 20, reasons


def test_a_disk_that_becomes_read_only_takes_nothing_and_loses_nothing(tmp_path: Path) -> None:
    image, at = tmp_path / "disk.img", tmp_path / "data"
    with ExitStack() as stack:
        switch = stack.enter_context(image_disk(image, at))
        server = Server(tmp_path)
        stack.callback(server.stop)
        app = stack.enter_context(App(server))
        town = Town(app)
        town.settle(5)
        token = app.sign_up("Reader")
        before = len(server.err.lines)
        switch.write_text("a test breaks this disk\n")
        unavailable(town.settle_until_refused())
        server.err.wait_for(lambda line: "accounts are unavailable" in line, since=before)
        assert app.send("GET", ASSOCIATION).status == 200
        assert app.is_signed_in(token)
    # A mount namespace of another test may still use the broken file system of the first image.
    with ExitStack() as stack:
        stack.enter_context(image_disk(Path(shutil.copy(image, tmp_path / "copy.img")), at))
        again = Server(tmp_path)
        stack.callback(again.stop)
        after = Town(stack.enter_context(App(again)), town.acknowledged, town.number)
        after.hold()
        after.settle(1)


def test_accounts_work_without_a_free_descriptor_or_again_with_one(start: Start) -> None:
    server = start("--loops", "1")
    with App(server) as app:
        town = Town(app)
        town.settle(3)
        token = app.sign_up("Reader")
        soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (server.descriptors, hard))
        for _ in range(5):
            town.try_to_settle()
        assert app.is_signed_in(token)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
        with App(server) as later:
            town.app = later
            town.settle(3)
            town.hold()


def test_files_that_may_grow_no_more_are_a_fault_like_any_other(start: Start) -> None:
    """Like `ulimit -f`: a write beyond the limit fails, and sends a signal that kills an unprepared process."""
    server = start()
    with App(server) as app:
        town = Town(app)
        town.settle(3)
        soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        wal = server.database.with_name(server.database.name + "-wal")
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (wal.stat().st_size, hard))
        unavailable(town.settle_until_refused())
        assert app.send("GET", ASSOCIATION).status == 200
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (soft, hard))
        town.settle(1)
        town.hold()


def test_a_checkpoint_leaves_nothing_behind_when_the_server_stops(start: Start) -> None:
    server = start()
    with App(server) as app:
        town = Town(app)
        town.settle(3)
    server.stop()
    left = {file.name for file in server.database.parent.iterdir()}
    assert not [name for name in left if name.endswith(("-wal", "-shm", "-journal"))], left
    assert os.path.getsize(server.database) > 0

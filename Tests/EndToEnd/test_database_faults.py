"""A database that fails while the server runs: the server returns 503 with a reason, serves reads, and recovers."""

import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.answers import Answer
from support.disks import fill, image_disk, memory_disk
from support.fixtures import Start
from support.page import Page
from support.people import OTHER, PASSWORD, App, Visitor, refused
from support.server import UNLIMITED, Server, run
from support.waiting import wait_until

ASSOCIATION = "/.well-known/apple-app-site-association"
UNAVAILABLE = 69
# More attempts than fit into the remaining space, including a restarted write-ahead log.
MOST = 2000


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
def test_writes_fail_during_a_fault_and_reads_continue(
    tmp_path: Path, fault: Callable[[Server], Iterator[None]], reason: str
) -> None:
    with ExitStack() as stack:
        stack.enter_context(memory_disk(tmp_path / "data"))
        server = Server(tmp_path, *UNLIMITED)
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
        again = Server(tmp_path, *UNLIMITED)
        stack.callback(again.stop)
        town.hold(stack.enter_context(App(again)))


def healthy_again(home: Path, server: Server) -> None:
    """Waits until the server is healthy again. The server caches a health result for a second to keep checks cheap."""
    check = ("healthcheck", "--admin", server.admin_address)
    wait_until(lambda: run(home, *check).code == 0, "the server is healthy again")


def changed() -> dict[str, str]:
    return {"current_password": PASSWORD, "new_password": OTHER, "confirm_new_password": OTHER}


def test_a_disk_that_becomes_read_only_loses_no_account(tmp_path: Path) -> None:
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


def test_accounts_recover_from_a_lack_of_descriptors(start: Start) -> None:
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

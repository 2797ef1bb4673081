"""A locked and a read-only database during a flood of sign-ins: pages and the association file are served as before."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from support.people import PASSWORD, App, together
from support.server import Server

CLIENTS = 24
CALLS = 4


@contextmanager
def locked(server: Server) -> Iterator[None]:
    """Another program holds the database's write lock."""
    with closing(sqlite3.connect(server.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def read_only(server: Server) -> Iterator[None]:
    """The database refuses each change, as on a volume that became read-only, but every read succeeds."""
    with closing(sqlite3.connect(server.database, isolation_level=None)) as other:
        tables = [row[0] for row in other.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        triggers = [
            (f"refuse_{table}_{event}", f"BEFORE {event} ON {table}")
            for table in tables
            for event in ("INSERT", "UPDATE", "DELETE")
        ]
        for name, when in triggers:
            other.execute(f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, 'read-only'); END")
        yield
        for name, _ in triggers:
            other.execute(f"DROP TRIGGER {name}")


def flood(server: Server) -> Counter[int]:
    """Signs in and up from several addresses at the same time. Returns the number of responses by status."""
    statuses: Counter[int] = Counter()

    def one(index: int) -> None:
        with App(server, f"127.0.0.{index + 20}") as app:
            for number in range(CALLS):
                for path, name in (("/api/signin", "Owner"), ("/api/signup", f"n-{index}-{number}")):
                    answer = app.call(path, {"username": name, "password": PASSWORD})
                    statuses[answer.status] += 1
                    if answer.status == 503:
                        assert int(answer.field("Retry-After")) >= 1
                        assert json.loads(answer.text)["code"] in ("unavailable", "busy")

    together(CLIENTS, one)
    return statuses


@pytest.mark.parametrize("fault", [locked, read_only], ids=["locked", "read-only"])
def test_a_database_without_writes_delays_only_accounts(
    start: Callable[..., Server],
    attack: Callable[..., Any],
    recovered: Callable[..., Any],
    fault: Callable[[Server], Iterator[None]],
) -> None:
    server = start("--sign-ups-per-address", "1000", "--failures-per-address", "1000")
    with App(server) as app:
        token = app.sign_up("Owner")
        with attack(server=server) as under, recovered(server, spare=4):
            with fault(server):
                statuses = flood(server)
                assert statuses.keys() == {503}, statuses
                assert sum(statuses.values()) == CLIENTS * CALLS * 2
                assert app.is_signed_in(token)
                under.bystander.wait_for_requests(4)
            # The fault is over, and no call left a trace.
            assert app.sign_in("Owner").status == 200
            app.sign_up("n-0-0")
            statuses = flood(server)
            assert statuses.keys() <= {200, 201, 409, 503}, statuses
            assert statuses[200] and statuses[201]

"""Accounts in PostgreSQL: outages, recovery, and several servers with one database."""

import json
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from support.answers import Answer
from support.fixtures import Start
from support.people import OTHER, App, Visitor, refused
from support.people import PASSWORD as USER_PASSWORD
from support.postgresql import BINARY, PASSWORD, Database, database
from support.server import Server, environment, free_port
from support.stores import run
from support.waiting import wait_until
from support.wire import Wire, request

ASSOCIATION = "/.well-known/apple-app-site-association"


@pytest.fixture(name="db")
def running_database() -> Iterator[Database]:
    with database() as running:
        yield running


@pytest.fixture(name="begin")
def servers_of_database(start: Start, db: Database) -> Start:
    """Starts servers that use the database. The URL is in the environment, because it contains a password."""
    return partial(start, binary=BINARY, variables={"MOTIVATOR_DATABASE": db.url})


def ask(server: Server, path: str) -> Answer:
    with Wire(server.admin_port) as wire:
        wire.send(request(path, host=server.admin_address))
        return wire.answer()


def wait_until_readiness_is(status: int, server: Server) -> Answer:
    wait_until(lambda: ask(server, "/readyz").status == status, f"the readiness is {status}")
    return ask(server, "/readyz")


def unavailable(answer: Answer) -> None:
    assert answer.status == 503
    assert 1 <= int(answer.field("Retry-After")) <= 3600


def without_accounts(server: Server, app: App, visitor: Visitor, token: str) -> None:
    """Checks which functions work without the database, and which fail."""
    answer = app.call("/api/signup", {"username": "Grace", "password": USER_PASSWORD})
    refused(answer, 503, "unavailable")
    unavailable(answer)
    unavailable(app.sign_in("Ada"))
    # The server may have the session in its cache until it notices the outage.
    check = partial(app.call, "/api/motivation", method="GET", token=token)
    wait_until(lambda: check().status != 200, "the session cannot be read")
    unavailable(check())
    unavailable(visitor.get("/"))
    unavailable(visitor.get("/update"))
    for path in (ASSOCIATION, "/long.txt", "/docs"):
        assert app.send("GET", path).status == 200, path
    assert "PostgreSQL" in json.loads(wait_until_readiness_is(503, server).text)["error"]
    assert ask(server, "/healthz").status == 200


def test_doctor_reports_whether_the_database_responds_and_changes_nothing(db: Database, tmp_path: Path) -> None:
    def check() -> str:
        variables = {"MOTIVATOR_DATABASE": db.url}
        done = run([BINARY, "doctor", "--json", "--port", str(free_port()), "--plain-port", "0"], tmp_path, variables)
        (found,) = [one for one in done.json["checks"] if one["group"] == "database"]
        assert done.code in (0, 1) and f"password:***@127.0.0.1:{db.port}" in found["message"]
        assert PASSWORD not in done.out + done.err
        return found["status"]

    assert check() == "ok"
    assert db.query("SELECT count(*) FROM pg_namespace WHERE nspname = 'motivator'") == "0"
    db.do("stop", "immediate")
    assert check() == "warning"


@pytest.mark.parametrize(
    ("fail", "repair"), [(("stop", "immediate"), "start"), (("freeze",), "thaw")], ids=["a crash", "a freeze"]
)
def test_the_site_works_during_an_outage_of_the_database_and_accounts_recover(
    begin: Start, db: Database, fail: tuple[str, ...], repair: str
) -> None:
    server = begin()
    with App(server) as app, Visitor(server) as visitor:
        token = app.sign_up("Ada")
        assert visitor.sign_up("Antoine").status == 303
        assert ask(server, "/readyz").status == 200
        for _ in range(2):
            db.do(*fail)
            without_accounts(server, app, visitor, token)
            db.do(repair)
            wait_until_readiness_is(200, server)
            assert app.is_signed_in(token)
            assert visitor.name == "Hello, Antoine"
        assert app.sign_in("Ada").status == 200
    server.stop()
    assert "accounts are unavailable" in server.err.text
    assert PASSWORD not in server.err.text


def test_a_server_starts_without_its_database(begin: Start, db: Database) -> None:
    db.do("stop", "immediate")
    server = begin()
    with App(server) as app:
        assert app.send("GET", ASSOCIATION).status == 200
        assert ask(server, "/readyz").status == 503
        db.do("start")
        wait_until_readiness_is(200, server)
        app.sign_up("Ada")


def test_servers_share_sessions_changes_and_throttles(start: Start, db: Database) -> None:
    options = ("--failures-per-address", "7")
    variables = {"MOTIVATOR_DATABASE": db.url}
    one, other = (start(*options, binary=BINARY, variables=variables) for _ in range(2))
    with App(one) as app, App(other) as second:
        token = app.sign_up("Ada")
        assert second.is_signed_in(token)
        assert second.update("Ada", USER_PASSWORD, OTHER).status == 200
        assert not app.is_signed_in(token), "a new password must end all sessions"
        # Each failure is for a different account, so that only the address limit applies.
        statuses = [client.sign_in(f"{n}{client is app}").status for n in range(4) for client in (app, second)]
        assert statuses == [401] * 7 + [429]


def test_the_password_of_the_database_is_not_shown(begin: Start, db: Database, tmp_path: Path) -> None:
    variables = environment(tmp_path) | {"MOTIVATOR_DATABASE": db.url}
    for options in ([], ["--json"]):
        done = subprocess.run([BINARY, "config", *options], env=variables, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert f"postgres://password:***@127.0.0.1:{db.port}/postgres" in done.stdout
        assert PASSWORD not in done.stdout + done.stderr
    db.query("ALTER ROLE password PASSWORD 'changed'")
    server = begin()
    reason = json.loads(ask(server, "/readyz").text)["error"]
    assert "password authentication failed" in reason
    assert PASSWORD not in reason
    server.stop()
    assert "password authentication failed" in server.err.text
    assert PASSWORD not in server.err.text

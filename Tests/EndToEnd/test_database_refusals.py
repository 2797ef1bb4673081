"""Database files that the server rejects: one line with the cause and a fix, and the file remains unchanged."""

import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.disks import command, memory_disk
from support.fixtures import Start
from support.people import App
from support.server import TRACE, UNLIMITED, Server, run
from support.wire import ADDRESS

USAGE, BAD_INPUT, CANNOT_CREATE, IO, TEMPORARY, NOT_PERMITTED = 64, 65, 73, 74, 75, 77


def refusal(home: Path, database: Path | str) -> tuple[int, str]:
    """Returns the exit code and the error line of a start that must fail."""
    outcome = run(
        *(home, "serve", "--host", ADDRESS, "--port", "0", "--plain-port", "0", "--admin", f"{ADDRESS}:0"),
        *("--database", str(database)),
    )
    assert outcome.out == ""
    assert not TRACE.search(outcome.err), outcome.err
    lines = [line for line in outcome.err.splitlines() if line]
    assert len(lines) == 1, outcome.err
    assert lines[0].rstrip(".").count(". ") >= 1, f"the line has a cause, but no fix: {lines[0]}"
    assert Path(database).name in lines[0]
    return outcome.code, lines[0]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Returns a valid database with accounts, after a clean stop."""
    server = Server(tmp_path_factory.mktemp("template"), *UNLIMITED)
    with App(server) as app:
        for number in range(200):
            app.sign_up(f"name-{number}")
    server.stop()
    return server.database.read_bytes()


def with_sql(content: bytes, path: Path, *statements: str) -> None:
    path.write_bytes(content)
    changed = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        changed.execute(statement)
    changed.close()


@dataclass(frozen=True)
class Bad:
    """The change that makes a valid database invalid, the exit codes, and words in the error line."""

    name: str
    make: Callable[[bytes, Path], object]
    codes: tuple[int, ...]
    words: tuple[str, ...] = ()
    mode: int = 0o600


BAD = [
    Bad(
        "a newer schema",
        lambda right, path: with_sql(right, path, "PRAGMA user_version = 9999"),
        (BAD_INPUT,),
        ("9999", "newer"),
    ),
    Bad("a text", lambda right, path: path.write_bytes(b"Dear diary,\n" * 1000), (BAD_INPUT,)),
    Bad("a file cut in half", lambda right, path: path.write_bytes(right[: len(right) // 2]), (BAD_INPUT,)),
    Bad(
        "a file that a group can read",
        lambda right, path: path.write_bytes(right),
        (NOT_PERMITTED,),
        ("chmod 600",),
        mode=0o640,
    ),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_the_start_is_refused_and_the_file_does_not_change(tmp_path: Path, template: bytes, bad: Bad) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    path = folder / "accounts.sqlite"
    bad.make(template, path)
    path.chmod(bad.mode)
    before = path.read_bytes()
    code, said = refusal(tmp_path, path)
    assert code in bad.codes, (code, said)
    for word in bad.words:
        assert word in said
    assert path.read_bytes() == before
    assert not [file.name for file in folder.iterdir() if file.name.endswith(("-wal", "-shm", "-journal"))]


def test_a_second_server_with_the_same_database_is_refused(start: Start, tmp_path: Path) -> None:
    server = start()
    code, said = refusal(tmp_path, server.database)
    assert code == TEMPORARY, said
    with App(server) as app:
        app.sign_up("Undisturbed")
    server.stop()
    later = Server(server.home)
    try:
        with App(later) as app:
            assert app.sign_in("Undisturbed").status == 200
    finally:
        later.stop()


def test_a_read_only_disk_is_refused(tmp_path: Path, template: bytes) -> None:
    with ExitStack() as stack:
        stack.enter_context(memory_disk(tmp_path / "data"))
        path = tmp_path / "data/accounts.sqlite"
        path.write_bytes(template)
        path.chmod(0o600)
        command("mount", "-o", "remount,ro", tmp_path / "data")
        code, said = refusal(tmp_path, path)
        assert code in (CANNOT_CREATE, IO), said
        command("mount", "-o", "remount,rw", tmp_path / "data")
        server = Server(tmp_path, "--database", str(path), *UNLIMITED)
        stack.callback(server.stop)
        with App(server) as app:
            app.sign_up("After")


@pytest.mark.parametrize(
    ("scheme", "fix"),
    [("postgres", "--traits PostgreSQL"), ("postgresql", "--traits PostgreSQL"), ("mysql", "Use a postgres:// URL")],
)
def test_the_error_for_an_invalid_url_hides_the_password(tmp_path: Path, scheme: str, fix: str) -> None:
    outcome = run(
        *(tmp_path, "serve", "--host", ADDRESS, "--port", "0", "--plain-port", "0", "--admin", f"{ADDRESS}:0"),
        *("--database", f"{scheme}://user:canary@127.0.0.1:1/accounts"),
    )
    assert outcome.code == USAGE
    assert fix in outcome.err
    assert "canary" not in outcome.out + outcome.err
    assert not (tmp_path / f"{scheme}:").exists()

"""Database files that the server rejects: one line with the cause and a fix, and the file remains unchanged."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.disks import command, memory_disk
from support.people import App
from support.server import TRACE, Server, run
from support.wire import ADDRESS

USAGE, BAD_INPUT, NO_INPUT, CANNOT_CREATE, IO, TEMPORARY, NOT_PERMITTED = 64, 65, 66, 73, 74, 75, 77

Start = Callable[..., Server]


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
    server = Server(tmp_path_factory.mktemp("template"), "--sign-ups-per-address", "1000000")
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


def overwritten(content: bytes, at: int, length: int) -> bytes:
    return content[:at] + b"\xff" * length + content[at + length :]


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
    Bad(
        "a database of another program",
        lambda right, path: with_sql(b"", path, "CREATE TABLE recipes (name TEXT)", "PRAGMA application_id = 77"),
        (BAD_INPUT,),
    ),
    Bad(
        "a database of a program without a number",
        lambda right, path: with_sql(b"", path, "CREATE TABLE recipes (name TEXT)"),
        (BAD_INPUT,),
    ),
    Bad("a text", lambda right, path: path.write_bytes(b"Dear diary,\n" * 1000), (BAD_INPUT,)),
    Bad("a short text", lambda right, path: path.write_bytes(b"x"), (BAD_INPUT,)),
    Bad("a broken header", lambda right, path: path.write_bytes(overwritten(right, 0, 100)), (BAD_INPUT,)),
    Bad("a broken schema", lambda right, path: path.write_bytes(overwritten(right, 100, 3900)), (BAD_INPUT,)),
    Bad("a file cut within the header", lambda right, path: path.write_bytes(right[:60]), (BAD_INPUT,)),
    Bad("a file cut within the first page", lambda right, path: path.write_bytes(right[:512]), (BAD_INPUT,)),
    Bad("a file cut after the first page", lambda right, path: path.write_bytes(right[:4096]), (BAD_INPUT,)),
    Bad("a file cut in half", lambda right, path: path.write_bytes(right[: len(right) // 2]), (BAD_INPUT,)),
    Bad(
        "a schema that is not ours behind our numbers",
        lambda right, path: with_sql(
            right,
            path,
            "PRAGMA foreign_keys = OFF",
            "PRAGMA writable_schema = ON",
            "DELETE FROM sqlite_master",
        ),
        (BAD_INPUT,),
    ),
    Bad(
        "a file that a group can read",
        lambda right, path: path.write_bytes(right),
        (NOT_PERMITTED,),
        ("chmod 600",),
        mode=0o640,
    ),
    Bad(
        "a file that everybody can read",
        lambda right, path: path.write_bytes(right),
        (NOT_PERMITTED,),
        ("chmod 600",),
        mode=0o604,
    ),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_the_start_is_refused_and_the_file_left_as_it_is(tmp_path: Path, template: bytes, bad: Bad) -> None:
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


def test_the_remedy_for_a_file_that_others_can_read_works(tmp_path: Path, template: bytes, start: Start) -> None:
    home = tmp_path / "home"
    (home / "data").mkdir(parents=True, mode=0o700)
    path = home / "data/motivator.sqlite"
    path.write_bytes(template)
    path.chmod(0o644)
    assert refusal(home, path)[0] == NOT_PERMITTED
    path.chmod(0o600)
    server = Server(home, "--sign-ups-per-address", "1000000")
    try:
        with App(server) as app:
            assert app.sign_in("name-7").status == 200
    finally:
        server.stop()


def test_a_path_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "accounts.sqlite").mkdir()
    assert refusal(tmp_path, tmp_path / "accounts.sqlite")[0] == NO_INPUT


def test_a_path_that_is_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "accounts.sqlite", 0o600)
    assert refusal(tmp_path, tmp_path / "accounts.sqlite")[0] == NO_INPUT


def test_a_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder\n")
    assert refusal(tmp_path, tmp_path / "file/accounts.sqlite")[0] == CANNOT_CREATE


def test_a_link_is_followed(tmp_path: Path, template: bytes) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    for folder in (home, home / "data", elsewhere):
        folder.mkdir(mode=0o700)
    (elsewhere / "real.sqlite").write_bytes(template)
    (elsewhere / "real.sqlite").chmod(0o600)
    (home / "data/motivator.sqlite").symlink_to(elsewhere / "real.sqlite")
    server = Server(home, "--sign-ups-per-address", "1000000")
    try:
        with App(server) as app:
            assert app.sign_in("name-7").status == 200
    finally:
        server.stop()
    # The lock on a file applies regardless of the path to the file.
    first = Server(home, "--sign-ups-per-address", "1000000")
    try:
        assert refusal(tmp_path, elsewhere / "real.sqlite")[0] == TEMPORARY
    finally:
        first.stop()


def test_a_second_server_on_the_same_file_is_refused_and_the_first_goes_on(start: Start, tmp_path: Path) -> None:
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


def test_a_file_that_another_program_has_locked_is_refused(tmp_path: Path, template: bytes) -> None:
    path = tmp_path / "accounts.sqlite"
    path.write_bytes(template)
    path.chmod(0o600)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    try:
        assert refusal(tmp_path, path)[0] == TEMPORARY
    finally:
        other.close()


@pytest.mark.parametrize("existing", [False, True], ids=["without a file", "with a file"])
def test_a_read_only_disk_is_refused(tmp_path: Path, template: bytes, existing: bool) -> None:
    with ExitStack() as stack:
        stack.enter_context(memory_disk(tmp_path / "data"))
        path = tmp_path / "data/accounts.sqlite"
        if existing:
            path.write_bytes(template)
            path.chmod(0o600)
        command("mount", "-o", "remount,ro", tmp_path / "data")
        code, said = refusal(tmp_path, path)
        assert code in (CANNOT_CREATE, IO), said
        command("mount", "-o", "remount,rw", tmp_path / "data")
        server = Server(tmp_path, "--database", str(path), "--sign-ups-per-address", "1000000")
        stack.callback(server.stop)
        with App(server) as app:
            app.sign_up("After")


def test_a_full_disk_is_refused_at_the_start(tmp_path: Path) -> None:
    with memory_disk(tmp_path / "data", "64k"):
        (tmp_path / "data/ballast").write_bytes(b"\0" * (60 << 10))
        code, said = refusal(tmp_path, tmp_path / "data/accounts.sqlite")
        assert code in (CANNOT_CREATE, IO), said


@pytest.mark.parametrize(
    ("scheme", "fix"),
    [("postgres", "--traits PostgreSQL"), ("postgresql", "--traits PostgreSQL"), ("mysql", "Use a postgres:// URL")],
)
def test_a_url_is_refused_without_its_password_and_makes_no_folder(tmp_path: Path, scheme: str, fix: str) -> None:
    outcome = run(
        *(tmp_path, "serve", "--host", ADDRESS, "--port", "0", "--plain-port", "0", "--admin", f"{ADDRESS}:0"),
        *("--database", f"{scheme}://user:canary@127.0.0.1:1/accounts"),
    )
    assert outcome.code == USAGE
    assert fix in outcome.err
    assert "canary" not in outcome.out + outcome.err
    assert not (tmp_path / f"{scheme}:").exists()

"""`motivator database`: export, import, check and backup of the accounts."""

import base64
import hashlib
import json
import os
import pty
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from support import postgresql
from support.fixtures import Start
from support.people import App
from support.server import BINARY, UNLIMITED, Outcome, environment, run
from support.waiting import LIMIT

DIFFERENT, USAGE, BAD_INPUT, NO_INPUT, CANNOT_CREATE, TEMPORARY = 1, 64, 65, 66, 73, 75
# More accounts than an import inserts in ten transactions.
MANY = 30_000


def database(home: Path, *words: str | Path) -> Outcome:
    outcome = run(home, "database", *map(str, words))
    # A failure prints one line to standard error. A result is on standard output.
    assert outcome.err.count("\n") == (1 if outcome.code else 0), outcome
    return outcome


def result(home: Path, *words: str | Path) -> dict[str, Any]:
    outcome = database(home, *words, "--json")
    assert outcome.code == 0, outcome
    return json.loads(outcome.out)


def write_accounts(path: Path, count: int) -> dict[str, Any]:
    """Writes an export of version 1 without the program, and returns the expected result of its import."""

    def encoded(text: str, length: int) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()[:length]).decode().rstrip("=")

    digest = hashlib.sha256()
    with path.open("w") as file:
        file.write('{"format":"motivator accounts","version":1}\n')
        for number in range(1, count + 1):
            secret = f"$scrypt$ln=15,r=8,p=3${encoded(f'salt {number}', 16)}${encoded(f'hash {number}', 32)}"
            account = {"id": number, "name": f"User-{number}", "key": f"user-{number}", "hash": secret}
            line = json.dumps({"account": account | {"created": 1, "changed": number}}, separators=(",", ":")) + "\n"
            digest.update(line.encode())
            file.write(line)
        end = {"accounts": count, "sessions": 0, "addresses": 0, "sha256": digest.hexdigest()}
        file.write(json.dumps({"end": end}, separators=(",", ":")) + "\n")
    return end | {"passkeys": 0}


def test_accounts_move_to_another_database_and_back(start: Start, tmp_path: Path) -> None:
    server = start()
    with App(server) as app:
        app.sign_up("Zoë")
    server.stop()
    exported = result(tmp_path, "export", "a.jsonl", "--database", server.database)
    assert (exported["accounts"], exported["sessions"], exported["addresses"]) == (1, 1, 1)
    assert (tmp_path / "a.jsonl").stat().st_mode & 0o777 == 0o600
    assert result(tmp_path, "check", "a.jsonl", "--database", server.database) == exported
    assert result(tmp_path, "import", "a.jsonl", "--database", "b.sqlite") == {**exported, "existing": 0}
    assert result(tmp_path, "check", "--database", "b.sqlite") == exported
    assert result(tmp_path, "export", "b.jsonl", "--database", "b.sqlite") == exported
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    other = start("--database", str(tmp_path / "b.sqlite"))
    with App(other) as app:
        assert app.sign_in("Zoë").status == 200
    other.stop()
    text = database(tmp_path, "check", "--database", server.database).out
    counts = ["accounts", "1", "sessions", "1", "addresses", "1", "passkeys", "0"]
    assert text.split() == [*counts, "SHA-256", exported["sha256"]]
    changed = database(tmp_path, "check", "a.jsonl", "--database", "b.sqlite")
    assert changed.code == DIFFERENT
    assert 'the records in "a.jsonl" and in the database differ' in changed.err


# The program for PostgreSQL is a slower debug build, so it imports fewer records, but still in more than three
# transactions.
@pytest.mark.parametrize(
    ("store", "program", "count"), [("SQLite", BINARY, MANY), ("PostgreSQL", postgresql.BINARY, MANY // 3)]
)
def test_an_import_continues_after_a_kill(tmp_path: Path, store: str, program: Path, count: int) -> None:
    with ExitStack() as stack:
        url = stack.enter_context(postgresql.database()).url if store == "PostgreSQL" else "a.sqlite"
        # The URL is in the environment, because it contains a password.
        variables = environment(tmp_path) | {"MOTIVATOR_DATABASE": url}
        command = [program, "database", "import", "a.jsonl", "--json"]
        end = write_accounts(tmp_path / "a.jsonl", count)
        leader, follower = pty.openpty()
        with subprocess.Popen(
            command, cwd=tmp_path, env=variables, stdout=subprocess.DEVNULL, stderr=follower
        ) as process:
            os.close(follower)
            shown = b""
            # The terminal shows the progress after each transaction.
            while f" of {count} records".encode() not in shown:
                shown += os.read(leader, 4096)
            process.send_signal(signal.SIGKILL)
        os.close(leader)
        assert process.returncode == -signal.SIGKILL

        def again() -> dict[str, Any]:
            done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=LIMIT)
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout)

        resumed = again()
        existing = resumed.pop("existing")
        assert 0 < existing < count
        assert resumed == end
        # A third import finds all records already present.
        assert again() == {**end, "existing": count}


def test_a_backup_of_a_running_server_has_all_acknowledged_accounts(start: Start, tmp_path: Path) -> None:
    server = start(*UNLIMITED)
    with App(server) as app:
        for number in range(10):
            app.sign_up(f"before-{number}")
        leader, follower = pty.openpty()
        (tmp_path / "copy.sqlite").write_text("old")
        command = [BINARY, "database", "backup", "copy.sqlite", "--force", "--database", server.database, "--json"]
        with subprocess.Popen(
            command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=follower, text=True
        ) as process:
            os.close(follower)
            number = 0
            while process.poll() is None:
                app.sign_up(f"during-{number}")
                number += 1
            assert process.stdout
            copied = json.loads(process.stdout.read())
        assert b"pages" in os.read(leader, 4096)
        os.close(leader)
        assert process.returncode == 0
        app.sign_up("after")
    assert 10 <= copied["accounts"] <= 10 + number
    assert (tmp_path / "copy.sqlite").stat().st_mode & 0o777 == 0o600
    assert result(tmp_path, "check", "--database", "copy.sqlite") == copied
    other = start("--database", str(tmp_path / "copy.sqlite"))
    with App(other) as app:
        assert app.sign_in("before-9").status == 200


def test_each_refusal_names_the_cause(start: Start, tmp_path: Path) -> None:
    write_accounts(tmp_path / "a.jsonl", 2)
    write_accounts(tmp_path / "b.jsonl", 1)
    (tmp_path / "other.jsonl").write_text("[]\n")
    result(tmp_path, "import", "a.jsonl", "--database", "a.sqlite")
    lines = (tmp_path / "a.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_text("".join(lines[:3]))
    (tmp_path / "edited.jsonl").write_text("".join(lines).replace("User-2", "User-3"))
    server = start()
    cases: list[tuple[int, str, tuple[str | Path, ...]]] = [
        (NO_INPUT, '"none.sqlite" does not exist', ("export", "c.jsonl", "--database", "none.sqlite")),
        (NO_INPUT, '"none.sqlite" does not exist', ("check", "--database", "none.sqlite")),
        (NO_INPUT, '"none.sqlite" does not exist', ("backup", "c.sqlite", "--database", "none.sqlite")),
        (NO_INPUT, '"none.jsonl" does not exist', ("import", "none.jsonl", "--database", "c.sqlite")),
        (BAD_INPUT, '"other.jsonl": line 1: this is not', ("import", "other.jsonl", "--database", "c.sqlite")),
        (BAD_INPUT, '"cut.jsonl": line 4: the file is truncated', ("import", "cut.jsonl", "--database", "c.sqlite")),
        (BAD_INPUT, '"edited.jsonl": line 4: the counts', ("import", "edited.jsonl", "--database", "c.sqlite")),
        (CANNOT_CREATE, "do not match", ("import", "b.jsonl", "--database", "a.sqlite")),
        (BAD_INPUT, "is not a database", ("backup", "c.sqlite", "--database", "a.jsonl")),
        (USAGE, "is the database itself", ("backup", "a.sqlite", "--database", "a.sqlite", "--force")),
        (CANNOT_CREATE, '"b.jsonl" already exists', ("backup", "b.jsonl", "--database", "a.sqlite")),
        (USAGE, "is the database itself", ("export", "./a.sqlite", "--database", "a.sqlite")),
        (TEMPORARY, "another process is using", ("export", "c.jsonl", "--database", server.database)),
        (CANNOT_CREATE, '"no/c.jsonl" cannot be written', ("export", "no/c.jsonl", "--database", "a.sqlite")),
        (USAGE, "is a URL with an unsupported scheme", ("check", "--database", "https://example.com/")),
    ]
    before = sorted(tmp_path.iterdir())
    for code, words, command in cases:
        outcome = run(tmp_path, "database", *map(str, command))
        assert outcome.code == code, (command, outcome)
        assert words in outcome.err, (command, outcome)
        assert outcome.out == ""
    assert sorted(tmp_path.iterdir()) == before


def test_an_interrupted_export_keeps_the_old_file(tmp_path: Path) -> None:
    write_accounts(tmp_path / "a.jsonl", MANY)
    result(tmp_path, "import", "a.jsonl", "--database", "a.sqlite")
    (tmp_path / "b.jsonl").write_text("old")
    leader, follower = pty.openpty()
    command = [BINARY, "database", "export", "b.jsonl", "--database", "a.sqlite"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.DEVNULL, stderr=follower
    ) as process:
        os.close(follower)
        os.read(leader, 4096)
        process.send_signal(signal.SIGKILL)
    os.close(leader)
    assert (tmp_path / "b.jsonl").read_text() == "old"
    result(tmp_path, "export", "b.jsonl", "--database", "a.sqlite")
    exported = (tmp_path / "b.jsonl").read_bytes().splitlines()
    # Version 2 also has the secret.
    assert exported[1:-2] == (tmp_path / "a.jsonl").read_bytes().splitlines()[1:-1]

"""A PostgreSQL server for a single test, and the program's debug build with PostgreSQL support."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from support.server import ROOT
from support.waiting import LIMIT

# `scripts/test` builds it with the trait PostgreSQL.
BINARY = Path(os.environ.get("MOTIVATOR_POSTGRESQL", ROOT / ".build/debug/motivator")).absolute()
PASSWORD = "canary-9112"


def run(*words: str | Path) -> str:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Database:
    """A running PostgreSQL server that requires a password."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._trusted = self.do("start")
        self.query(f"CREATE ROLE password LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
        self.url = self._trusted.replace("motivator@", f"password:{PASSWORD}@")
        self.port = urlsplit(self.url).port

    @property
    def is_running(self) -> bool:
        return (self.folder / "data/postmaster.pid").exists()

    def do(self, action: str, *words: str) -> str:
        return run(ROOT / "scripts/postgres", action, self.folder, *words)

    def query(self, sql: str) -> str:
        return run("psql", "--no-psqlrc", "--tuples-only", "--no-align", "--command", sql, self._trusted)


@contextmanager
def database() -> Iterator[Database]:
    """Starts a server. Its files are in a folder that its user, "postgres", can access."""
    folder = Path(tempfile.mkdtemp(prefix="motivator-postgresql."))
    folder.chmod(0o711)
    running = None
    try:
        running = Database(folder / "server")
        yield running
    finally:
        if running and running.is_running:
            running.do("stop", "immediate")
        shutil.rmtree(folder)

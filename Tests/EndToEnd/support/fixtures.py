"""The fixtures that several test folders use."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.server import Server

Start = Callable[..., Server]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts servers with the test's options, and stops each cleanly at the end of the test."""
    running: list[Server] = []

    def begin(*options: str, **settings: Any) -> Server:
        home = tmp_path / f"server-{len(running)}"
        home.mkdir()
        running.append(Server(home, *options, **settings))
        return running[-1]

    yield begin
    failures = []
    for one in running:
        try:
            one.stop()
        except AssertionError as failure:
            failures.append(str(failure))
    assert not failures, "\n".join(failures)

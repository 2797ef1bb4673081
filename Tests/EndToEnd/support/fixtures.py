"""The fixtures that more than one folder of tests uses."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.server import Server

Start = Callable[..., Server]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts servers with options of the test's own; each is ended cleanly when the test is over."""
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

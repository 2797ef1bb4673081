"""The log: one line per response, regardless of the client's bytes and the state of the log."""

import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.fixtures import Start
from support.server import Lines, Server
from support.wire import NAME, request

AGENTS = [("AASA-Bot/1.0.0", "AASA-Bot")]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def logged(server: Server, mark: str) -> str:
    return server.err.wait_for(lambda line: mark in line)


@pytest.mark.parametrize(("agent", "name"), AGENTS, ids=[name for _, name in AGENTS])
def test_a_log_line_contains_the_client_the_request_and_the_response(server: Server, agent: str, name: str) -> None:
    target = f"/digits.txt?{name}"
    with server.connect() as wire:
        answer = wire.ask(target, f"User-Agent: {agent}")
        line = logged(server, f"?{name}")
    assert TIME.search(line)
    for part in ("127.0.0.1", NAME, "GET", "/digits.txt", "200", str(len(answer.content)), "TLSv1.3", name):
        assert part in line, f"{part!r} is missing in: {line}"


def test_control_bytes_never_make_a_second_line(server: Server) -> None:
    before = len(server.err.lines)
    with server.connect() as wire:
        wire.ask("/a%0d%0aforged%1b31m", "User-Agent: caf\xe9 \x85 \x9b31m \u00a0 end")
        logged(server, "/a%0d%0aforged")
    with server.connect() as wire:
        wire.send(b"GET /\x1b[31mforged HTTP/1.1\r\n\r\n")
        assert [answer.status for answer in wire.answers()] == [400]
    with server.connect() as wire:
        wire.send(request("/after-all-that", "User-Agent: \xff\xfe"))
        wire.answer()
        logged(server, "/after-all-that")
    for line in server.err.lines[before:]:
        assert not line.startswith("forged")
        assert line.replace("\t", "").isprintable(), repr(line)


def test_secrets_in_a_query_or_a_field_are_not_logged(server: Server) -> None:
    with server.connect() as wire:
        wire.ask("/digits.txt", "Authorization: Bearer hidden-1", "Cookie: session=hidden-2")
        wire.ask("/digits.txt?second")
        logged(server, "?second")
    assert "hidden" not in server.err.text


def test_a_json_line_has_the_sizes_the_duration_and_the_session(start: Start) -> None:
    server = start("--log-format", "json")
    with server.connect() as wire:
        for _ in range(2):
            wire.ask("/digits.txt?sizes")
    server.stop()
    first, second = (json.loads(line) for line in server.err.lines if "?sizes" in line)
    assert re.fullmatch(TIME.pattern + r"\.\d{3}Z", first["time"])
    assert first["bytes"] == 100 and first["in"] == len(request("/digits.txt?sizes")) and first["ms"] >= 0
    assert re.fullmatch("[0-9a-f]{12}-1", first["id"]) and second["id"] == first["id"][:-1] + "2"
    assert first["cipher"].startswith("TLS_") and first["group"] and first["resumed"] is False
    assert first["sni"] == NAME


@contextmanager
def following(path: Path) -> Iterator[Lines]:
    """Reads a file from its start, including lines that are appended later. The file may not exist yet."""
    command = ("tail", "--follow=name", "--retry", "--lines=+1", str(path))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="ascii") as process:
        lines = Lines()
        thread = threading.Thread(target=lines.take, args=(process.stdout,), daemon=True)
        thread.start()
        try:
            yield lines
        finally:
            process.terminate()
            thread.join()


def agent(number: int) -> str:
    """A long User-Agent. A few thousand requests with it fill the log's queue."""
    return f"User-Agent: number-{number}-{'x' * 4_000}"


def test_a_stopped_reader_changes_nothing_for_clients_and_lost_lines_are_counted(start: Start, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    server = start(wrapper=("sh", "-c", 'exec "$@" 2>"$0"', str(pipe)))
    count = 2_500
    with server.connect() as wire:
        for number in range(count):
            assert wire.ask("/digits.txt", agent(number)).status == 200
    os.set_blocking(reader, True)
    with open(reader, encoding="ascii") as log:
        lost = logged_lines = 0
        while lost + logged_lines < count:
            line = log.readline()
            logged_lines += "agent=number-" in line
            found = re.search(r" warning (\d+) log lines were lost because the log was written too slowly$", line)
            lost += int(found[1]) if found else 0
        assert lost > 0 and logged_lines > 0
        with server.connect() as wire:
            wire.ask("/digits.txt?again")
        assert "?again" in log.readline()


def test_a_full_disk_changes_nothing_for_clients_and_lost_lines_are_counted(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.symlink_to("/dev/full")
    server = start("--log-file", str(log), "--log-format", "json")
    with server.connect() as wire:
        for _ in range(5):
            assert wire.ask("/digits.txt").status == 200
    assert "No space left on device" in logged(server, str(log))
    with server.connect() as wire:
        assert wire.ask("/digits.txt").status == 200
    log.unlink()
    server.signal(signal.SIGHUP)
    lost = logged_lines = 0

    def is_last(line: str) -> bool:
        nonlocal lost, logged_lines
        reason = r"(\d) log lines were lost because of an error: write: No space left on device"
        found = re.fullmatch(reason, json.loads(line).get("message", ""))
        lost += int(found[1]) if found else 0
        logged_lines += "/digits.txt" in line
        return lost + logged_lines == 6

    with following(log) as lines:
        lines.wait_for(is_last)
    # The last line may have waited for the new file.
    assert lost >= 5 and logged_lines == 6 - lost
    assert server.err.text.count("No space left on device") == 1


def test_the_log_file_can_be_rotated(start: Start, tmp_path: Path) -> None:
    log, old = tmp_path / "log", tmp_path / "log.1"
    server = start("--log-file", str(log))
    with server.connect() as wire:
        with following(log) as lines:
            wire.ask("/digits.txt?one")
            lines.wait_for(lambda line: "?one" in line)
        log.rename(old)
        with following(old) as lines:
            wire.ask("/digits.txt?two")
            lines.wait_for(lambda line: "?two" in line)
        server.signal(signal.SIGHUP)
        with following(log) as lines:
            lines.wait_for(lambda line: "reloaded" in line)
            wire.ask("/digits.txt?three")
            lines.wait_for(lambda line: "?three" in line)
    assert "?three" not in old.read_text() and "?two" not in log.read_text()
    assert not server.err.lines


def test_a_log_file_that_cannot_be_reopened_stays_in_use(start: Start, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    server = start("--log-file", str(tmp_path / "folder" / "log"))
    (tmp_path / "folder").rename(tmp_path / "moved")
    server.signal(signal.SIGHUP)
    with following(tmp_path / "moved" / "log") as lines:
        line = lines.wait_for(lambda line: "could not reopen the log" in line)
    assert str(tmp_path / "folder" / "log") in line

"""Details of the inspector: positions, conclusions, failed handshakes, commands and secrets."""

import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from support.browser import PAGE_LIMIT, chromium, next_page
from support.inspector import PATH, EventStream, Markup, archive, ask, entries, last, rows
from support.server import Server, environment, free_port
from support.wire import ADDRESS, LIMIT, NAME, request

Start = Callable[..., Server]


@pytest.fixture(scope="module")
def inspected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("inspected"), "--inspector", "--faults", "--echo", plain=True)
    yield running
    running.stop()


@pytest.mark.parametrize("position", ["1", "99999.99999", "9223372036854775807"])
def test_a_position_after_the_last_entry_is_valid(start: Start, position: str) -> None:
    """A viewer that stays open across a server restart sends such a position."""
    server = start("--inspector")
    with EventStream(server, f"Last-Event-ID: {position}") as stream, server.connect() as wire:
        wire.ask("/first")
        wire.ask("/second")
        stream.wait_for("/second")
    assert server.process.poll() is None


def test_a_page_stays_live_when_the_server_restarts(start: Start, tmp_path: Path) -> None:
    options = ("--inspector", "--admin", f"{ADDRESS}:{free_port()}")
    server = start(*options)
    with chromium(tmp_path / "home", server.authority, (NAME,)) as driver:
        driver.get(f"http://{server.admin_address}/")
        for number in range(9):
            server.curl(f"/before-{number}")
        WebDriverWait(driver, PAGE_LIMIT).until(lambda driver: "/before-8" in driver.page_source)
        server.stop()
        again = start(*options)
        WebDriverWait(driver, PAGE_LIMIT).until(lambda driver: "Live" in driver.find_element(By.ID, "state").text)
        again.curl("/again")
        WebDriverWait(driver, PAGE_LIMIT).until(lambda driver: "/again" in driver.page_source)


def test_a_head_request_for_the_events_has_no_content(inspected: Server) -> None:
    with inspected.connect() as wire:
        wire.ask("/for-head")
    with socket.create_connection((ADDRESS, inspected.admin_port), timeout=LIMIT) as viewer:
        viewer.sendall(request("/events", method="HEAD", host=inspected.admin_address))
        received = b""
        while b"\r\n\r\n" not in received:
            received += viewer.recv(4096)
        # The response ends with its head. The next bytes are either the end of the connection or a second response.
        viewer.sendall(request("/none", "Connection: close", method="HEAD", host=inspected.admin_address))
        while more := viewer.recv(4096):
            received += more
            assert b"<tr" not in received
    assert received.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 405 "))


def test_the_event_stream_has_the_fields_of_every_response(inspected: Server) -> None:
    with socket.create_connection((ADDRESS, inspected.admin_port), timeout=LIMIT) as viewer:
        viewer.sendall(request("/events", host=inspected.admin_address))
        received = b""
        while b"\r\n\r\n" not in received:
            received += viewer.recv(4096)
    head = received.partition(b"\r\n\r\n")[0]
    for name in (b"Date", b"X-Content-Type-Options", b"Cross-Origin-Resource-Policy"):
        assert b"\r\n" + name + b": " in head, head


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("signed-p256", "will accept"),
        ("signed-as-json", "will accept"),
        ("assetlinks", "not accept"),
    ],
)
def test_the_conclusion_is_that_of_the_fault_host(inspected: Server, host: str, words: str) -> None:
    """The verdicts match the verdicts of /faults.json for the profile device."""
    inspected.curl(PATH, name=f"{host}.faults.{NAME}")
    assert words in last(inspected)["conclusion"]


def test_the_duration_of_a_malformed_first_request_is_short(inspected: Server) -> None:
    with inspected.connect() as wire:
        before = time.monotonic()
        wire.send(b"GET /\x1b HTTP/1.1\r\n\r\n")
        wire.answers()
        limit = (time.monotonic() - before) * 1000 + 1000
    assert last(inspected)["duration_ms"] <= limit
    assert rows(inspected)[0][3].startswith("malformed")


def test_the_detail_page_of_a_failed_handshake_shows_the_reason(inspected: Server) -> None:
    with EventStream(inspected) as stream:
        inspected.curl("/", "--tlsv1.0", "--tls-max", "1.1", "--ciphers", "ALL:@SECLEVEL=0", "--insecure")
        event = stream.wait_for("unsupported protocol")[-1]
    entry = last(inspected)
    text = ask(inspected, f"/entries/{entry['id']}").text
    assert "unsupported protocol" in text
    assert "curl -i" not in text, "a failed handshake has no request to repeat"
    assert [row[0] for row in Markup(text).rows] == ["Time", "Client", "TLS", "Server name (SNI)"]
    assert Markup(event.data).links == [f"/entries/{entry['id']}"]


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("/digits.txt", ("--head",)),
        ("/echo/../echo", ("--path-as-is",)),
        ("/echo", ("-H", "X-Empty;")),
        ("/echo", ("--data", "content")),
        ("/echo", ("-H", "Transfer-Encoding: chunked", "--data", "content")),
    ],
)
def test_the_curl_command_works_for_every_request(
    inspected: Server, tmp_path: Path, target: str, options: tuple[str, ...]
) -> None:
    first = inspected.curl(target, *options)
    entry = last(inspected)
    command = Markup(ask(inspected, f"/entries/{entry['id']}").text).words["curl"]
    resolve = f'resolve = "{NAME}:{inspected.port}:{ADDRESS}"'
    (tmp_path / ".curlrc").write_text(f'silent\nshow-error\nnoproxy = "*"\nmax-time = 5\n{resolve}\n')
    variables = {"CURL_HOME": str(tmp_path), "CURL_CA_BUNDLE": str(inspected.authority)}
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env={**environment(tmp_path), **variables}, capture_output=True, timeout=20
    )
    assert done.returncode == 0, (command, done.stderr)
    again = last(inspected)
    for key in ("method", "url", "status"):
        assert again[key] == entry[key], command
    names = [name for name, _ in entry["fields"] if name not in ("Content-Length", "Transfer-Encoding")]
    assert set(names) <= {name for name, _ in again["fields"]}, command
    assert first.returncode == 0


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("/?token=hidden-1", "X-Plain: x"),
        ("/?access_token=hidden-1&a=b", "X-Plain: x"),
        ("/", "Referer: https://example.test/?token=hidden-1"),
    ],
)
def test_a_token_in_a_query_appears_in_no_view(inspected: Server, target: str, line: str) -> None:
    with inspected.connect() as wire:
        wire.ask(target, line)
    for view in ("/", "/entries.json", "/entries.har", f"/entries/{last(inspected)['id']}"):
        assert "hidden-1" not in ask(inspected, view).text, view


@pytest.mark.parametrize("word", ["td", "class", "scope", "href", "entries", "</td>"])
def test_the_filter_ignores_markup(inspected: Server, word: str) -> None:
    with inspected.connect() as wire:
        wire.ask("/x")
    assert entries(inspected, f"?q={quote(word)}") == []


def test_a_stream_that_breaks_between_two_events_resumes_at_the_second(inspected: Server) -> None:
    with inspected.connect() as wire:
        wire.ask("/break-1")
        wire.ask("/break-2")
    with EventStream(inspected) as stream:
        stream.wait_for("/break-1")
        position = stream.last_id
    with inspected.connect() as wire:
        wire.ask("/break-3")
    with EventStream(inspected, f"Last-Event-ID: {position}") as stream:
        assert "/break-2" in stream.wait_for("/break-3")[0].data


def test_no_request_is_lost_between_the_page_and_the_stream(start: Start) -> None:
    server = start("--inspector")
    with server.connect() as wire:
        for number in range(300):
            wire.ask(f"/n-{number}-")
        page = []
        thread = threading.Thread(target=lambda: page.append(ask(server, "/").text))
        thread.start()
        while number < 900 and (thread.is_alive() or number < 310):
            number += 1
            wire.ask(f"/n-{number}-")
        thread.join()
        wire.ask("/n-end-")
    position = page[0].partition('data-cursor="')[2].partition('"')[0]
    with EventStream(server, query=f"?{position}") as stream:
        text = page[0] + "".join(event.data for event in stream.wait_for("/n-end-"))
    assert [one for one in range(number + 1) if f"/n-{one}-" not in text] == []


def test_the_archive_has_the_start_of_a_request(inspected: Server) -> None:
    """startedDateTime is the start of the request (HAR 1.2)."""
    inspected.curl("/delay/2")
    recorded, entry = archive(inspected)["log"]["entries"][-1], last(inspected)
    assert recorded["time"] >= 1900, json.dumps(recorded)
    assert recorded["startedDateTime"] < entry["time"]


def test_the_pages_fit_on_a_phone(start: Start, tmp_path: Path) -> None:
    server = start("--inspector")
    server.curl("/" + "long-" * 60)
    with chromium(tmp_path / "home", server.authority, (NAME,)) as driver:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": 320, "height": 700, "deviceScaleFactor": 2, "mobile": True}
        )
        driver.get(f"http://{server.admin_address}/")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 320
        with next_page(driver):
            driver.find_element(By.CSS_SELECTOR, "#rows a").click()
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 320

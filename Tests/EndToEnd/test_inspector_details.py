"""Details of the inspector: positions, conclusions, failed handshakes, commands and secrets."""

import socket
import threading
from pathlib import Path
from urllib.parse import quote

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from support.browser import PAGE_LIMIT, chromium
from support.fixtures import Start
from support.inspector import EventStream, Markup, ask, entries, last
from support.server import Server, free_port
from support.waiting import LIMIT
from support.wire import ADDRESS, NAME, request


@pytest.mark.parametrize("position", ["9223372036854775807"])
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
        assert driver.find_element(By.ID, "state").text == "● Live"


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


def test_the_detail_page_of_a_failed_handshake_shows_the_reason(inspected: Server) -> None:
    with EventStream(inspected) as stream:
        inspected.curl("/", "--tlsv1.0", "--tls-max", "1.1", "--ciphers", "ALL:@SECLEVEL=0", "--insecure")
        event = stream.wait_for("no common TLS version")[-1]
    entry = last(inspected)
    text = ask(inspected, f"/entries/{entry['id']}").text
    assert "unsupported protocol" in text
    assert "curl -i" not in text, "a failed handshake has no request to repeat"
    assert [row[0] for row in Markup(text).rows] == ["Time", "Client", "TLS", "Server name (SNI)", "Failure"]
    assert Markup(event.data).links == [f"/entries/{entry['id']}"]


@pytest.mark.parametrize(("target", "line"), [("/?access_token=hidden-1&a=b", "X-Plain: x")])
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

"""The admin listener rejects requests from pages of other sites, and has no pages without --inspector."""

from collections.abc import Iterator

import pytest

from support.fixtures import Start
from support.inspector import EventStream, ask
from support.server import Server
from support.wire import ADDRESS

PAGES = ["/", "/entries.json", "/entries.har", "/entries/0-1", "/events"]
FOREIGN = ["evil.test", "127.0.0.1.evil.test", "127.1"]


@pytest.fixture(scope="module")
def inspected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("inspected"), "--inspector")
    yield running
    running.stop()


@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_host_is_refused(inspected: Server, host: str) -> None:
    """A site can make its own name resolve to this machine (DNS rebinding)."""
    for target in PAGES:
        for value in (host, f"{host}:{inspected.admin_port}"):
            answer = ask(inspected, target, host=value)
            assert answer.status == 403, (target, value)
            assert "no-store" in answer.field("Cache-Control")


@pytest.mark.parametrize("name", ["localhost", "LocalHost", ADDRESS, "[::1]"])
def test_the_host_of_the_listener_is_accepted(inspected: Server, name: str) -> None:
    for host in (name, f"{name}:{inspected.admin_port}"):
        for target in ("/", "/entries.json", "/entries.har"):
            assert ask(inspected, target, host=host).status == 200, (target, host)
        with inspected.connect() as wire, EventStream(inspected, host=host) as stream:
            wire.ask("/own-host")
            stream.wait_for("/own-host")


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "https://{host}"])
def test_a_foreign_origin_is_refused(inspected: Server, origin: str) -> None:
    line = f"Origin: {origin.format(host=inspected.admin_address)}"
    for target in PAGES:
        assert ask(inspected, target, line).status == 403, target
        assert ask(inspected, target, line, "Sec-Fetch-Mode: navigate").status == 403, target


def test_the_origin_of_the_listener_is_accepted(inspected: Server) -> None:
    for host in (inspected.admin_address, f"localhost:{inspected.admin_port}", f"[::1]:{inspected.admin_port}"):
        assert ask(inspected, "/entries.json", f"Origin: http://{host}", host=host).status == 200, host


@pytest.mark.parametrize("site", ["cross-site", "same-site", "unknown"])
@pytest.mark.parametrize("mode", ["cors", "no-cors", "websocket", None])
def test_a_request_from_another_site_is_refused(inspected: Server, site: str, mode: str | None) -> None:
    lines = [f"Sec-Fetch-Site: {site}", *([f"Sec-Fetch-Mode: {mode}"] if mode else [])]
    for target in PAGES:
        assert ask(inspected, target, *lines).status == 403, target


def test_a_link_from_another_site_is_followed(inspected: Server) -> None:
    answer = ask(inspected, "/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")
    assert answer.status == 200
    policy = answer.field("Content-Security-Policy")
    assert "frame-ancestors 'none'" in policy, "another site can show the page in a frame"
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.field("Cross-Origin-Resource-Policy") == "same-origin"
    assert answer.field("Referrer-Policy") == "no-referrer"
    assert not answer.values("Access-Control-Allow-Origin")


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_a_request_from_the_page_itself_is_accepted(inspected: Server, site: str) -> None:
    assert ask(inspected, "/entries.json", f"Sec-Fetch-Site: {site}", "Sec-Fetch-Mode: cors").status == 200


def test_the_site_itself_has_no_inspector(inspected: Server) -> None:
    with inspected.connect() as wire:
        for target in PAGES[1:]:
            assert wire.ask(target, host=f"localhost:{inspected.port}").status == 404, target


def test_health_works_for_any_host(inspected: Server, start: Start) -> None:
    for server in (inspected, start()):
        for host in (*FOREIGN, "localhost", server.admin_address):
            assert ask(server, "/health", host=host).status == 200, host


def test_without_the_option_the_pages_do_not_exist(start: Start) -> None:
    server = start()
    for target in (*PAGES, "/style.css"):
        for host in (server.admin_address, "evil.test"):
            assert ask(server, target, host=host).status == 404, (target, host)

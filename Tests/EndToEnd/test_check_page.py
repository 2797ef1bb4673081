"""The page /check: with forms from a simple client, and in Chromium."""

import json
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from support.access import faults
from support.answers import Answer
from support.browser import next_page, submit
from support.fixtures import Start
from support.keys import APPS, association, padded_association
from support.page import Page
from support.people import FORM, Visitor
from support.server import ROOT, Server
from support.waiting import LIMIT, Patience
from support.wire import ADDRESS, NAME, Wire

# The width of the narrowest phone on the market.
SIZES = ((1200, 900), (360, 740))
LINKS = (
    '{\n  "applinks": {\n    "details": [{\n      "appIDs": ["D3KQX62K1A.com.example.DemoApp"],\n'
    '      "components": [{"/": "/no/*", "exclude": true}, {"/": "/buy/*"}]\n    }]\n  }\n}\n'
)
BROKEN = LINKS.replace('"exclude": true', '"exclude": true,').replace("buy", "<b>" + "long/" * 60)
MOST = 131_072


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("site"), public=ROOT / "Public")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that may send requests to other servers."""
    running = Server(tmp_path_factory.mktemp("asking"), "--allow-fetch", "any", public=ROOT / "Public")
    yield running
    running.stop()


def checked(server: Server, status: int = 200, **fields: str) -> Page:
    with Visitor(server) as visitor:
        answer = visitor.post("/check", fields)
    assert answer.status == status, (answer.status, answer.text)
    assert answer.field("Cache-Control") == "no-store"
    assert not answer.values("Set-Cookie"), "the page sets a cookie"
    return Page.of(answer.content)


def verdicts(page: Page) -> list[str]:
    """Returns the verdict of each profile. Profiles with the same verdict share a line."""
    (lines,) = [one for one in page.all("dl") if one.get("class") == "facts verdicts"]
    return [line.all("dt")[0].text for line in lines.all("div") for _ in line.all("span")]


def codes(page: Page) -> list[str]:
    links = [one.get("href") or "" for one in page.all("a")]
    return [link.partition("#")[2] for link in links if link.startswith("/check/codes#")]


def test_a_file_gets_its_verdicts_and_every_code_leads_to_its_explanation(site: Server) -> None:
    page = checked(site, file=BROKEN)
    assert verdicts(page) == ["denied"] * 3
    found = codes(page)
    assert "json-trailing-comma" in found
    with Visitor(site) as visitor:
        explained = visitor.page("/check/codes")
    for code in found:
        assert explained.by_id(code).text
    assert "8259" in explained.by_id("json-trailing-comma").text
    assert page.by_id("file").text.startswith('{ "applinks"'), "the form does not contain the typed text"
    assert page.all("b") == [], "pasted markup became an element"


def test_a_file_of_the_maximum_size_is_checked_and_a_larger_file_is_reported(site: Server) -> None:
    whole = padded_association(MOST)
    assert "file-too-large" not in codes(checked(site, file=whole.decode()))
    assert "file-too-large" in codes(checked(site, file=padded_association(MOST + 1).decode()))
    # Text whose bytes are all percent-encoded. Each byte takes three bytes in the form.
    spaces = "\t" * (MOST - len(association()))
    page = checked(site, file=association().decode().replace("\n", " ") + spaces)
    assert verdicts(page)[:2] == ["associated", "associated"]


@pytest.mark.parametrize(
    ("service", "meaning"),
    [
        ("messagefilter", "message filters"),
        ("classificationreport", "call and message reports"),
        ("authsrv", "single sign-on"),
    ],
)
def test_the_page_knows_the_service(site: Server, service: str, meaning: str) -> None:
    file = json.dumps({service: {"apps": APPS[:1]}})
    page = checked(site, file=file, entitlement=f"{service}:example.com", app=APPS[0])
    assert verdicts(page)[0] == "associated"
    assert f"{service}: {meaning}" in page.text
    other = checked(site, file=file, entitlement="webcredentials:example.com", app=APPS[0])
    assert verdicts(other)[0] == "denied"


def test_a_checked_file_is_neither_logged_nor_saved(start: Start) -> None:
    server = start()
    secret = "com.example.not-for-the-log"
    checked(server, file=LINKS.replace("com.example.DemoApp", secret), app=f"D3KQX62K1A.{secret}")
    server.stop()
    assert "/check" in server.err.text
    assert secret not in server.err.text
    kept = [one for one in server.home.rglob("*") if one.is_file() and secret.encode() in one.read_bytes()]
    assert kept == []


def test_without_the_option_no_host_is_fetched(site: Server) -> None:
    with Visitor(site) as visitor:
        assert "site" not in visitor.page("/check").form("/check").inputs
    with socket.create_server((ADDRESS, 0)) as trap:
        with Visitor(site) as visitor:
            answer = visitor.post("/check", {"site": f"{ADDRESS}:{trap.getsockname()[1]}"})
        assert answer.status == 403
        assert "--allow-fetch" in answer.text
        trap.setblocking(False)
        with pytest.raises(BlockingIOError):
            trap.accept()


def test_with_the_option_the_server_fetches_the_site_and_trusts_its_own_ca(asking: Server) -> None:
    with Visitor(asking) as visitor:
        assert "site" in visitor.page("/check").form("/check").visible
    host = f"localhost:{asking.port}"
    page = checked(asking, site=host, app=APPS[0], entitlement=f"webcredentials:{host}?mode=developer")
    # The documentation has no entry for localhost.
    assert verdicts(page) == ["associated", "associated", "denied"]
    assert f"https://{host}/.well-known/apple-app-site-association" in page.text
    # Without a mode, Apple's CDN fetches the file, and it cannot reach this host.
    assert codes(checked(asking, site=host)) == ["network-private-host"]


def first_answered(wires: list[Wire]) -> tuple[Wire, Answer]:
    """Returns the first connection with a response, and the response."""
    patience = Patience()
    while patience.left:
        for wire in wires:
            if answer := wire.take():
                return wire, answer
        select.select([wire.descriptor for wire in wires], [], [], patience.left)
    raise AssertionError("no response arrived")


def test_16_sites_are_fetched_at_once_and_48_checks_wait(asking: Server) -> None:
    with ExitStack() as stack:
        silent = stack.enter_context(socket.create_server((ADDRESS, 0), backlog=64))
        silent.settimeout(LIMIT)
        content = f"site={ADDRESS}:{silent.getsockname()[1]}/x".encode()
        head = f"POST /check HTTP/1.1\r\nHost: {NAME}:{asking.port}\r\n{FORM}\r\nContent-Length: {len(content)}\r\n\r\n"

        def fetch(source: str) -> Wire:
            wire = stack.enter_context(asking.connect(source=source))
            wire.send(head.encode() + content)
            return wire

        # A URL with a path needs a single fetch, so each connection means a fetch.
        running = [fetch(f"127.0.0.{last}") for last in range(11, 27)]
        fetched = [silent.accept()[0] for _ in running]
        # Other clients fill the queue, and the newest request is refused.
        waiting = [fetch(f"127.0.1.{last}") for last in range(1, 50)]
        refused, answer = first_answered(waiting)
        assert answer.status == 503
        assert int(answer.field("Retry-After")) >= 1
        assert Page.of(answer.content).alerts
        # Other checks and pages still work.
        with Visitor(asking) as visitor:
            assert visitor.post("/check", {"file": LINKS}).status == 200
        for one in fetched:
            one.close()
        silent.close()
        for wire in running + [wire for wire in waiting if wire is not refused]:
            answer = wire.answer()
            assert answer.status == 200
            assert codes(Page.of(answer.content))
    assert verdicts(checked(asking, site=f"localhost:{asking.port}"))


HOSTILE = (
    '"><script>document.title="broken"</script></textarea><img src=x onerror=alert(1)>\n"\u0301 autofocus x="\u0301'
)


def test_pasted_content_is_escaped(driver: Chrome, site: Server) -> None:
    # A single line, as the fields require. A script pastes it into the textarea.
    for where in ("file", "entitlement", "app", "url"):
        driver.get(f"{site.origin}/check")
        control = driver.find_element(By.ID, where)
        driver.execute_script("arguments[0].value = arguments[1]", control, HOSTILE)
        with next_page(driver):
            driver.find_element(By.CSS_SELECTOR, "form[action='/check'] button[type=submit]").click()
        assert driver.title.endswith("Ultra Motivator")
        assert driver.find_elements(By.CSS_SELECTOR, "main script, main img, [x], [onerror], main [autofocus]") == []
        shown = driver.find_element(By.ID, where).get_property("value")
        assert shown.replace("\n", "") == HOSTILE.replace("\n", "")


def test_axe_finds_nothing_serious_and_the_page_fits(driver: Chrome, site: Server) -> None:
    found: list[str] = []
    pages: dict[str, dict[str, str]] = {
        "empty": {},
        "broken": {"file": BROKEN, "url": "https://example.com/" + "long" * 60},
        "match": {"file": LINKS, "url": "https://example.com/buy/1", "entitlement": "applinks:*.example.com"},
        "refused": {"app": "com.example.app", "url": "example.com"},
    }
    for name, fields in pages.items():
        driver.get(f"{site.origin}/check")
        if fields:
            submit(driver, "/check", fields)
        found += faults(driver, name, *SIZES)
    assert found == [], "\n".join(found)

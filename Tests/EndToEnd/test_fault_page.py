"""The page `/faults`: the hosts with their verdicts, and the button that resets the counts."""

from pathlib import Path

from selenium.webdriver.common.by import By

from support.access import faults
from support.browser import chromium, next_page
from support.checking import PROFILES
from support.faulty import ALL_GROUPS, WELL_KNOWN, FaultyServer
from support.fixtures import Start
from support.page import Page
from support.server import ROOT, Server
from support.wire import NAME, request

SYMBOLS = {"associated": "✓", "denied": "✗", "retry": "↻", "unproven": "?"}
NAMES = (NAME, f"*.faults.{NAME}")


def rows(page: Page) -> dict[str, list[str]]:
    return {
        row.all("th")[0].text: [cell.text for cell in row.all("td")]
        for table in page.all("table")
        for row in table.all("tbody")[0].all("tr")
    }


def test_the_page_shows_each_host_with_its_verdicts(faulty: FaultyServer) -> None:
    with faulty.server.connect() as wire:
        page = Page.of(wire.ask("/faults").content)
    assert [heading.text for heading in page.all("h2")] == [*ALL_GROUPS, "Passkeys"]
    shown = rows(page)
    passkeys = {one["name"]: one for one in faulty.list["passkeys"]}
    assert list(shown) == faulty.names(*ALL_GROUPS) + list(passkeys)
    for name, one in passkeys.items():
        expected = one["expected"]
        assert shown[name][1:] == [expected["page"], expected["app"], expected["server"] or "–"]
    for host in faulty.hosts:
        summary, *verdicts, _ = shown[host["name"]]
        assert host["summary"] in summary
        assert host.get("note", "") in summary
        words = [host["verdicts"].get(one) for one in PROFILES]
        assert verdicts == [f"{SYMBOLS[word]} {word}" if word else "–" for word in words]
        for link in host.get("links", []):
            assert link["url"].removeprefix(host["url"].split("/.well-known")[0]) in summary
    links = {link.text: link.get("href") for link in page.all("a")}
    for host in faulty.hosts:
        assert links[host["name"]] == host["url"]


def test_the_page_is_accessible(start: Start, tmp_path: Path) -> None:
    server: Server = start("--faults", public=ROOT / "Public")
    with chromium(tmp_path / "home", server.authority, NAMES) as driver:
        driver.get(f"{server.origin}/faults")
        assert faults(driver, "faults", (390, 844), (1200, 900)) == []
        assert driver.find_elements(By.CSS_SELECTOR, "table tbody tr")


def test_the_button_resets_the_counts_of_this_client(start: Start, tmp_path: Path) -> None:
    server: Server = start("--faults", public=ROOT / "Public")
    faulty = FaultyServer.of(server)

    def statuses() -> list[int]:
        message = request(WELL_KNOWN, "Connection: close", host=faulty.host("flaky-503"))
        return [faulty.exchange("flaky-503", message).status for _ in range(3)]

    assert statuses() == [503, 503, 200]
    assert statuses() == [200, 200, 200]
    with chromium(tmp_path / "home", server.authority, NAMES) as driver:
        driver.get(f"{server.origin}/faults")
        with next_page(driver):
            driver.find_element(By.CSS_SELECTOR, "form[action='/faults/reset'] button").click()
        assert driver.current_url == f"{server.origin}/faults"
    assert statuses() == [503, 503, 200]


def test_another_site_cannot_reset_the_counts(faulty: FaultyServer) -> None:
    with faulty.server.connect() as wire:
        answer = wire.ask("/faults/reset", "Origin: https://example.com", "Sec-Fetch-Site: cross-site", method="POST")
    assert answer.status == 403

"""The page `/faults`: the hosts with their verdicts, their pictures, and the button that resets the counts."""

from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from support.access import faults
from support.browser import PAGE_LIMIT, chromium, messages, next_page
from support.checking import PROFILES
from support.faulty import ALL_GROUPS, WELL_KNOWN, FaultyServer
from support.fixtures import Start
from support.page import Page
from support.server import ROOT, Server
from support.wire import NAME, request

SYMBOLS = {"associated": "✓", "denied": "✗", "retry": "↻", "unproven": "?"}
NAMES = (NAME, f"*.faults.{NAME}")
# The width of a loaded image, or 0 after a failure. Null while the image loads. The page replaces a failed image with
# its text.
WIDTH = """
const image = [...document.images].find(image => new URL(image.src).hostname == arguments[0]);
if (!image) return 0;
image.scrollIntoView();
return image.complete ? image.naturalWidth : null;
"""


def picture_loads(driver: Chrome, host: str) -> bool:
    def width(driver: Chrome) -> tuple[int] | None:
        found = driver.execute_script(WIDTH, host)
        return None if found is None else (found,)

    return WebDriverWait(driver, PAGE_LIMIT).until(width)[0] > 0


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
        cells = [f"{SYMBOLS[word]} {word}" if (word := host["verdicts"].get(one)) else "–" for one in PROFILES]
        if host["group"] == "Android":
            cells = cells[:1]
        elif len(set(cells)) == 1:
            cells = [f"{cells[0]} in all profiles"]
        assert verdicts == cells
        for link in host.get("links", []):
            assert link["url"].removeprefix(host["url"].split("/.well-known")[0]) in summary
    links = {link.text: link.get("href") for link in page.all("a")}
    for host in faulty.hosts:
        assert links[host["name"]] == host["url"]


def test_chromium_shows_which_hosts_it_accepts_and_resets_the_counts(
    start: Start, tmp_path: Path, reports: Path
) -> None:
    server: Server = start("--faults", public=ROOT / "Public")
    faulty = FaultyServer.of(server)

    def statuses() -> list[int]:
        message = request(WELL_KNOWN, "Connection: close", host=faulty.host("flaky-503"))
        return [faulty.exchange("flaky-503", message).status for _ in range(3)]

    assert statuses() == [503, 503, 200]
    assert statuses() == [200, 200, 200]
    with chromium(tmp_path / "home", server.authority, NAMES) as driver:
        driver.get(f"{server.origin}/faults")
        for name in ("unsigned", "status-404", "signed-expired"):
            assert picture_loads(driver, faulty.host(name)), messages(driver)
        for name in ("expired", "not-yet-valid", "wrong-host", "self-signed", "untrusted-root", "tls-1-1"):
            assert not picture_loads(driver, faulty.host(name)), name
        driver.save_screenshot(str(reports / "faults.png"))
        assert [one for one in messages(driver) if "Content Security Policy" in one] == []
        assert faults(driver, "faults", (390, 844), (1200, 900)) == []
        with next_page(driver):
            driver.find_element(By.CSS_SELECTOR, "form[action='/faults/reset'] button").click()
        assert driver.current_url == f"{server.origin}/faults"
    assert statuses() == [503, 503, 200]


def test_another_site_cannot_reset_the_counts(faulty: FaultyServer) -> None:
    with faulty.server.connect() as wire:
        answer = wire.ask("/faults/reset", "Origin: https://example.com", "Sec-Fetch-Site: cross-site", method="POST")
    assert answer.status == 403

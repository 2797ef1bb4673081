"""`/faults` in Chromium: the pictures show the hosts that the browser accepts."""

from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.support.wait import WebDriverWait

from support.browser import PAGE_LIMIT, chromium, messages
from support.faulty import FaultyServer
from support.fixtures import Start
from support.server import ROOT, Server
from support.wire import NAME

NAMES = (NAME, f"*.faults.{NAME}")
# The width of a loaded image, or 0 after a failure. Null while the image loads.
WIDTH = """
const image = [...document.images].find(image => new URL(image.src).hostname == arguments[0]);
image.scrollIntoView();
return image.complete ? image.naturalWidth : null;
"""


def picture_loads(driver: Chrome, host: str) -> bool:
    def width(driver: Chrome) -> tuple[int] | None:
        found = driver.execute_script(WIDTH, host)
        return None if found is None else (found,)

    return WebDriverWait(driver, PAGE_LIMIT).until(width)[0] > 0


def test_chromium_shows_which_hosts_it_accepts(start: Start, tmp_path: Path, reports: Path) -> None:
    server: Server = start("--faults", public=ROOT / "Public")
    faulty = FaultyServer.of(server)
    with chromium(tmp_path / "home", server.authority, NAMES) as driver:
        driver.get(f"{server.origin}/faults")
        for name in ("unsigned", "status-404", "signed-expired"):
            assert picture_loads(driver, faulty.host(name)), messages(driver)
        for name in ("expired", "not-yet-valid", "wrong-host", "self-signed", "untrusted-root", "tls-1-1"):
            assert not picture_loads(driver, faulty.host(name)), name
        driver.save_screenshot(str(reports / "faults.png"))
        refused_by_page = [one for one in messages(driver) if "Content Security Policy" in one]
        assert refused_by_page == []

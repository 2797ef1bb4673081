"""The inspector in Chromium: live rows, the filter, the detail page, and the curl command."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from support.access import widths
from support.browser import PAGE_LIMIT, chromium, messages, next_page, see_as
from support.server import Server, environment
from support.waiting import LIMIT
from support.wire import ADDRESS, NAME


@dataclass(frozen=True)
class Viewer:
    server: Server
    driver: Chrome

    def open(self, target: str = "/") -> None:
        self.driver.get(f"http://{self.server.admin_address}{target}")
        if target == "/":
            assert self.visible() == [], "only requests for the association file are visible at first"
            self.driver.find_element(By.CSS_SELECTOR, "label[for=show-all]").click()

    def wait_for_row(self, word: str) -> WebElement:
        """Waits until a row with this text is in the page, visible or not."""
        path = f"//tbody/tr[contains(., '{word}')]"
        return WebDriverWait(self.driver, PAGE_LIMIT).until(lambda driver: driver.find_element(By.XPATH, path))

    def wait_until_live(self) -> None:
        WebDriverWait(self.driver, PAGE_LIMIT).until(lambda driver: "Live" in driver.find_element(By.ID, "state").text)

    def visible(self) -> list[str]:
        rows = self.driver.find_elements(By.CSS_SELECTOR, "#rows tr")
        return [row.find_element(By.CSS_SELECTOR, "td:nth-child(4)").text for row in rows if row.is_displayed()]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewer]:
    home = tmp_path_factory.mktemp("viewer")
    server = Server(home, "--inspector", "--echo")
    with chromium(home / "chromium", server.authority, (NAME,)) as driver:
        yield Viewer(server, driver)
    server.stop()


@pytest.fixture
def viewer(opened: Viewer) -> Iterator[Viewer]:
    yield opened
    assert messages(opened.driver) == []


def test_a_request_appears_without_a_reload(viewer: Viewer) -> None:
    viewer.server.curl("/before")
    viewer.open()
    count = len(viewer.visible())
    loaded = viewer.driver.execute_script("return performance.timeOrigin")
    viewer.wait_until_live()
    viewer.server.curl("/made-now", "-A", "swcd (unknown version)")
    row = viewer.wait_for_row("/made-now")
    assert row.is_displayed()
    assert "swcd" in row.text
    assert viewer.driver.find_element(By.CSS_SELECTOR, "#rows tr") == row, "the newest request must be first"
    assert len(viewer.visible()) == count + 1
    viewer.server.curl("/with-name")
    viewer.wait_for_row("/with-name")
    assert viewer.driver.execute_script("return performance.timeOrigin") == loaded


def test_equal_requests_are_one_row_until_a_click_or_a_filter(viewer: Viewer) -> None:
    for _ in range(2):
        viewer.server.curl("/equal")
    viewer.open()
    viewer.wait_until_live()
    assert sum("/equal" in line for line in viewer.visible()) == 1
    viewer.server.curl("/equal")
    path = "//tbody/tr[contains(., '/equal') and contains(., '× 3')]//button"
    button = WebDriverWait(viewer.driver, PAGE_LIMIT).until(lambda driver: driver.find_element(By.XPATH, path))
    for number in (3, 1):
        button.click()
        assert sum("/equal" in line for line in viewer.visible()) == number
    viewer.driver.find_element(By.ID, "q").send_keys("/equal")
    assert len(viewer.visible()) == 3


def test_typing_in_the_filter_hides_rows(viewer: Viewer) -> None:
    for target in ("/apple", "/pear", "/apple-pie"):
        viewer.server.curl(target)
    viewer.open()
    viewer.wait_until_live()
    count = len(viewer.visible())
    field = viewer.driver.find_element(By.ID, "q")
    field.send_keys("APPLE")
    assert len(viewer.visible()) == 2
    field.send_keys(" pie")
    assert len(viewer.visible()) == 1
    viewer.server.curl("/cherry")
    viewer.server.curl("/pie-of-apple")
    viewer.wait_for_row("/pie-of-apple")
    assert not viewer.wait_for_row("/cherry").is_displayed(), "the filter must apply to new rows"
    assert len(viewer.visible()) == 2
    field.clear()
    field.send_keys(" ")
    assert len(viewer.visible()) == count + 2


def test_the_detail_page_shows_the_fields_and_the_curl_command(viewer: Viewer, tmp_path: Path) -> None:
    viewer.server.curl("/echo?x=%27", "-H", "X-Note: it's <b>bold</b>", "-H", "Cookie: a=hidden-1")
    viewer.open()
    viewer.wait_until_live()
    link = viewer.wait_for_row("/echo").find_element(By.TAG_NAME, "a")
    with next_page(viewer.driver):
        link.click()
    cells = {
        row.find_element(By.TAG_NAME, "th").text: row.find_element(By.TAG_NAME, "td").text
        for row in viewer.driver.find_elements(By.CSS_SELECTOR, "tr")
    }
    assert cells["X-Note"] == "it's <b>bold</b>"
    assert cells["Cookie"] == "(removed)"
    assert (cells["Server name (SNI)"], cells["Status"]) == (NAME, "200")
    assert "hidden-1" not in viewer.driver.page_source

    command = viewer.driver.find_element(By.ID, "curl").text
    viewer.driver.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    viewer.driver.find_element(By.ID, "copy").click()
    copied = WebDriverWait(viewer.driver, PAGE_LIMIT).until(
        lambda driver: driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    )
    assert copied == command
    (tmp_path / ".curlrc").write_text(f'silent\nnoproxy = "*"\nresolve = "{NAME}:{viewer.server.port}:{ADDRESS}"\n')
    variables = {"CURL_HOME": str(tmp_path), "CURL_CA_BUNDLE": str(viewer.server.authority)}
    pasted = subprocess.run(
        ["sh", "-c", copied], env={**environment(tmp_path), **variables}, capture_output=True, text=True, timeout=LIMIT
    )
    assert pasted.returncode == 0, pasted.stderr
    assert "it's <b>bold</b>" in pasted.stdout
    assert "hidden-1" not in pasted.stdout


def test_the_pages_fit_on_a_phone(viewer: Viewer) -> None:
    viewer.server.curl("/" + "long-" * 60)
    see_as(viewer.driver, (320, 700), scale=2)
    viewer.open()
    assert widths(viewer.driver, "the list") == []
    with next_page(viewer.driver):
        viewer.driver.find_element(By.CSS_SELECTOR, "#rows a").click()
    assert widths(viewer.driver, "the entry") == []

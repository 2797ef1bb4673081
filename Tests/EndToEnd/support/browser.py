"""Chromium with chromedriver. Its own home folder contains a trust store with the server's CA."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from support.server import Server
from support.waiting import LIMIT
from support.wire import ADDRESS, NAME

PAGE_LIMIT = LIMIT
NOWHERE = "MAP * ~NOTFOUND"


def headless(home: Path) -> ChromeOptions:
    """Returns the options of a Chromium without its own network traffic, and with its profile in `home`."""
    options = ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in (
        "--headless=new",
        # Chromium's sandbox does not work for root, and tests may run as root.
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--no-proxy-server",
        f"--user-data-dir={home / 'profile'}",
    ):
        options.add_argument(argument)
    return options


@contextmanager
def chromium(home: Path, authority: Path, names: tuple[str, ...], port: int | None = None) -> Iterator[Chrome]:
    """Starts a headless Chromium that resolves the names to this machine and trusts the CA.

    With a port, every connection to the names uses the port, regardless of the address bar.
    """
    store = home / ".pki/nssdb"
    store.mkdir(parents=True)
    for arguments in (
        ["-N", "--empty-password"],
        ["-A", "-n", "Ultra Motivator test authority", "-t", "C,,", "-i", str(authority)],
    ):
        done = subprocess.run(["certutil", "-d", f"sql:{store}", *arguments], capture_output=True, timeout=LIMIT)
        assert done.returncode == 0, done.stderr.decode()
    options = headless(home)
    for argument in (
        "--window-size=1200,900",
        "--host-resolver-rules="
        + ", ".join([*(f"MAP {name} {ADDRESS if port is None else f'{ADDRESS}:{port}'}" for name in names), NOWHERE])
        + f", EXCLUDE {ADDRESS}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    inherited = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "LANG": "C.UTF-8"}
    service = Service("/usr/bin/chromedriver", env=inherited)
    driver = Chrome(options=options, service=service)
    try:
        driver.set_page_load_timeout(PAGE_LIMIT)
        yield driver
    finally:
        driver.quit()


def see_as(driver: Chrome, size: tuple[int, int] | None = None, scheme: str | None = None, scale: float = 1) -> None:
    """Shows the page on a screen of this size, in the light or dark color scheme."""
    if scheme:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    if size:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": size[0], "height": size[1], "deviceScaleFactor": scale, "mobile": size[0] < 600},
        )


def form(driver: Chrome, action: str) -> WebElement:
    return driver.find_element(By.CSS_SELECTOR, f'form[action="{action}"]')


def fill(driver: Chrome, action: str, fields: dict[str, str]) -> None:
    for name, value in fields.items():
        control = form(driver, action).find_element(By.NAME, name)
        driver.execute_script("arguments[0].closest('details')?.setAttribute('open', '')", control)
        control.clear()
        control.send_keys(value)


@contextmanager
def next_page(driver: Chrome) -> Iterator[None]:
    """Runs an action that opens another page, and waits until that page is complete."""
    # The start time identifies the document.
    before = driver.execute_script("return performance.timeOrigin")
    yield
    # While one page replaces another, chromedriver may find neither.
    WebDriverWait(driver, PAGE_LIMIT, ignored_exceptions=[WebDriverException]).until(
        lambda driver: driver.execute_script(
            "return performance.timeOrigin != arguments[0] && document.readyState == 'complete'", before
        )
    )


MAIN = "[type=submit]:not([name])"


def submit(driver: Chrome, action: str, fields: dict[str, str] | None = None, button: str = MAIN) -> None:
    """Fills in a form, and clicks its main button or another button."""
    fill(driver, action, fields or {})
    with next_page(driver):
        form(driver, action).find_element(By.CSS_SELECTOR, f"button{button}").click()


def messages(driver: Chrome) -> list[str]:
    """Returns the console messages that a page causes.

    Ignores an intended error status, and the advice on user name fields: Chromium examines each field once, so if a
    form arrives in parts, it misses the name of the first part. Other tests prove the fields of each form.
    """
    return [
        entry["message"]
        for entry in driver.get_log("browser")
        if not (entry["source"] == "network" and "the server responded with a status of 4" in entry["message"])
        and "Password forms should have (optionally hidden) username fields" not in entry["message"]
    ]


@pytest.fixture(scope="module")
def one_driver(site: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """A Chromium that all tests of the module share, because a start takes more CPU time than most tests."""
    with chromium(tmp_path_factory.mktemp("chromium"), site.authority, (NAME,)) as driver:
        yield driver


@pytest.fixture
def driver(one_driver: Chrome) -> Iterator[Chrome]:
    """A browser without a previous visit to the module's `site`. The test must leave no message in its console."""
    one_driver.get("about:blank")
    for command, arguments in (
        ("Network.clearBrowserCookies", {}),
        ("Network.clearBrowserCache", {}),
        ("Emulation.clearDeviceMetricsOverride", {}),
        ("Emulation.setEmulatedMedia", {}),
        ("Emulation.setScriptExecutionDisabled", {"value": False}),
    ):
        one_driver.execute_cdp_cmd(command, arguments)
    one_driver.get_log("browser")
    yield one_driver
    found = messages(one_driver)
    assert not found, found

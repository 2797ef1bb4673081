"""Chromium with a phone's screen and User-Agent, on another machine, with its own trust store."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import Remote
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from support.browser import headless
from support.network import Machine
from support.server import environment
from support.waiting import LIMIT

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)
SCREEN = (390, 844)
STARTED = "ChromeDriver was started successfully on port "
BLOCK = 2
READ = "✓ A device has read the file."


def trust(home: Path, root: Path) -> None:
    """Adds the root to Chromium's store. This replaces the settings of an iPhone."""
    certutil(home, "-A", "-n", "root", "-t", "C,,", "-i", str(root))


def certutil(home: Path, *arguments: str) -> None:
    store = home / ".pki/nssdb"
    store.mkdir(parents=True, exist_ok=True)
    command = ["certutil", "-d", f"sql:{store}", *arguments]
    done = subprocess.run(command, env=environment(home), capture_output=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr.decode()


@contextmanager
def browser(machine: Machine, home: Path, width: int = SCREEN[0], runs_scripts: bool = True) -> Iterator[Remote]:
    """Starts Chromium on a machine. It trusts the certificates in the trust store of `home`."""
    if not (home / ".pki").exists():
        certutil(home, "-N", "--empty-password")
    options = headless(home)
    metrics = {"width": width, "height": SCREEN[1], "pixelRatio": 2}
    options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics, "userAgent": IPHONE})
    if not runs_scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": BLOCK})
    command = [*machine.enter, "/usr/bin/chromedriver", "--port=0"]
    inherited = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "LANG": "C.UTF-8"}
    with subprocess.Popen(command, env=inherited, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout
        try:
            for line in driver.stdout:
                if line.startswith(STARTED):
                    break
            else:
                raise AssertionError("chromedriver did not start")
            port = int(line.removeprefix(STARTED).rstrip(".\n"))
            with machine.forwarded(port) as here:
                session = Remote(command_executor=f"http://127.0.0.1:{here}", options=options)
                try:
                    session.set_page_load_timeout(LIMIT)
                    yield session
                finally:
                    session.quit()
        finally:
            driver.terminate()


class FirstSteps:
    """The page of the plain port, in a browser."""

    def __init__(self, driver: Remote) -> None:
        self.driver = driver

    @property
    def status(self) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, "p.trust img")

    @property
    def entry(self) -> str:
        """The entry for the app's associated domains."""
        return self.driver.find_element(By.ID, "entry").text

    def wait_until_read(self) -> None:
        """Waits until the page confirms that a device has read the file."""
        picture = self.driver.find_element(By.CSS_SELECTOR, ".steps .trust img")
        WebDriverWait(self.driver, LIMIT).until(lambda driver: picture.accessible_name == READ)

    @property
    def picture(self) -> tuple[bool, int]:
        """Whether the status picture finished loading, and its width. The width is 0 after a failure."""
        return self.status.get_property("complete"), self.status.get_property("naturalWidth")

    def wait_for_picture(self, is_shown: bool) -> None:
        def has_ended(driver: Remote) -> bool:
            complete, width = self.picture
            return complete and (width > 0) == is_shown

        WebDriverWait(self.driver, LIMIT).until(has_ended)

    def wait_for_name(self, name: str) -> None:
        """Waits for the status picture's accessible name, which changes after the picture loads."""
        WebDriverWait(self.driver, LIMIT).until(lambda driver: self.status.accessible_name == name)

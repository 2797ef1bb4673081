"""Chromium, driven through chromedriver, with a home of its own whose trust store knows the server's authority."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

from support.wire import ADDRESS

PAGE_LIMIT = 30


@contextmanager
def chromium(home: Path, authority: Path, names: tuple[str, ...]) -> Iterator[Chrome]:
    """A headless Chromium that finds the names on this machine and trusts the authority, and nothing else of ours."""
    store = home / ".pki/nssdb"
    store.mkdir(parents=True)
    for arguments in (
        ["-N", "--empty-password"],
        ["-A", "-n", "Ultra Motivator test authority", "-t", "C,,", "-i", str(authority)],
    ):
        done = subprocess.run(["certutil", "-d", f"sql:{store}", *arguments], capture_output=True, timeout=20)
        assert done.returncode == 0, done.stderr.decode()
    options = ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in (
        "--headless=new",
        # Tests may run as root, where Chromium's own sandbox does not work.
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--no-proxy-server",
        "--window-size=1200,900",
        f"--user-data-dir={home / 'profile'}",
        "--host-resolver-rules="
        + ", ".join([*(f"MAP {name} {ADDRESS}" for name in names), "MAP * ~NOTFOUND"])
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

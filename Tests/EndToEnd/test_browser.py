"""Chromium from a visitor's view, on a desktop and on a phone."""

from pathlib import Path

from support.browser import chromium
from support.fixtures import Start
from support.server import ROOT, Server
from support.wire import NAME

# The page that Chromium shows for a rejected certificate contains this text. The address bar still shows the URL.
CERTIFICATE_WARNING = "ERR_CERT_"
PHONE = (390, 844)


def test_chromium_shows_the_site_without_a_warning(start: Start, tmp_path: Path, reports: Path) -> None:
    server: Server = start(public=ROOT / "Public")
    url = f"https://{NAME}:{server.port}/"
    with chromium(tmp_path / "home", server.authority, (NAME,)) as driver:
        driver.get(url)
        assert driver.current_url == url
        assert CERTIFICATE_WARNING not in driver.page_source
        assert driver.title
        assert driver.execute_script("return window.isSecureContext && document.readyState") == "complete"
        driver.save_screenshot(str(reports / "home-desk.png"))
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": PHONE[0], "height": PHONE[1], "deviceScaleFactor": 2, "mobile": True},
        )
        driver.refresh()
        assert driver.execute_script("return document.documentElement.scrollWidth") <= PHONE[0], "too wide for a phone"
        driver.save_screenshot(str(reports / "home-phone.png"))
        assert driver.get_log("browser") == []

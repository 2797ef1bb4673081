"""Takes a picture of each page in each state. See scripts/screenshots."""

import argparse
import base64
import tempfile
from collections.abc import Callable
from pathlib import Path

from selenium.webdriver import Chrome

from support.browser import chromium, see_as, submit
from support.people import OTHER, PASSWORD, App
from support.server import ROOT, Server
from support.wire import ADDRESS, NAME

SIZES = {"phone": (390, 844), "desk": (1280, 800)}
SCHEMES = ("light", "dark")
APP = "D3KQX62K1A.com.example.DemoApp"
LINKS = f"""{{
  "applinks": {{
    "details": [{{
      "appIDs": ["{APP}"],
      "components": [{{"/": "/help/*", "exclude": true}}, {{"/": "/buy/*"}}]
    }}]
  }},
  "webcredentials": {{"apps": ["{APP}"]}}
}}
"""
BROKEN = LINKS.replace(" true}", " true,}").replace('"/buy/*"', "1")
LONG = '{"webcredentials": {"apps": [' + ", ".join(f'"TEAM.com.example.app{number}"' for number in range(60)) + "]}}"
Act = Callable[[Chrome], None]


def sent(action: str, **fields: str) -> Act:
    return lambda driver: submit(driver, action, fields)


def shown(driver: Chrome) -> None:
    """Leaves the page as it is."""


def states(server: Server) -> list[tuple[str, str, Act]]:
    """Returns each state: its name, its path and the visitor's action."""
    site = f"localhost:{server.port}"
    fetch = f"/check?site={site}&app={APP}&entitlement=webcredentials:{site}?mode=developer"
    return [
        ("home", "/", shown),
        ("sign-up", "/signup", shown),
        ("sign-up-suggested", "/signup", lambda driver: submit(driver, "/signup", button="[name=suggest]")),
        ("sign-up-refused", "/signup", sent("/signup", username="Ada", password=PASSWORD, confirm_password=OTHER)),
        ("sign-in", "/signin", shown),
        ("sign-in-refused", "/signin", sent("/signin", username="Ada", password=OTHER)),
        ("docs", "/docs", shown),
        ("codes", "/check/codes", shown),
        ("codes-found", "/check/codes?q=redirect", shown),
        ("codes-none", "/check/codes?q=nothing+like+this", shown),
        ("not-found", "/nothing-is-here", shown),
        ("check", "/check", shown),
        ("check-example", "/check?example=comma", shown),
        ("check-broken", "/check", sent("/check", file=BROKEN)),
        ("check-long", "/check", sent("/check", file=LONG)),
        ("check-link", "/check", sent("/check", file=LINKS, url="https://example.com/buy/42")),
        ("check-blocked", "/check", sent("/check", file=LINKS, url="https://example.com/help/1", app=APP)),
        ("check-entry", "/check", sent("/check", entitlement="applinks:*.example.com", app=APP)),
        ("check-dropped", "/check", sent("/check", entitlement="https://example.com/")),
        ("check-refused", "/check", sent("/check", app="com.example.app", url="example.com")),
        ("check-site", fetch, shown),
        ("check-retry", f"/check?site={ADDRESS}:1", shown),
        ("signed-up", "/signup", shown),
        ("signed-in-update", "/update", shown),
        (
            "changed",
            "/update",
            sent("/update", current_password=PASSWORD, new_password=OTHER, confirm_new_password=OTHER),
        ),
        ("signed-in-delete", "/account/delete", shown),
        ("signed-in-delete-refused", "/account/delete", sent("/account/delete", password=PASSWORD)),
        ("deleted", "/account/delete", sent("/account/delete", password=OTHER)),
    ]


def save(driver: Chrome, file: Path, whole: bool) -> None:
    """Saves a picture of the page. `whole` includes the part below the screen."""
    options = {"format": "png", "captureBeyondViewport": whole}
    if whole:
        width, height = driver.execute_script("return [innerWidth, document.documentElement.scrollHeight]")
        options["clip"] = {"x": 0, "y": 0, "width": width, "height": min(height, 4000), "scale": 1}
    file.write_bytes(base64.b64decode(driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("words", nargs="*", help="words in the names of the wanted states")
    parser.add_argument("--screen", action="store_true", help="save only the part that is visible without scrolling")
    options = parser.parse_intermixed_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), "--allow-fetch", "any", plain=True, public=ROOT / "Public")
        try:
            with App(server) as app:
                app.sign_up("Ada")
            with chromium(Path(folder) / "home", server.authority, (NAME,)) as driver:
                pictures(driver, server, options)
        finally:
            server.stop()


def pictures(driver: Chrome, server: Server, options: argparse.Namespace) -> None:
    wanted = [("plain", f"http://{NAME}:{server.plain_port}/", shown)]
    wanted += [(name, server.origin + path, act) for name, path, act in states(server)]
    # The states of a session depend on each other.
    after = [name for name, _, _ in wanted].index("signed-up")
    for scheme in SCHEMES:
        for index, (name, url, act) in enumerate(wanted):
            is_wanted = not options.words or any(word in name for word in options.words)
            if not is_wanted and index < after:
                continue
            see_as(driver, SIZES["desk"], scheme)
            driver.get(url)
            if name == "signed-up":
                both = {"password": PASSWORD, "confirm_password": PASSWORD}
                submit(driver, "/signup", {"username": f"Grace {scheme}", **both})
            else:
                act(driver)
            for kind, size in SIZES.items() if is_wanted else ():
                see_as(driver, size, scheme)
                save(driver, options.folder / f"{name}-{scheme}-{kind}.png", whole=not options.screen)


if __name__ == "__main__":
    main()

"""Takes a picture of each page in each state. See scripts/screenshots."""

import argparse
import base64
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

from support.browser import chromium, next_page, see_as, submit
from support.people import OTHER, PASSWORD, App, Visitor
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
ANDROID = """[{
  "relation": ["delegate_permission/common.get_login_creds"],
  "target": {"namespace": "android_app", "package_name": "com.example.demo", "sha256_cert_fingerprints": ["AB:CD"]}
}]
"""
LONG = '{"webcredentials": {"apps": [' + ", ".join(f'"TEAM.com.example.app{number}"' for number in range(60)) + "]}}"
Act = Callable[[Chrome], None]


# Chromium cannot save a higher picture.
HIGHEST = 12_000
ASSOCIATION = "/.well-known/apple-app-site-association"


@dataclass(frozen=True)
class Servers:
    """The demo; a server with faults and an inspector that does not fetch sites; and a server for phones.

    The browser does not trust the CA of the server for phones.
    """

    demo: Server
    faulty: Server
    phones: Server


def sent(action: str, **fields: str) -> Act:
    return lambda driver: submit(driver, action, fields)


def shown(driver: Chrome) -> None:
    """Leaves the page as it is."""


def unfolded(driver: Chrome) -> None:
    driver.execute_script("for (const one of document.querySelectorAll('main details')) one.open = true")


def sent_and_unfolded(action: str, **fields: str) -> Act:
    def act(driver: Chrome) -> None:
        submit(driver, action, fields)
        unfolded(driver)

    return act


def tried(driver: Chrome) -> None:
    unfolded(driver)
    submit(driver, "/docs/signin", {"username": "Ada", "password": PASSWORD})


def without_scripts(driver: Chrome) -> None:
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.refresh()


def clicked(selector: str) -> Act:
    return lambda driver: driver.find_element(By.CSS_SELECTOR, selector).click()


def too_long(driver: Chrome) -> None:
    """Sends a form that is larger than the server accepts."""
    driver.execute_script("document.getElementById('username').value = 'a'.repeat(20000)")
    submit(driver, "/signup", {"password": PASSWORD, "confirm_password": PASSWORD})


def signed_up(name: str) -> Act:
    return sent("/signup", username=name, password=PASSWORD, confirm_password=PASSWORD)


def with_passkey(driver: Chrome) -> None:
    """Adds a passkey with a virtual authenticator."""
    options = VirtualAuthenticatorOptions()
    options.protocol = VirtualAuthenticatorOptions.Protocol.CTAP2
    options.transport = VirtualAuthenticatorOptions.Transport.INTERNAL
    options.has_resident_key = options.has_user_verification = options.is_user_verified = True
    driver.add_virtual_authenticator(options)
    driver.find_element(By.ID, "name").send_keys("Work phone")
    with next_page(driver):
        driver.find_element(By.CSS_SELECTOR, "[data-action] button").click()
    # The authenticator would also answer on the page for signing in.
    driver.remove_virtual_authenticator()


def removed(driver: Chrome) -> None:
    unfolded(driver)
    submit(driver, "/account/passkeys/remove")


def has_read(servers: Servers) -> Act:
    def act(driver: Chrome) -> None:
        for server in (servers.phones, servers.faulty):
            server.curl(ASSOCIATION, "--user-agent", "swcd (unknown version) CFNetwork/3826 Darwin/25.0.0")
        driver.refresh()

    return act


def has_opened_a_read(servers: Servers) -> Act:
    def act(driver: Chrome) -> None:
        has_read(servers)(driver)
        with next_page(driver):
            driver.find_element(By.CSS_SELECTOR, "tr.read:not(.failed) a").click()

    return act


def has_no_tokens(servers: Servers) -> Act:
    def act(driver: Chrome) -> None:
        with Visitor(servers.faulty) as visitor:
            while visitor.get("/check?app=" + APP).status != 429:
                pass
        driver.refresh()

    return act


def states(servers: Servers, scheme: str) -> list[tuple[str, str, Act]]:
    """Returns each state: its name, its URL and the visitor's action."""
    demo, faulty, phones = servers.demo.origin, servers.faulty.origin, f"http://{NAME}:{servers.phones.plain_port}"
    site = f"localhost:{servers.demo.port}"
    fetch = f"/check?site={site}&app={APP}&entitlement=webcredentials:{site}?mode=developer"
    inspector = f"http://{servers.faulty.admin_address}/"
    check = f"{demo}/check"
    return [
        # Before other pages of this server.
        ("inspector-empty", inspector, shown),
        ("plain", f"http://{NAME}:{servers.demo.plain_port}/", shown),
        *((f"plain-{name}", f"{phones}/?platform={name}", shown) for name in ("ios", "android", "macos", "windows")),
        ("plain-read", f"{phones}/?platform=ios", has_read(servers)),
        ("plain-no-script", f"http://{NAME}:{servers.demo.plain_port}/", without_scripts),
        ("home", f"{demo}/", shown),
        ("home-faults", f"{faulty}/", shown),
        ("tutorial", f"{demo}/ultra_motivator/", shown),
        ("sign-up", f"{demo}/signup", shown),
        ("sign-up-suggested", f"{demo}/signup", lambda driver: submit(driver, "/signup", button="[name=suggest]")),
        (
            "sign-up-refused",
            f"{demo}/signup",
            sent("/signup", username="Ada", password=PASSWORD, confirm_password=OTHER),
        ),
        ("sign-up-taken", f"{demo}/signup", signed_up("Ada")),
        ("sign-up-no-script", f"{demo}/signup", without_scripts),
        ("sign-in", f"{demo}/signin", shown),
        ("sign-in-refused", f"{demo}/signin", sent("/signin", username="Ada", password=OTHER)),
        ("docs", f"{demo}/docs", shown),
        ("docs-unfolded", f"{demo}/docs#signup", unfolded),
        ("docs-tried", f"{demo}/docs", tried),
        ("codes", f"{demo}/check/codes", shown),
        ("codes-profiles", f"{demo}/check/codes", clicked(".codes > :last-child summary")),
        ("codes-group", f"{demo}/check/codes", clicked(".codes summary")),
        ("codes-found", f"{demo}/check/codes?q=redirect", shown),
        ("codes-none", f"{demo}/check/codes?q=nothing+like+this", shown),
        ("not-found", f"{demo}/nothing-is-here", shown),
        ("not-found-similar", f"{demo}/sigup", shown),
        ("error-403", f"{faulty}/check?site=example.com", shown),
        ("error-413", f"{demo}/signup", too_long),
        ("check", check, shown),
        ("check-no-fetch", f"{faulty}/check", shown),
        ("check-no-script", check, without_scripts),
        ("check-example", f"{check}?example=comma", shown),
        ("check-broken", check, sent("/check", file=BROKEN)),
        ("check-long", check, sent("/check", file=LONG)),
        ("check-link", check, sent("/check", file=LINKS, url="https://example.com/buy/42")),
        ("check-blocked", check, sent("/check", file=LINKS, url="https://example.com/help/1", app=APP)),
        (
            "check-would-match",
            check,
            sent("/check", file=LINKS, url="https://example.com/buy/42", entitlement="webcredentials:example.com"),
        ),
        ("check-android", check, sent("/check", file=ANDROID)),
        ("check-entry", check, sent("/check", entitlement="applinks:*.example.com", app=APP)),
        ("check-dropped", check, sent("/check", entitlement="https://example.com/")),
        ("check-again", check, sent_and_unfolded("/check", entitlement="https://example.com/")),
        ("check-refused", check, sent("/check", app="com.example.app", url="example.com")),
        ("check-refused-all", check, sent("/check", site="a b", entitlement="a b", app="a b", url="a b", tests="a b")),
        ("check-site", demo + fetch, shown),
        ("check-retry", f"{check}?site={ADDRESS}:1", shown),
        ("faults", f"{faulty}/faults", shown),
        ("faults-group", f"{faulty}/faults#TLS", shown),
        ("faults-unknown", f"https://nothing.faults.{NAME}:{servers.faulty.port}/", shown),
        ("faults-passkey", f"https://passkey-user-id-65.faults.{NAME}:{servers.faulty.port}/", shown),
        ("inspector", inspector, shown),
        ("inspector-all", inspector, clicked("label[for=show-all]")),
        ("inspector-request", inspector, has_opened_a_read(servers)),
        ("inspector-missing", f"{inspector}entries/0", shown),
        ("error-429", f"{faulty}/check?app={APP}", has_no_tokens(servers)),
        ("signed-up", f"{demo}/signup", signed_up(f"Grace {scheme}")),
        ("passkeys-none", f"{demo}/account/passkeys", shown),
        ("passkeys", f"{demo}/account/passkeys", with_passkey),
        ("passkeys-unfolded", f"{demo}/account/passkeys", unfolded),
        ("signed-in-update", f"{demo}/update", shown),
        (
            "changed",
            f"{demo}/update",
            sent("/update", current_password=PASSWORD, new_password=OTHER, confirm_new_password=OTHER),
        ),
        ("passkeys-removed", f"{demo}/account/passkeys", removed),
        ("signed-in-delete", f"{demo}/account/delete", shown),
        ("signed-in-delete-refused", f"{demo}/account/delete", sent("/account/delete", password=PASSWORD)),
        ("deleted", f"{demo}/account/delete", sent("/account/delete", password=OTHER)),
    ]


def save(driver: Chrome, file: Path, whole: bool) -> None:
    """Saves a picture of the page. `whole` includes the part below the screen."""
    options = {"format": "png", "captureBeyondViewport": whole}
    if whole:
        width, height = driver.execute_script("return [innerWidth, document.documentElement.scrollHeight]")
        options["clip"] = {"x": 0, "y": 0, "width": width, "height": min(height, HIGHEST), "scale": 1}
    file.write_bytes(base64.b64decode(driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("words", nargs="*", help="words in the names of the wanted states")
    parser.add_argument("--screen", action="store_true", help="save only the part that is visible without scrolling")
    options = parser.parse_intermixed_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:

        def start(name: str, *arguments: str, certificates: Path | None = None) -> Server:
            home = Path(folder) / name
            home.mkdir()
            server = Server(home, *arguments, plain=True, public=ROOT / "Public", certificates=certificates)
            stack.callback(server.stop)
            return server

        faulty = start("faulty", "--faults", "--inspector")
        demo = start("demo", "--allow-fetch", "any", certificates=faulty.certificates)
        servers = Servers(demo, faulty, start("phones", "--lan"))
        with App(demo) as app:
            app.sign_up("Ada")
        names = (NAME, f"*.faults.{NAME}")
        with chromium(Path(folder) / "home", faulty.authority, names) as driver:
            pictures(driver, servers, options)


def pictures(driver: Chrome, servers: Servers, options: argparse.Namespace) -> None:
    driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    for scheme in SCHEMES:
        wanted = states(servers, scheme)
        # The states of a session depend on each other.
        after = [name for name, _, _ in wanted].index("signed-up")
        for index, (name, url, act) in enumerate(wanted):
            is_wanted = not options.words or any(word in name for word in options.words)
            if not is_wanted and index < after:
                continue
            see_as(driver, SIZES["desk"], scheme)
            driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
            driver.get(url)
            act(driver)
            for kind, size in SIZES.items() if is_wanted else ():
                see_as(driver, size, scheme)
                save(driver, options.folder / f"{name}-{scheme}-{kind}.png", whole=not options.screen)


if __name__ == "__main__":
    main()

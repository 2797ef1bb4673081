"""Runs the whole tutorial on one machine with the real server, a real browser and a simulated device.

The server, the browser and the device communicate as in production, over TLS on port 443 of the site's name. The only
difference is a mapping of this name to a port of this machine.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from album import HEIGHT, SCALE, WIDTH, Album
from support import autofill, passkeys
from support.browser import chromium, see_as
from support.server import ROOT, Server
from support.terminal import Outcome, Terminal, UnexpectedOutcome
from support.wire import ADDRESS, NAME

TEAM_APP = "D3KQX62K1A.com.example.DemoApp"
OTHER_NAME = f"www.{NAME}"
SITE_USER = "antoine"
APP_USER = "vicki"
TITLE = "The story of two accounts"
LEAD = """Two users share passwords and passkeys between a site and its app, in both directions. The server and the
browser are real. The device is the simulated device of `motivator device`. Its pictures show the commands, their
prompts and their output.

`scripts/story --pictures docs/story` runs the story and writes this page. A test reruns the story and compares
the page."""


class StepFailed(Exception):
    """A step whose result differs from the expected result."""


class Story:
    def __init__(self, server: Server, driver: Chrome, terminal: Terminal, app: str, album: Album) -> None:
        self.server = server
        self.driver = driver
        self.terminal = terminal
        self.app = app
        self.album = album

    def say(self, sentence: str) -> None:
        self.album.add(sentence)
        print(f"{self.album.steps:2}. {sentence}", flush=True)

    # The device

    def device(self, picture: str, *words: str, **options: Any) -> str:
        """Runs a command of the device, takes a picture, and returns the output."""
        outcome = self.terminal.run("device", *words, **options)
        self.album.terminal(picture, outcome)
        return outcome.text

    def use_app(self, picture: str, flow: str, *words: str, **options: Any) -> str:
        return self.device(picture, "app", flow, "--app", self.app, "--server", NAME, *words, **options)

    def install(self, host: str, version: str) -> Outcome:
        entry = f"webcredentials:{host}?mode=developer"
        words = ("install", "--app", self.app, "--version", version, "--entitlement", entry)
        installed = self.terminal.run("device", *words)
        expect_text(installed.text, "its sites approve 1 of 1 entries")
        return installed

    def save_in_browser(self, picture: str, values: autofill.Typed) -> None:
        """Saves what the user typed into a page, as the browser of the device does."""
        words = ("save", "--domain", NAME, "--account", values.account, "--password-stdin")
        expect_text(self.device(picture, *words, password=values.password, answers=["yes"]), "Saved.")

    def offers(self, picture: str, url: str, *lines: str, code: int = 0) -> None:
        """Asserts that AutoFill offers exactly these lines for the page."""
        text = self.device(picture, "autofill-offers", url, code=code)
        expect(text.splitlines() == list(lines), f"AutoFill offers:\n{text}")

    def fill_page(self, path: str, account: str | None = None, picture: str | None = None) -> None:
        """Opens the page, and types AutoFill's values. The user picks an account, except on a sign-up form."""
        self.open(path)
        answers = [] if account is None else [account]
        filled = self.terminal.run("device", "fill", url(path), answers=answers, json=True)
        if picture:
            self.album.terminal(picture, Outcome(filled.command, filled.prompts, ""))
        autofill.enter(self.driver, json.loads(filled.text)["fields"])

    def perform_ceremony(self, picture: str, command: str, path: str, action: str, answer: str) -> None:
        """Clicks a button of the page that needs a passkey. The device is the authenticator."""
        self.open(path)
        options = passkeys.request(self.driver, action)
        (self.terminal.home / "options.json").write_text(options)
        words = ("passkey", command, "--page", url(path), "--options", "options.json")
        done = self.terminal.run("device", *words, answers=[answer])
        self.album.terminal(picture, Outcome(done.command, done.prompts, ""))
        passkeys.answer(self.driver, json.loads(done.text))

    # The browser

    def open(self, path: str) -> None:
        self.driver.get(url(path))

    def send(self) -> autofill.Typed:
        return autofill.send(self.driver)

    def greets(self, account: str) -> bool:
        """Returns whether the page is the home page of this user."""
        heading = self.driver.find_element(By.TAG_NAME, "h1").text
        return self.driver.current_url == url("/") and account in heading

    def is_rejected(self, account: str, password: str) -> bool:
        """Returns whether a new visitor cannot sign in with this password."""
        self.driver.delete_all_cookies()
        self.open("/signin")
        autofill.fill_in(self.driver, autofill.USER, account)
        autofill.fill_in(self.driver, autofill.CURRENT, password)
        self.send()
        return self.driver.current_url == url("/signin") and self.driver.title.startswith("Error: ")

    # The steps

    def run(self) -> None:
        self.set_up()
        self.site_to_app()
        first = self.app_to_site()
        self.update_in_app(first)
        last = self.update_on_site()
        self.wrong_domain()
        self.passkey_to_app()
        self.passkey_to_site()
        self.delete_in_app(last)
        self.delete_on_site()

    def set_up(self) -> None:
        self.album.begin("Set up")
        self.open("/")
        self.album.page("site")
        self.say(f"The server serves {NAME} and {OTHER_NAME}. Their association files list the app.")
        entry = f"webcredentials:{NAME}?mode=developer"
        check = self.terminal.run("association", "check", NAME, "--app", self.app, "--entitlement", entry)
        self.album.terminal("check", check, "Terminal")
        self.say("The developer checks the site. A device in developer mode associates the app with the site.")
        expect_text(self.device("developer-mode", "developer-mode", "on"), "Developer mode is on.")
        self.album.terminal("install", self.install(NAME, "1.0"))
        self.say("The developer turns on developer mode and installs the app. The site approves the app's entitlement.")
        expect_text(self.use_app("start", "log-in", code=1), "Keychain: no password.", "Shared passwords: no password.")
        self.say("The app starts. Its keychain is empty, the device has no shared password, and the user enters none.")

    def site_to_app(self) -> None:
        self.album.begin("An account from the site")
        self.offers("offers", url("/signup"), 'A new password (rules: "minlength: 8;")')
        self.fill_page("/signup")
        autofill.fill_in(self.driver, autofill.USER, SITE_USER)
        self.album.page("filled")
        values = self.send()
        expect(self.greets(SITE_USER), f"the site does not greet {SITE_USER} after signing up")
        self.album.page("home")
        self.say(f"{SITE_USER} signs up in Chromium. AutoFill offers a new password and enters it.")
        self.save_in_browser("save", values)
        self.say("The browser offers to save the password. The user agrees, and the device saves it.")
        text = self.use_app("log-in", "log-in", answers=[SITE_USER])
        expect_text(text, f'Logged in as "{SITE_USER}" with a shared password.')
        self.say(f"The app starts again. The user picks {SITE_USER} and types nothing. The app logs in.")
        expect_text(self.use_app("sign-out", "sign-out"), "Signed out.", "Shared passwords: unchanged.")
        self.say("The user signs out. The app clears its keychain, and the device keeps the shared password.")

    def app_to_site(self) -> str:
        """Returns the password."""
        self.album.begin("An account from the app")
        text = self.use_app("sign-up", "sign-up", "--account", APP_USER, answers=["yes"])
        expect_text(text, f'Signed up as "{APP_USER}".')
        self.say(f"{APP_USER} signs up in the app. The device generates the password, and the user agrees to save it.")
        self.offers("offers", url("/signin"), f'"{SITE_USER}" at {NAME}', f'"{APP_USER}" at {NAME}')
        self.say("AutoFill offers both accounts for the sign-in page of the site.")
        self.driver.delete_all_cookies()
        self.fill_page("/signin", APP_USER, "pick")
        self.album.page("filled")
        password = self.send().password
        expect(password in text, "AutoFill does not enter the password that the app generated")
        expect(self.greets(APP_USER), f"the site does not greet {APP_USER}")
        self.album.page("home")
        self.say(f"The user picks {APP_USER}. AutoFill enters the password of the app, and the site accepts it.")
        return password

    def update_in_app(self, old: str) -> None:
        self.album.begin("An update in the app")
        text = self.use_app("update", "update", answers=["yes"])
        expect_text(text, f'Changed the password of "{APP_USER}".')
        self.say("The app sets a generated password. The user agrees to update the shared password.")
        expect(self.is_rejected(APP_USER, old), "the site accepts the old password")
        self.album.page("rejected")
        self.fill_page("/signin", APP_USER)
        new = self.send().password
        expect(new != old and new in text, "AutoFill does not enter the new password")
        expect(self.greets(APP_USER), "the site does not accept the new password")
        self.album.page("accepted")
        self.say("The site rejects the old password, and accepts the new password that AutoFill enters.")

    def update_on_site(self) -> str:
        """Returns the new password."""
        self.album.begin("An update on the site")
        path = "/.well-known/change-password"
        accounts = (f'"{SITE_USER}" at {NAME}', f'"{APP_USER}" at {NAME}')
        self.offers("offers", url(path), *accounts, 'A new password (rules: "minlength: 8;")')
        self.fill_page(path, APP_USER)
        self.album.page("filled")
        values = self.send()
        expect(self.greets(APP_USER), "the site does not change the password")
        self.say(f"{APP_USER} changes the password on the site. AutoFill enters the current and the new password.")
        self.save_in_browser("update", values)
        self.say("The browser offers to update the saved password. The user agrees, and the device replaces it.")
        text = self.use_app("log-in", "log-in", answers=[APP_USER])
        expect_text(text, "Keychain: ", f'Logged in as "{APP_USER}" with a shared password.')
        self.say("The server rejects the keychain's old password. The app logs in with the shared password.")
        return values.password

    def wrong_domain(self) -> None:
        self.album.begin("A wrong domain")
        self.album.terminal("install", self.install(OTHER_NAME, "2.0"))
        self.say(f"Version 2.0 of the app has only an entry for {OTHER_NAME}. That site approves the entry.")
        request = ("request", "--app", self.app, "--domain", NAME)
        message = (
            f'"{NAME}" not found in com.apple.developer.associated-domains entitlement of {self.app} '
            f"(errSecMissingEntitlement -34018). Install the app with the entry webcredentials:{NAME}, "
            "with exactly the site's host.\n"
        )
        text = self.device("request", *request, code=1)
        expect(text == message, f"the error of the wrong domain is:\n{text}")
        self.say(f"The app requests a password for {NAME}. The device returns an error and shows no prompt.")
        other = f"https://{OTHER_NAME}/signin"
        hint = f"An item exists for {NAME}, which is another host."
        self.offers("offers", other, "No offers.", hint, code=1)
        self.say(f"For the sign-in page of {OTHER_NAME}, AutoFill offers nothing: the hosts must match.")
        self.install(NAME, "3.0")
        self.device("request", *request, answers=[APP_USER])
        self.say(f"Version 3.0 has the entry for {NAME}, and its request succeeds.")

    def passkey_to_app(self) -> None:
        self.album.begin("A passkey from the site")
        passkeys.connect(self.driver)
        self.driver.delete_all_cookies()
        self.fill_page("/signin", SITE_USER)
        self.send()
        self.perform_ceremony("create", "create", "/account/passkeys", "/account/passkeys", "yes")
        self.album.page("list")
        self.say(f"{SITE_USER} adds a passkey on the site. The user agrees, and the device stores it.")
        self.use_app("sign-out", "sign-out")
        text = self.use_app("log-in", "log-in", "--passkey", answers=[SITE_USER])
        expect_text(text, f'Logged in as "{SITE_USER}" with a passkey.')
        self.say("The app starts again. The same association lets it use the passkey, and it logs in.")

    def passkey_to_site(self) -> None:
        self.album.begin("A passkey from the app")
        text = self.use_app("log-in", "log-in", "--passkey", answers=["", APP_USER])
        expect_text(text, f'Logged in as "{APP_USER}" with a shared password.')
        self.say(f"The user cancels and picks the password of {APP_USER}. The app adds a passkey without a prompt.")
        self.driver.delete_all_cookies()
        self.perform_ceremony("sign-in", "sign-in", "/signin", "/signin/passkey", APP_USER)
        expect(self.greets(APP_USER), "the site does not accept the passkey of the app")
        self.album.page("home")
        self.say(f"{APP_USER} signs in to the site with the passkey from the app, and types nothing.")

    def delete_in_app(self, last: str) -> None:
        self.album.begin("Deletion in the app")
        expect_text(self.use_app("delete", "delete-account", answers=["yes"]), "Deleted the account.")
        self.say(f"{APP_USER} deletes the account in the app. The user agrees to delete the shared password.")
        expect(self.is_rejected(APP_USER, last), "the site still accepts the deleted account")
        self.offers("offers", url("/signin"), f'"{SITE_USER}" at {NAME}')
        self.say(f"The site rejects the deleted account. AutoFill offers only {SITE_USER}.")

    def delete_on_site(self) -> None:
        self.album.begin("Deletion on the site")
        self.fill_page("/signin", SITE_USER)
        values = self.send()
        expect(self.greets(SITE_USER), f"the site does not greet {SITE_USER}")
        # Without a session, the device gets the sign-in form, which has the same fields.
        self.fill_page("/account/delete", SITE_USER)
        self.album.page("filled")
        self.send()
        expect(self.is_rejected(SITE_USER, values.password), "the site still accepts the deleted account")
        self.say(f"{SITE_USER} deletes the account on the site. A site cannot delete passwords on a device.")
        text = self.use_app("log-in", "log-in", answers=[SITE_USER], code=1)
        expect_text(text, "Not logged in.")
        self.say("The app tries the shared password, but the server rejects it.")
        delete = ("save", "--app", self.app, "--domain", NAME, "--account", SITE_USER, "--delete")
        self.device("delete", *delete, answers=["yes"])
        self.offers("offers", url("/signin"), "No offers.", code=1)
        self.say("The app deletes the shared password, and the user agrees. AutoFill offers nothing.")


def url(path: str) -> str:
    return f"https://{NAME}{path}"


def expect(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise StepFailed(otherwise)


def expect_text(text: str, *parts: str) -> None:
    for part in parts:
        expect(part in text, f"the output does not contain {part!r}:\n{text}")


@contextmanager
def started(home: Path, app: str, takes_pictures: bool) -> Iterator[Story]:
    """Starts the server and the browser, and stops them at the end."""
    (home / "server").mkdir()
    names = ("--domain", NAME, "--domain", OTHER_NAME)
    server = Server(home / "server", "--app", TEAM_APP, *names, public=ROOT / "Public")
    try:
        with chromium(home / "chromium", server.authority, (NAME,), server.port) as driver:
            see_as(driver, (WIDTH, HEIGHT), "light", SCALE)
            terminal = Terminal(home, "--trust", server.authority, "--connect-to", f"::{ADDRESS}:{server.port}")
            yield Story(server, driver, terminal, app, Album(driver if takes_pictures else None))
    finally:
        server.stop()


def main() -> int:
    options = argparse.ArgumentParser(prog="scripts/story", description=__doc__)
    options.add_argument("--app", default=TEAM_APP, help="the app to install; the site lists %(default)s")
    options.add_argument(
        "--pictures", type=Path, metavar="FOLDER", help="folder for a picture of each step; the page is FOLDER.md"
    )
    chosen = options.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="story-") as home,
        started(Path(home), chosen.app, chosen.pictures is not None) as story,
    ):
        try:
            story.run()
        except (StepFailed, UnexpectedOutcome, AssertionError, WebDriverException) as error:
            print(f"story: after step {story.album.steps}: {error}", file=sys.stderr)
            return 1
        if chosen.pictures:
            story.album.save(chosen.pictures, TITLE, LEAD)
    print("All steps succeeded.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

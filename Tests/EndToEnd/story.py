"""Runs the whole tutorial on one machine with the real server, a real browser and a simulated device.

The server, the browser and the device communicate as in production, over TLS on port 443 of the site's name. The only
difference is that the browser and the device connect this name to a port of this machine.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from support import autofill
from support.browser import chromium, see_as
from support.server import BINARY, ROOT, Server, environment
from support.wire import ADDRESS, NAME

TEAM_APP = "D3KQX62K1A.com.example.DemoApp"
ACCOUNT = "antoine"
LIMIT = 60
PHONE = (390, 844)


class Told(Exception):
    """A step failed. The text states what happened."""


class Story:
    def __init__(self, home: Path, app: str, pictures: Path | None) -> None:
        self.home = home
        self.app = app
        self.pictures = pictures
        self.steps = 0
        self.server: Server | None = None

    def say(self, sentence: str) -> None:
        self.steps += 1
        print(f"{self.steps:2}. {sentence}", flush=True)

    # The device

    def tool(self, *arguments: str, given: str = "", code: int = 0) -> str:
        """Runs a command of motivator that must exit with this code."""
        assert self.server
        done = subprocess.run(
            [BINARY, *arguments, "--trust", self.server.authority, "--connect-to", f"::{ADDRESS}:{self.server.port}"],
            cwd=self.home,
            env=environment(self.home),
            input=given,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        if done.returncode != code:
            words = " ".join(arguments[:3])
            raise Told(f"motivator {words} exited with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def device(self, *arguments: str, given: str = "", code: int = 0) -> dict[str, Any]:
        return json.loads(self.tool("device", *arguments, "--json", given=given, code=code))

    def in_app(self, flow: str, *arguments: str, code: int = 0) -> dict[str, Any]:
        return self.device("app", flow, "--app", self.app, "--server", NAME, *arguments, code=code)

    def saved(self) -> dict[str, str]:
        """Returns the shared passwords of the site on the device."""
        found = self.device("passwords")["credentials"]
        return {one["acct"]: one["spwd"] for one in found if one["srvr"] == NAME}

    def save_as_safari(self, held: autofill.Typed) -> None:
        save = ("save", "--domain", NAME, "--account", held.account, "--password-stdin", "--yes")
        self.device(*save, given=held.password)
        expect(self.saved() == {held.account: held.password}, "the device does not have the site's password")

    # The browser

    def open(self, driver: Chrome, path: str) -> None:
        driver.get(f"https://{NAME}{path}")

    def picture(self, driver: Chrome, name: str) -> None:
        if self.pictures:
            self.pictures.mkdir(parents=True, exist_ok=True)
            driver.save_screenshot(str(self.pictures / f"story-{name}.png"))

    def sign_in(self, driver: Chrome, password: str) -> bool:
        """Signs in on the site. Returns whether the site greets the user."""
        driver.delete_all_cookies()
        self.open(driver, "/signin")
        autofill.fill_in(driver, autofill.USER, ACCOUNT)
        autofill.fill_in(driver, autofill.CURRENT, password)
        autofill.send(driver)
        return greets(driver)

    def run(self) -> None:
        with ExitStack() as stack:
            home = self.home / "server"
            home.mkdir()
            self.server = Server(home, "--app", TEAM_APP, "--domain", NAME, public=ROOT / "Public")
            stack.callback(self.server.stop)
            self.say(f"The server serves https://{NAME}. The association file lists the app {TEAM_APP}.")
            driver = stack.enter_context(
                chromium(self.home / "chromium", self.server.authority, (NAME,), self.server.port)
            )
            see_as(driver, PHONE)
            self.before()
            self.web_to_app(driver)
            self.app_to_web(driver)
            self.web_to_app_again(driver)
            self.end(driver)

    def before(self) -> None:
        self.tool("association", "check", NAME, "--app", self.app, "--assume-public")
        self.say("A device fetches the file, and finds the app in it.")
        installed = self.device("install", "--app", self.app, "--entitlement", f"webcredentials:{NAME}")
        approvals = [record["site_approval"] for record in installed["associations"]]
        expect(approvals == ["approved"], f"the site does not approve the app: {approvals}")
        self.say("The device installs the app. The site approves the app's entitlement.")
        first = self.in_app("log-in", "--yes", code=1)
        expect(first["outcome"] == "not_logged_in", f"a new app is logged in: {first}")
        self.say("The app starts. Its keychain is empty, the device has no shared password, and the user types none.")

    def web_to_app(self, driver: Chrome) -> None:
        self.open(driver, "/signup")
        autofill.fill_in(driver, autofill.USER, ACCOUNT)
        autofill.fill_in(driver, autofill.NEW, suggested())
        self.picture(driver, "sign-up")
        held = autofill.send(driver)
        expect(greets(driver), f"the site does not greet {ACCOUNT} after signing up")
        self.picture(driver, "signed-up")
        self.say(f"{ACCOUNT} signs up in Chromium, with a password that the device suggests.")
        self.save_as_safari(held)
        self.say("The browser finds the fields by their autocomplete tokens, and saves the password on the device.")
        launched = self.in_app("log-in", "--yes")
        expect(launched["source"] == "shared", f"the app did not use the shared password: {launched}")
        self.say("The app starts again, and logs in with the shared password. The user types nothing.")

    def app_to_web(self, driver: Chrome) -> None:
        old = self.saved()[ACCOUNT]
        expect(self.in_app("update", "--yes")["outcome"] == "updated", "the app did not change the password")
        new = self.saved()[ACCOUNT]
        expect(old != new, "the shared password is the old one")
        self.say("The app changes the password to one that the device generates, and updates the shared password.")
        expect(not self.sign_in(driver, old), "the site accepts the old password")
        expect(self.sign_in(driver, new), "the site does not accept the new password")
        self.say("The site rejects the old password, and accepts the new one, which the device fills in.")

    def web_to_app_again(self, driver: Chrome) -> None:
        self.open(driver, "/.well-known/change-password")
        autofill.fill_in(driver, autofill.CURRENT, self.saved()[ACCOUNT])
        autofill.fill_in(driver, autofill.NEW, suggested())
        self.picture(driver, "update")
        self.save_as_safari(autofill.send(driver))
        self.say("The user changes the password on the site, and the browser replaces the saved one.")
        launched = self.in_app("log-in", "--yes")
        tried = [attempt["source"] for attempt in launched["attempts"]]
        expect(tried == ["keychain"] and launched["source"] == "shared", f"unexpected log-in: {launched}")
        self.say("The app tries the old password from its keychain, which fails, and then logs in with the shared one.")

    def end(self, driver: Chrome) -> None:
        signed_out = self.in_app("sign-out")
        expect(signed_out["outcome"] == "signed_out" and self.saved() != {}, f"signing out: {signed_out}")
        last = self.saved()[ACCOUNT]
        self.say("The app signs out. It clears its keychain, and keeps the shared password.")
        expect(self.in_app("log-in", "--yes")["source"] == "shared", "the app did not use the shared password")
        expect(self.in_app("delete-account", "--yes")["outcome"] == "deleted", "the account is not deleted")
        expect(self.saved() == {}, "the device still has the password of the deleted account")
        expect(not self.sign_in(driver, last), "the site still accepts the deleted account")
        self.picture(driver, "gone")
        expect(self.in_app("log-in", "--yes", code=1)["outcome"] == "not_logged_in", "the app still logs in")
        self.say("The app deletes the account. The site no longer accepts it, and the device has deleted its password.")


def expect(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise Told(otherwise)


def greets(driver: Chrome) -> bool:
    """Returns whether the page is the home page of a user who is signed in."""
    return driver.current_url == f"https://{NAME}/" and ACCOUNT in driver.find_element(By.TAG_NAME, "h1").text


def suggested() -> str:
    """Returns a password that the device suggests."""
    done = subprocess.run([BINARY, "password"], capture_output=True, text=True, timeout=LIMIT, check=True)
    return done.stdout.strip()


def main() -> int:
    options = argparse.ArgumentParser(prog="scripts/story", description=__doc__)
    options.add_argument("--app", default=TEAM_APP, help="the app to install; the site lists %(default)s")
    options.add_argument("--pictures", type=Path, help="folder for screenshots of the pages")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="story-") as home:
        story = Story(Path(home), chosen.app, chosen.pictures)
        try:
            story.run()
        except (Told, AssertionError, subprocess.SubprocessError) as error:
            print(f"story: after step {story.steps}: {error}", file=sys.stderr)
            return 1
    print("All steps succeeded.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

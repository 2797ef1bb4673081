"""`serve --lan`: a phone on the same network opens the plain port's page, trusts the CA, and signs up."""

import json
import plistlib
import re
import signal
import ssl
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from support.access import faults
from support.answers import Answer
from support.browser import submit
from support.device import APP
from support.keys import identity
from support.network import LAPTOP, NAME, PHONE, Machine, local_network, machine
from support.page import Page
from support.people import PASSWORD
from support.phone import IPHONE, FirstSteps, browser, trust
from support.server import BINARY, ROOT, Outcome, Server, environment
from support.waiting import LIMIT
from support.wire import ADDRESS
from support.wire import NAME as DOMAIN

USAGE = 64
ASSOCIATION = "/.well-known/apple-app-site-association"
UNTRUSTED = "✗ This device does not trust the CA yet."
TRUSTED = "✓ This device trusts the CA."
LAPTOP_6, PHONE_6 = "fd00::40", "fd00::41"
AGENTS = [
    ("iPhone", IPHONE, "iPhone and iPad"),
    (
        "Android",
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile "
        "Safari/537.36",
        "Android",
    ),
    (
        "Mac",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 "
        "Safari/605.1.15",
        "Mac",
    ),
    ("an unknown program", "curl/8.14.1", "Linux"),
]
PLATFORMS = {"ios": "iPhone and iPad", "android": "Android", "macos": "Mac", "windows": "Windows", "linux": "Linux"}


@dataclass(frozen=True)
class LAN:
    laptop: Machine
    phone: Machine
    server: Server

    @property
    def url(self) -> str:
        return f"http://{LAPTOP}:{self.server.plain_port}/"

    @property
    def origin(self) -> str:
        return f"https://{LAPTOP}:{self.server.port}"

    def page(self, path: str = "", *options: str) -> Answer:
        """Requests a page of the plain port from the phone."""
        return self.phone.get(self.url + path, *options)

    def secure(self, path: str, *options: str) -> Answer:
        """Requests a page over https from the phone."""
        return self.phone.get(self.origin + path, "--cacert", str(self.server.authority), *options)

    def reissue(self) -> None:
        """Replaces the site's certificate. Chromium remembers its verdict on the old certificate for 30 minutes."""
        since = len(self.server.err.lines)
        (self.server.certificates / f"{DOMAIN}.pem").unlink()
        self.server.signal(signal.SIGHUP)
        self.server.err.wait_for(lambda line: "reloaded the certificates" in line, since)


@pytest.fixture(scope="module")
def lan(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LAN]:
    with local_network() as (laptop, phone):
        home = tmp_path_factory.mktemp("laptop")
        server = Server(home, "--lan", plain=True, public=ROOT / "Public", wrapper=laptop.enter)
        yield LAN(laptop, phone, server)
        server.stop()


def refused(one: Machine, home: Path, *options: str) -> Outcome:
    command = [BINARY, "serve", "--certificates", "certs", "--database", ":memory:", *options]
    done = subprocess.run([*one.enter, *command], cwd=home, env=environment(home), capture_output=True, timeout=LIMIT)
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_without_the_option_no_address_of_the_network_is_served(laptop: Machine, tmp_path: Path) -> None:
    server = Server(tmp_path, plain=True, wrapper=laptop.enter)
    assert "phone" not in server.ready
    assert laptop.get(f"http://{ADDRESS}:{server.plain_port}/qr.svg").status == 307
    assert laptop.run("curl", f"http://{LAPTOP}:{server.plain_port}/").returncode == 7, "the connection was not refused"
    server.stop()


def test_the_option_requires_the_plain_port(laptop: Machine, tmp_path: Path) -> None:
    done = refused(laptop, tmp_path, "--lan", "--plain-port", "0")
    assert (done.code, done.out) == (USAGE, "")
    assert "--lan requires the plain port. Remove --plain-port 0." in done.err


def test_the_admin_listener_stays_on_the_loopback_address(lan: LAN) -> None:
    port = lan.server.admin_port
    assert lan.laptop.get(f"http://{ADDRESS}:{port}/health").status == 200
    assert lan.laptop.run("curl", f"http://{LAPTOP}:{port}/health").returncode == 7, "connection refused"
    assert lan.phone.run("curl", f"http://{LAPTOP}:{port}/health").returncode == 7, "connection refused"


def test_the_certificate_covers_the_address_and_the_name(lan: LAN) -> None:
    assert lan.secure("/").status == 200
    steered = ("--resolve", f"{NAME}:{lan.server.port}:{LAPTOP}", "--cacert", str(lan.server.authority))
    for path in ("/", ASSOCIATION):
        assert lan.phone.get(f"https://{NAME}:{lan.server.port}{path}", *steered).status == 200


@pytest.mark.parametrize("covered", [DOMAIN, NAME])
def test_a_given_certificate_leads_phones_to_a_name_that_it_covers(
    laptop: Machine, tmp_path: Path, covered: str
) -> None:
    certificate, key = identity(tmp_path, covered)
    options = ("--lan", "--certificate", str(certificate), "--key", str(key))
    server = Server(tmp_path, *options, plain=True, wrapper=laptop.enter)
    (url,) = server.ready["phone"]
    origin = f"https://{covered}:{server.port}"
    assert f'href="{origin}/"' in laptop.get(url).text
    assert laptop.get(f"{url}signup").field("Location") == f"{origin}/signup"
    warning = f"the certificate does not cover {LAPTOP}, so links use {covered}."
    assert warning in server.err.text
    server.stop()


@pytest.mark.parametrize(("name", "agent", "heading"), AGENTS, ids=[name for name, _, _ in AGENTS])
def test_the_page_recognizes_the_platform(lan: LAN, name: str, agent: str, heading: str) -> None:
    assert platform(lan.page("", "--user-agent", agent)) == heading


def platform(answer: Answer) -> str:
    """Returns the platform whose steps are visible."""
    assert answer.status == 200
    page = Page.of(answer.content)
    steps, _ = page.all("ol")
    assert len(steps.all("li")) in (3, 4)
    return page.all("h2")[0].text.removeprefix("Install the CA: ")


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (LAPTOP, LAPTOP),
        (NAME, NAME),
        (NAME.upper(), NAME),
        ("localhost", "localhost"),
        (DOMAIN, DOMAIN),
        (f"{DOMAIN}.", DOMAIN),
        ("attacker.example", DOMAIN),
        ("10.20.30.99", DOMAIN),
    ],
)
def test_every_link_uses_the_requested_host(lan: LAN, requested: str, expected: str) -> None:
    answer = lan.page("", "--header", f"Host: {requested}:{lan.server.plain_port}")
    origin = f"https://{expected}:{lan.server.port}"
    found = re.findall(r"https://[^\"<\s]+", answer.text)
    assert set(found) == {f"{origin}/", f"{origin}/trusted.svg"}
    policy = answer.field("Content-Security-Policy")
    assert f"img-src 'self' {origin};" in policy, "the page must load the picture only from this host"
    moved = lan.page("signup?a=b", "--header", f"Host: {requested}:{lan.server.plain_port}")
    assert (moved.status, moved.field("Location")) == (307, f"{origin}/signup?a=b")


def test_the_profile_contains_the_root_and_never_changes(laptop: Machine, tmp_path: Path) -> None:
    profiles = []
    for _ in range(2):
        server = Server(tmp_path, "--lan", plain=True, wrapper=laptop.enter)
        answer = laptop.get(f"http://{LAPTOP}:{server.plain_port}/authority.mobileconfig")
        assert (answer.status, answer.field("Content-Type")) == (200, "application/x-apple-aspen-config")
        profiles.append(answer.content)
        server.stop()
    assert profiles[0] == profiles[1]
    (payload,) = plistlib.loads(profiles[0], fmt=plistlib.FMT_XML)["PayloadContent"]
    assert payload["PayloadType"] == "com.apple.security.root"
    assert payload["PayloadContent"] == ssl.PEM_cert_to_DER_cert((tmp_path / "certs/authority.pem").read_text())


def test_other_origins_may_load_only_the_status_picture(lan: LAN) -> None:
    picture = lan.secure("/trusted.svg")
    assert (picture.status, picture.field("Content-Type")) == (200, "image/svg+xml")
    assert picture.field("Cross-Origin-Resource-Policy") == "cross-origin"
    assert picture.field("Cache-Control") == "no-store"
    assert ElementTree.fromstring(picture.text).tag == "{http://www.w3.org/2000/svg}svg"
    paths = ("/", "/signup", "/docs", "/check", "/style.css", "/favicon.svg", "/openapi.json", "/trusted.svg/", "/none")
    for path in (*paths, ASSOCIATION, "/api/password"):
        answer = lan.secure(path)
        assert answer.field("Cross-Origin-Resource-Policy") == "same-origin", path
        for policy in answer.values("Content-Security-Policy"):
            assert "img-src 'self';" in policy, path
    for path in ("", "style.css", "authority.pem", "authority.cer", "authority.mobileconfig", "qr.svg", "signup"):
        assert lan.page(path).field("Cross-Origin-Resource-Policy") == "same-origin", path


def test_the_page_shows_live_that_the_device_trusts_the_ca(lan: LAN, tmp_path: Path) -> None:
    home = tmp_path / "phone"
    with browser(lan.phone, home) as driver:
        driver.get(lan.url)
        steps = FirstSteps(driver)
        steps.wait_for_picture(is_shown=False)
        assert steps.status.accessible_name == UNTRUSTED
        size = steps.status.size
        assert size["width"] > 200 and size["height"] > 0, "the alternative text is not visible"
        loaded = driver.execute_script("return performance.timeOrigin")
        trust(home, lan.server.authority)
        lan.reissue()
        steps.wait_for_picture(is_shown=True)
        steps.wait_for_name(TRUSTED)
        assert driver.execute_script("return performance.timeOrigin") == loaded, "the page was reloaded"


def test_the_page_shows_live_on_an_ipv6_address_that_the_device_trusts_the_ca(tmp_path: Path) -> None:
    """A Content-Security-Policy cannot name an IPv6 address."""
    home = tmp_path / "phone"
    with local_network() as (laptop, phone):
        for one, address in ((laptop, LAPTOP_6), (phone, PHONE_6)):
            one.configure(f"addr add {address}/64 dev lan0 nodad")
        server = Server(tmp_path, "--lan", plain=True, public=ROOT / "Public", wrapper=laptop.enter)
        url = f"http://[{LAPTOP_6}]:{server.plain_port}/"
        assert url in server.ready["phone"]
        with browser(phone, home) as driver:
            driver.get(url)
            steps = FirstSteps(driver)
            steps.wait_for_picture(is_shown=False)
            assert steps.status.get_attribute("src").startswith(f"https://[{LAPTOP_6}]:{server.port}/")
            assert steps.status.accessible_name == UNTRUSTED
            trust(home, server.authority)
            LAN(laptop, phone, server).reissue()
            steps.wait_for_picture(is_shown=True)
            steps.wait_for_name(TRUSTED)
        server.stop()


def test_a_phone_gets_from_the_printed_url_to_a_sign_up(lan: LAN, tmp_path: Path) -> None:
    home = tmp_path / "phone"
    (url,) = lan.server.ready["phone"]
    with browser(lan.phone, home) as driver:
        driver.get(url)
        driver.find_element(By.ID, "open").click()
        assert "ERR_CERT_AUTHORITY_INVALID" in driver.page_source, "the device trusts the CA too early"
    # The profile from the first step contains the certificate that the device then trusts.
    profile = plistlib.loads(lan.page("authority.mobileconfig").content)
    root = tmp_path / "root.pem"
    root.write_text(ssl.DER_cert_to_PEM_cert(profile["PayloadContent"][0]["PayloadContent"]))
    trust(home, root)
    with browser(lan.phone, home) as driver:
        driver.get(url)
        FirstSteps(driver).wait_for_picture(is_shown=True)
        driver.find_element(By.ID, "open").click()
        WebDriverWait(driver, LIMIT).until(lambda driver: driver.current_url == f"{lan.origin}/")
        driver.find_element(By.LINK_TEXT, "Sign up").click()
        submit(driver, "/signup", {"username": "Ada", "password": PASSWORD, "confirm_password": PASSWORD})
        assert driver.current_url == f"{lan.origin}/"
        assert "Ada" in driver.find_element(By.TAG_NAME, "main").text


def test_a_phone_gets_from_the_name_in_the_code_to_a_password_request(tmp_path: Path) -> None:
    """Follows only what the pages say. The hosts file stands in for multicast DNS."""
    hosts = tmp_path / "hosts"
    hosts.write_text(f"127.0.0.1 localhost\n{LAPTOP} {NAME}\n")
    home = tmp_path / "phone"
    home.mkdir()
    with local_network() as machines:
        laptop, phone = (replace(one, hosts=hosts) for one in machines)
        server = Server(tmp_path, "--lan", "--inspector", plain=True, public=ROOT / "Public", wrapper=laptop.enter)
        url = server.ready["phone"][0]
        assert url == f"http://{NAME}:{server.plain_port}/"
        profile = plistlib.loads(phone.get(f"{url}authority.mobileconfig").content)
        root = tmp_path / "root.pem"
        root.write_text(ssl.DER_cert_to_PEM_cert(profile["PayloadContent"][0]["PayloadContent"]))
        trust(home, root)
        with browser(phone, home) as driver:
            driver.get(url)
            steps = FirstSteps(driver)
            steps.wait_for_picture(is_shown=True)
            entry = steps.entry
            assert entry == f"webcredentials:{NAME}:{server.port}?mode=developer"
            loaded = driver.execute_script("return performance.timeOrigin")

            def device(*words: str, given: str = "") -> str:
                command = [str(BINARY), "device", *words, "--state", "device.json", "--trust", str(root)]
                done = subprocess.run(
                    [*phone.enter, *command],
                    cwd=home,
                    env=environment(home),
                    input=given,
                    capture_output=True,
                    text=True,
                    timeout=LIMIT,
                )
                assert done.returncode == 0, done.stderr
                return done.stdout

            device("developer-mode", "on")
            device("install", "--app", APP, "--entitlement", entry)
            steps.wait_until_read()
            assert driver.execute_script("return performance.timeOrigin") == loaded, "the page was reloaded"
            server.err.wait_for(lambda line: f"the device {PHONE} has read the association file" in line)
            driver.find_element(By.ID, "open").click()
            WebDriverWait(driver, LIMIT).until(lambda driver: NAME in driver.current_url)
            driver.find_element(By.LINK_TEXT, "Sign up").click()
            submit(driver, "/signup", {"username": "Ada", "password": PASSWORD, "confirm_password": PASSWORD})
        domain = f"{NAME}:{server.port}"
        saved = ("save", "--app", APP, "--domain", domain, "--account", "Ada", "--password-stdin", "--yes")
        device(*saved, given=PASSWORD)
        request = json.loads(device("request", "--app", APP, "--domain", domain, "--yes", "--json"))
        assert [(one["acct"], one["spwd"]) for one in request["credentials"]] == [("Ada", PASSWORD)]
        server.stop()


def test_axe_finds_nothing_serious_and_no_page_for_phones_scrolls_horizontally(lan: LAN, tmp_path: Path) -> None:
    home = tmp_path / "phone"
    for trusts in (False, True):
        if trusts:
            trust(home, lan.server.authority)
        with browser(lan.phone, home, width=320) as driver:
            # With trust, only the picture and the button differ.
            for identifier in PLATFORMS if not trusts else ["ios"]:
                driver.get(f"{lan.url}?platform={identifier}")
                FirstSteps(driver).wait_for_picture(is_shown=trusts)
                driver.execute_script("document.getElementById('install').open = true")
                assert faults(driver, identifier) == []
                # A page that is too wide also widens a phone's viewport.
                assert driver.execute_script("return innerWidth") == 320, identifier


@pytest.mark.parametrize("addresses", [(), ("169.254.3.4/32", "192.0.2.7/32", "fe80::1/128", "2001:db8::1/128")])
def test_a_machine_without_a_local_address_is_an_error(tmp_path: Path, addresses: tuple[str, ...]) -> None:
    with machine("laptop") as one:
        one.configure(*(f"addr add {address} dev lo" for address in addresses))
        done = refused(one, tmp_path, "--lan")
    assert (done.code, done.out) == (USAGE, "")
    assert "no address on a local network. Connect to a network, or remove --lan." in done.err

"""The common parts of every page, and the content of forms: docs/site-and-api.md, "Pages" and "Forms"."""

from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from support.access import faults, widths
from support.browser import PAGE_LIMIT, messages, see_as, submit
from support.page import Page
from support.people import PASSWORD, App, Visitor
from support.server import Server
from support.wire import NAME

PHONE, DESK, NARROW = (390, 844), (1280, 800), (320, 640)
# Each page, and the highlighted link in its header.
PAGES = {
    "/": None,
    "/signup": "/account",
    "/signin": "/account",
    "/docs": "/docs",
    "/check": "/check",
    "/check/codes": "/check",
    "/check/codes?q=redirect": "/check",
    "/check?entitlement=webcredentials:example.com": "/check",
    "/nothing": None,
}


def expect_frame(page: Page, current: str | None) -> None:
    (header,) = page.all("header")
    links = {one.get("href"): one for one in header.all("a")}
    assert links["/"].text == "Ultra Motivator"
    assert links["/"].all("img")[0].get("src") == "/favicon.svg"
    assert {"/check", "/docs"} < links.keys()
    assert "/faults" not in links, "a server without --faults must not link to the fault hosts"
    assert "/account" in links
    assert [path for path, one in links.items() if one.get("aria-current")] == ([current] if current else [])
    metas = {one.get("name"): one.get("content") for one in page.all("meta")}
    assert metas["description"]
    assert metas["theme-color"]
    assert {"/favicon.svg", "/style.css", "/apple-touch-icon.png"} == {one.get("href") for one in page.all("link")}
    for tag, name in (("img", "src"), ("script", "src"), ("link", "href")):
        for one in page.all(tag):
            if one.get("data-live") is not None:
                # A browser loads this image only if it trusts the certificate of the https site.
                continue
            assert (one.get(name) or "/").startswith("/"), f"{one} is on another host"
    assert len(page.all("h1")) == len(page.all("main")) == len(page.all("footer")) == 1


def test_every_page_has_the_frame_and_marks_the_current_link(site: Server) -> None:
    with Visitor(site) as visitor:
        for target, current in PAGES.items():
            expect_frame(visitor.page(target, 404 if target == "/nothing" else 200), current)
        visitor.sign_up("Frame")
        for target in ("/", "/update", "/account/delete"):
            expect_frame(visitor.page(target), "/account")
        icon = visitor.get("/apple-touch-icon.png")
        assert icon.field("Content-Type") == "image/png"
        assert icon.content.startswith(b"\x89PNG")
    with site.connect_plain() as wire:
        answer = wire.ask("/")
    expect_frame(Page.of(answer.content), None)


def test_chromium_shows_the_site_without_a_warning(driver: Chrome, site: Server, reports: Path) -> None:
    driver.get(f"{site.origin}/")
    assert driver.current_url == f"{site.origin}/"
    # The page for a rejected certificate contains this text. The address bar still shows the URL.
    assert "ERR_CERT_" not in driver.page_source
    assert driver.title
    assert driver.execute_script("return window.isSecureContext && document.readyState") == "complete"
    driver.save_screenshot(str(reports / "home-desk.png"))
    see_as(driver, PHONE, scale=2)
    driver.save_screenshot(str(reports / "home-phone.png"))


def test_axe_finds_nothing_serious_and_no_page_is_too_wide(driver: Chrome, site: Server) -> None:
    found: list[str] = []
    for url in [f"http://{NAME}:{site.plain_port}/", *(site.origin + target for target in PAGES)]:
        driver.get(url)
        # axe takes a long time to check the list of all codes. The list with a query has the same elements.
        look = widths if url.endswith("/check/codes") else faults
        found += look(driver, url, NARROW, DESK)
    assert found == [], "\n".join(found)
    # Without TLS, Chromium ignores one of the fields, and reports this in the console.
    assert all("Cross-Origin-Opener-Policy" in one for one in messages(driver))


def test_touch_targets_have_44_pixels_and_the_main_button_fills_a_phone(driver: Chrome, site: Server) -> None:
    see_as(driver, PHONE)
    for target in PAGES:
        driver.get(site.origin + target)
        small = driver.execute_script(
            "return [...document.querySelectorAll('button, .button, input:not([type=hidden]):not([type=radio]),"
            " textarea, nav a, .tabs label')].filter(one => one.offsetParent)"
            ".filter(one => one.getBoundingClientRect().height < 44)"
            ".map(one => one.outerHTML.slice(0, 120))"
        )
        assert small == [], target
    for target in ("/signup", "/signin", "/check"):
        driver.get(site.origin + target)
        widths = driver.execute_script(
            "const form = document.querySelector('form[method=post]');"
            "return [form, form.querySelector('[type=submit]')].map(one => one.getBoundingClientRect().width)"
        )
        assert widths[0] - widths[1] < 1, target


def style(driver: Chrome, selector: str, name: str) -> str:
    return driver.execute_script(
        "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, name
    )


def test_a_button_shows_the_password_and_the_form_hides_it_again(driver: Chrome, site: Server) -> None:
    with App(site) as app:
        app.sign_up("Shown")
    driver.get(f"{site.origin}/signin")
    field = driver.find_element(By.ID, "password")
    button = driver.find_element(By.CSS_SELECTOR, ".show")
    assert button.get_attribute("aria-label") == "Show password"
    button.click()
    assert field.get_attribute("type") == "text"
    assert button.text == "Hide"
    types = "addEventListener('submit', () => sessionStorage.type = document.getElementById('password').type)"
    driver.execute_script(f"document.forms[0].{types}")
    submit(driver, "/signin", {"username": "Shown", "password": PASSWORD})
    assert "Shown" in driver.find_element(By.TAG_NAME, "h1").text
    assert driver.execute_script("return sessionStorage.type") == "password"
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get(f"{site.origin}/signin")
    assert driver.find_elements(By.CSS_SELECTOR, ".show") == [], "a control without an effect is visible"


def test_a_button_copies_the_command(driver: Chrome, site: Server) -> None:
    for permission in ("clipboardReadWrite", "clipboardSanitizedWrite"):
        driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": site.origin, "permissions": [permission]})
    driver.get(f"{site.origin}/docs")
    button = driver.find_element(By.CSS_SELECTOR, "#signup .copy")
    button.click()
    WebDriverWait(driver, PAGE_LIMIT).until(lambda _: button.text == "Copied")
    for tab in ("signup-curl", "signup-json", "signup-curl"):
        driver.find_element(By.CSS_SELECTOR, f"label[for={tab}]").click()
        shown = [one for one in driver.find_elements(By.CSS_SELECTOR, "#signup .tabs pre") if one.is_displayed()]
        assert [one.text.startswith("curl ") for one in shown] == [tab.endswith("curl")]

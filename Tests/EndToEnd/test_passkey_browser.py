"""Passkeys in Chromium with a virtual authenticator (WebAuthn Level 3 §11): the site's pages and their script."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from support.browser import PAGE_LIMIT, next_page, submit
from support.people import PASSWORD
from support.server import Server

ADD = "/account/passkeys"
CONFIRM = "/account/confirm/passkey"
SIGN_IN = "/signin/passkey"


def add_authenticator(driver: Chrome, *, consents: bool = True) -> None:
    options = VirtualAuthenticatorOptions()
    options.protocol = VirtualAuthenticatorOptions.Protocol.CTAP2
    options.transport = VirtualAuthenticatorOptions.Transport.INTERNAL
    options.has_resident_key = options.has_user_verification = options.is_user_verified = True
    options.is_user_consenting = consents
    driver.add_virtual_authenticator(options)


@contextmanager
def changed(driver: Chrome, source: str) -> Iterator[None]:
    """Pages that load meanwhile run a script before their own."""
    script = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
    yield
    driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def without_suggestions(driver: Chrome) -> AbstractContextManager[None]:
    """Pages that load meanwhile show no suggestions. The virtual authenticator would select the first at once."""
    return changed(driver, "PublicKeyCredential.isConditionalMediationAvailable = async () => false")


# Chromium reports `conditionalCreate`, but with a virtual authenticator, it answers NotAllowedError. The script sends
# such a request to the authenticator without the mediation, and no other request.
UPGRADE = """
const create = navigator.credentials.create.bind(navigator.credentials);
navigator.credentials.create = ({ publicKey, mediation }) =>
  mediation == "conditional" ? create({ publicKey }) : Promise.reject(new Error("not conditional"));
"""


@pytest.fixture
def browser(driver: Chrome) -> Iterator[Chrome]:
    """A browser with an authenticator without passkeys, whose user consents."""
    add_authenticator(driver)
    yield driver
    driver.remove_virtual_authenticator()


def sign_up(driver: Chrome, site: Server, name: str) -> None:
    driver.get(site.origin + "/signup")
    submit(driver, "/signup", {"username": name, "password": PASSWORD, "confirm_password": PASSWORD})


def sign_out(driver: Chrome, site: Server) -> None:
    driver.get(site.origin)
    submit(driver, "/signout")


def path(driver: Chrome, site: Server) -> str:
    return driver.current_url.removeprefix(site.origin)


def sections(driver: Chrome) -> dict[str, WebElement]:
    """Returns the section of each passkey by its name. Passkeys added in the same second have no defined order."""
    found = driver.find_elements(By.CSS_SELECTOR, ".passkey")
    return {section.find_element(By.TAG_NAME, "h2").text: section for section in found}


def names(driver: Chrome) -> list[str]:
    return sorted(sections(driver))


def ceremony(driver: Chrome, action: str) -> WebElement:
    return driver.find_element(By.CSS_SELECTOR, f'[data-action="{action}"]')


def perform(driver: Chrome, action: str) -> None:
    """Clicks the button of a ceremony that succeeds, and waits for the next page."""
    with next_page(driver):
        ceremony(driver, action).find_element(By.TAG_NAME, "button").click()


def add(driver: Chrome, site: Server, name: str) -> None:
    driver.get(site.origin + ADD)
    driver.find_element(By.ID, "name").send_keys(name)
    perform(driver, ADD)


def shown(driver: Chrome, find: Callable[[], WebElement]) -> str:
    """Returns the text of an element after it appears."""
    WebDriverWait(driver, PAGE_LIMIT).until(lambda _: find().is_displayed() and find().text)
    return find().text


def failure(driver: Chrome, action: str) -> str:
    """Clicks the button of a ceremony that fails in the browser, and returns the sentence beside it."""
    ceremony(driver, action).find_element(By.TAG_NAME, "button").click()
    return shown(driver, lambda: ceremony(driver, action).find_element(By.CSS_SELECTOR, "p.error"))


def test_a_passkey_is_added_and_signs_in(browser: Chrome, site: Server) -> None:
    sign_up(browser, site, "Modal")
    browser.find_element(By.LINK_TEXT, "Add a passkey").click()
    assert path(browser, site) == ADD
    assert names(browser) == []
    browser.find_element(By.ID, "name").send_keys("First")
    perform(browser, ADD)
    assert names(browser) == ["First"]
    assert browser.find_elements(By.CSS_SELECTOR, ".notice")
    credentials = browser.get_credentials()
    assert [(c.rp_id, c.is_resident_credential) for c in credentials] == [("ultra-motivator.test", True)]
    sign_out(browser, site)
    with without_suggestions(browser):
        browser.get(site.origin + "/signin")
        perform(browser, SIGN_IN)
    assert path(browser, site) == "/"
    assert "Modal" in browser.find_element(By.TAG_NAME, "h1").text


def test_the_password_manager_suggests_a_passkey(browser: Chrome, site: Server) -> None:
    sign_up(browser, site, "Suggested")
    add(browser, site, "Only")
    sign_out(browser, site)
    # The virtual authenticator selects the suggestion at once.
    browser.get(site.origin + "/signin")
    WebDriverWait(browser, PAGE_LIMIT).until(lambda _: path(browser, site) == "/")
    assert "Suggested" in browser.find_element(By.TAG_NAME, "h1").text


def test_a_second_passkey_is_added_renamed_and_removed(browser: Chrome, site: Server) -> None:
    sign_up(browser, site, "Second")
    add(browser, site, "First")
    browser.remove_virtual_authenticator()
    add_authenticator(browser)
    add(browser, site, "")
    assert names(browser) == ["First", "Passkey"]
    section = sections(browser)["Passkey"]
    section.find_element(By.TAG_NAME, "summary").click()
    field = section.find_element(By.NAME, "name")
    field.clear()
    field.send_keys("Renamed")
    with next_page(browser):
        section.find_element(By.CSS_SELECTOR, 'form[action="/account/passkeys/rename"] button').click()
    assert names(browser) == ["First", "Renamed"]
    section = sections(browser)["First"]
    section.find_element(By.TAG_NAME, "summary").click()
    with next_page(browser):
        section.find_element(By.CSS_SELECTOR, 'form[action="/account/passkeys/remove"] button').click()
    assert names(browser) == ["Renamed"]


def test_a_device_is_registered_once(browser: Chrome, site: Server) -> None:
    sign_up(browser, site, "Once")
    add(browser, site, "First")
    assert "already has a passkey" in failure(browser, ADD)
    assert names(browser) == ["First"]


def test_a_prompt_without_a_response_times_out(driver: Chrome, site: Server) -> None:
    add_authenticator(driver, consents=False)
    sign_up(driver, site, "Absent")
    driver.get(site.origin + ADD)
    # Chromium waits for the timeout of the options.
    driver.execute_script(
        "const create = navigator.credentials.create.bind(navigator.credentials);"
        "navigator.credentials.create = (options) => {"
        "  options.publicKey.timeout = 100;"
        "  return create(options);"
        "}"
    )
    assert "you declined, or the time ran out" in failure(driver, ADD)
    driver.remove_virtual_authenticator()


def test_a_declined_prompt_has_its_own_sentence(browser: Chrome, site: Server) -> None:
    sign_up(browser, site, "Declined")
    browser.get(site.origin + ADD)
    browser.set_user_verified(False)
    assert "you declined, or the time ran out" in failure(browser, ADD)
    assert browser.get_credentials() == []
    # The page stays usable.
    browser.set_user_verified(True)
    perform(browser, ADD)
    assert names(browser) == ["Passkey"]
    busy = "fetch = async () => new Response(new Blob(['Busy.'], { type: arguments[0] }), { status: 503 })"
    for kind, sentence in (("text/plain", "Busy."), ("text/html", "did not respond as expected")):
        browser.execute_script(busy, kind)
        assert sentence in failure(browser, ADD)


def test_the_browser_learns_which_passkeys_exist(browser: Chrome, site: Server) -> None:
    sign_up(browser, site, "Removed")
    add(browser, site, "First")
    copy = browser.get_credentials()[0]
    browser.find_element(By.TAG_NAME, "summary").click()
    submit(browser, "/account/passkeys/remove")
    # The list without the passkey made the browser remove it.
    WebDriverWait(browser, PAGE_LIMIT).until(lambda _: browser.get_credentials() == [])
    browser.add_credential(copy)
    sign_out(browser, site)
    with without_suggestions(browser):
        browser.get(site.origin + "/signin")
        perform(browser, SIGN_IN)
    assert "does not know this passkey" in browser.find_element(By.CSS_SELECTOR, ".alert").text
    WebDriverWait(browser, PAGE_LIMIT).until(lambda _: browser.get_credentials() == [])


def test_a_visitor_confirms_first_and_returns_after_the_sign_in(browser: Chrome, site: Server) -> None:
    sign_up(browser, site, "Confirmed")
    add(browser, site, "First")
    sign_out(browser, site)
    with without_suggestions(browser):
        browser.get(site.origin + ADD)
        assert path(browser, site) == "/signin"
        submit(browser, "/signin", {"username": "Confirmed", "password": PASSWORD})
    assert path(browser, site) == ADD
    assert names(browser) == ["First"]


def test_a_sign_in_with_a_password_adds_a_passkey_without_a_prompt(browser: Chrome, site: Server) -> None:
    sign_up(browser, site, "Upgraded")
    # Chromium itself refused the offer after the sign-up, which the page does not mention.
    assert browser.get_credentials() == []
    assert not any(error.is_displayed() for error in browser.find_elements(By.CSS_SELECTOR, ".error, .alert"))
    sign_out(browser, site)
    with changed(browser, UPGRADE):
        browser.get(site.origin + "/signin")
        # The page offers a passkey once per tab.
        browser.execute_script("sessionStorage.clear()")
        submit(browser, "/signin", {"username": "Upgraded", "password": PASSWORD})
        responses = "return performance.getEntriesByName(arguments[0]).length"
        WebDriverWait(browser, PAGE_LIMIT).until(lambda _: browser.execute_script(responses, site.origin + ADD))
    assert path(browser, site) == "/"
    assert len(browser.get_credentials()) == 1
    browser.get(site.origin + ADD)
    assert names(browser) == ["Passkey"]


def test_without_a_script_the_password_works(driver: Chrome, site: Server) -> None:
    sign_up(driver, site, "Plain")
    sign_out(driver, site)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get(site.origin + "/signin")
    assert not ceremony(driver, SIGN_IN).is_displayed()
    assert "Passkeys need JavaScript" in driver.find_element(By.TAG_NAME, "main").text

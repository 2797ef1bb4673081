"""The account site with only the keyboard, without scripts, in both color schemes, and on all screen sizes."""

import re
from collections.abc import Callable

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from support.access import faults
from support.browser import form, next_page, submit
from support.people import OTHER, PASSWORD, App
from support.server import Server

SIZES = ((1200, 900), (390, 844))
SUGGEST = "[name=suggest]"
GENERATED = re.compile(r"[A-Za-z2-9]{3}(-[A-Za-z2-9]{3}){3}")


@pytest.fixture(scope="module")
def site(site: Server) -> Server:
    with App(site) as app:
        app.sign_up("Somebody")
    return site


def sign_in(driver: Chrome, site: Server) -> None:
    driver.get(f"{site.origin}/signin")
    submit(driver, "/signin", {"username": "Somebody", "password": PASSWORD})


def refused(action: str, **fields: str) -> Callable[[Chrome], None]:
    return lambda driver: submit(driver, action, fields)


def as_it_is(driver: Chrome) -> None:
    pass


# test_pages.py examines the pages that every visitor can open.
SIGNED_OUT: dict[str, tuple[str, Callable[[Chrome], None]]] = {
    "sign-up-mismatch": ("/signup", refused("/signup", username="New", password=PASSWORD, confirm_password=OTHER)),
    "sign-in-wrong": ("/signin", refused("/signin", username="Somebody", password=OTHER)),
    "update": ("/update", as_it_is),
}
SIGNED_IN: dict[str, tuple[str, Callable[[Chrome], None]]] = {
    "start": ("/", as_it_is),
    "update-wrong": (
        "/update",
        refused("/update", current_password=OTHER, new_password=OTHER, confirm_new_password=OTHER),
    ),
    "delete-wrong": ("/account/delete", refused("/account/delete", password=OTHER)),
}


def test_axe_finds_nothing_serious_and_every_page_fits(driver: Chrome, site: Server) -> None:
    found: list[str] = []
    for signed_in, pages in ((False, SIGNED_OUT), (True, SIGNED_IN)):
        if signed_in:
            sign_in(driver, site)
        for name, (target, act) in pages.items():
            driver.get(site.origin + target)
            act(driver)
            found += faults(driver, name, *SIZES)
    assert found == [], "\n".join(found)


def press(driver: Chrome, *keys: str) -> None:
    ActionChains(driver).send_keys(*keys).perform()


def focused(driver: Chrome) -> str:
    """Returns the name of the focused field or button, the target of the link, or the element's type."""
    return driver.execute_script(
        "const at = document.activeElement;return at.getAttribute('name') || at.getAttribute('href') || at.localName"
    )


def tab_order(driver: Chrome) -> list[str]:
    """Returns the elements that Tab reaches from the top of the page. Each must show a focus indicator."""
    driver.execute_script("document.activeElement.blur(); window.getSelection().removeAllRanges()")
    reached: list[str] = []
    seen: list[str] = []
    for _ in range(60):
        press(driver, Keys.TAB)
        element = driver.switch_to.active_element
        if element.tag_name in ("body", "html"):
            # Tab wraps from the end of the page to its top.
            continue
        if element.id in seen:
            return reached
        seen.append(element.id)
        reached.append(focused(driver))
        outline = driver.execute_script(
            "const style = getComputedStyle(document.activeElement);"
            "return style.outlineStyle != 'none' || style.boxShadow != 'none'"
        )
        assert outline, f"{reached[-1]} has no focus indicator"
    raise AssertionError(f"Tab never returns to a reached element: {reached}")


def test_tab_reaches_each_field_button_and_link_in_the_order_of_the_page(driver: Chrome, site: Server) -> None:
    sign_in(driver, site)
    for target in ("/signup", "/signin", "/update", "/account/delete", "/"):
        driver.get(site.origin + target)
        expected = driver.execute_script(
            "return [...document.querySelectorAll('a[href], button, input:not([type=hidden])')]"
            ".filter(one => one.checkVisibility())"
            ".map(one => one.getAttribute('name') || one.getAttribute('href') || one.localName)"
        )
        # Chromium starts at the field with the initial focus, so the order may be rotated.
        reached = tab_order(driver)
        assert sorted(reached) == sorted(expected), target
        start = expected.index(reached[0])
        assert reached == expected[start:] + expected[:start], target


def test_a_user_signs_up_and_updates_with_the_keyboard_only(driver: Chrome, site: Server) -> None:
    driver.get(f"{site.origin}/signup")
    assert focused(driver) == "username"
    press(driver, "Keyboard")
    reach(driver, "password")
    press(driver, PASSWORD)
    reach(driver, "confirm_password")
    press(driver, PASSWORD)
    # Enter must submit the form and not suggest a password.
    with next_page(driver):
        press(driver, Keys.ENTER)
    assert "Keyboard" in driver.find_element(By.TAG_NAME, "h1").text
    reach(driver, "/update")
    with next_page(driver):
        press(driver, Keys.ENTER)
    for field, text in (("current_password", PASSWORD), ("new_password", OTHER), ("confirm_new_password", OTHER)):
        reach(driver, field)
        press(driver, text)
    with next_page(driver):
        press(driver, Keys.ENTER)
    assert "Keyboard" in driver.find_element(By.TAG_NAME, "h1").text
    with App(site) as app:
        assert app.sign_in("Keyboard", OTHER).status == 200


def reach(driver: Chrome, wanted: str) -> None:
    """Presses Tab until the element has the focus."""
    for _ in range(40):
        if focused(driver) == wanted:
            return
        press(driver, Keys.TAB)
    raise AssertionError(f"Tab does not reach {wanted}")


def test_a_suggested_password_is_filled_in_without_scripts(driver: Chrome, site: Server) -> None:
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get(f"{site.origin}/signup")
    submit(driver, "/signup", {"username": "No Scripts"}, SUGGEST)
    suggestion = check_suggestion(driver, "/signup", ("password", "confirm_password"))
    assert driver.find_element(By.NAME, "username").get_attribute("value") == "No Scripts"
    submit(driver, "/signup", button=SUGGEST)
    another = check_suggestion(driver, "/signup", ("password", "confirm_password"))
    assert another != suggestion
    submit(driver, "/signup")
    assert "No Scripts" in driver.find_element(By.TAG_NAME, "h1").text
    driver.get(f"{site.origin}/update")
    submit(driver, "/update", {"current_password": another}, SUGGEST)
    newest = check_suggestion(driver, "/update", ("new_password", "confirm_new_password"))
    assert driver.find_element(By.NAME, "username").get_attribute("value") == "No Scripts"
    submit(driver, "/update", {"current_password": another})
    assert "No Scripts" in driver.find_element(By.TAG_NAME, "h1").text
    with App(site) as app:
        assert app.sign_in("No Scripts", newest).status == 200


def check_suggestion(driver: Chrome, action: str, fields: tuple[str, ...]) -> str:
    suggestion = driver.find_element(By.CSS_SELECTOR, "output#suggestion").text
    assert GENERATED.fullmatch(suggestion), suggestion
    for field in fields:
        assert form(driver, action).find_element(By.NAME, field).get_attribute("value") == suggestion, field
    return suggestion


def test_the_tutorial_paths_serve_the_same_pages(driver: Chrome, site: Server) -> None:
    driver.get(site.origin + "/ultra_motivator")
    links = [link.get_dom_attribute("href") for link in driver.find_elements(By.CSS_SELECTOR, "main a")]
    assert "/ultra_motivator/web/signup.py" in links
    driver.get(site.origin + "/web/signup.py")
    assert driver.current_url == f"{site.origin}/signup"
    driver.get(site.origin + "/ultra_motivator/web/signup.py")
    action = form_action(driver)
    submit(driver, action, {"username": "Tutorial", "password": PASSWORD, "confirm_password": PASSWORD})
    assert is_signed_in(driver, site)
    driver.get(site.origin + "/ultra_motivator/web/update.py")
    assert driver.find_element(By.NAME, "username").get_attribute("value") == "Tutorial"
    action = form_action(driver)
    submit(driver, action, {"current_password": PASSWORD, "new_password": OTHER, "confirm_new_password": OTHER})
    assert is_signed_in(driver, site)
    submit(driver, "/signout")
    driver.get(site.origin + "/ultra_motivator/web/signin.py")
    submit(driver, form_action(driver), {"username": "Tutorial", "password": OTHER})
    assert is_signed_in(driver, site)


def form_action(driver: Chrome) -> str:
    """Returns the target of the page's only form."""
    (only,) = driver.find_elements(By.TAG_NAME, "form")
    return only.get_dom_attribute("action") or ""


def is_signed_in(driver: Chrome, site: Server) -> bool:
    """Returns whether the home page greets the user with a quote and has no password field."""
    assert driver.current_url == f"{site.origin}/"
    assert driver.find_elements(By.CSS_SELECTOR, "input[type=password]") == []
    quotes = driver.find_elements(By.TAG_NAME, "blockquote")
    return bool(quotes and quotes[0].text) and "Tutorial" in driver.find_element(By.TAG_NAME, "h1").text

"""The account site with only the keyboard, without scripts, in both color schemes, and on all screen sizes."""

import re
from collections.abc import Callable

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from support.access import faults
from support.browser import fill, form, next_page, submit
from support.people import OTHER, PASSWORD, App
from support.server import Server

SIZES = ((1200, 900), (390, 844))
GENERATED = re.compile(r"[A-Za-z2-9]{3}(-[A-Za-z2-9]{3}){3}")


@pytest.fixture(scope="module")
def site(site: Server) -> Server:
    with App(site) as app:
        app.sign_up("Taken")
        app.sign_up("Somebody")
    return site


def sign_in(driver: Chrome, site: Server) -> None:
    driver.get(f"{site.origin}/signin")
    submit(driver, "/signin", {"username": "Somebody", "password": PASSWORD})


def refused(action: str, **fields: str) -> Callable[[Chrome], None]:
    return lambda driver: submit(driver, action, fields)


def as_it_is(driver: Chrome) -> None:
    pass


SIGNED_OUT: dict[str, tuple[str, Callable[[Chrome], None]]] = {
    "start": ("/", as_it_is),
    "sign-up": ("/signup", as_it_is),
    "sign-up-mismatch": ("/signup", refused("/signup", username="New", password=PASSWORD, confirm_password=OTHER)),
    "sign-up-taken": ("/signup", refused("/signup", username="Taken", password=PASSWORD, confirm_password=PASSWORD)),
    "sign-in": ("/signin", as_it_is),
    "sign-in-wrong": ("/signin", refused("/signin", username="Taken", password=OTHER)),
    "update": ("/update", as_it_is),
    "docs": ("/docs", as_it_is),
    "not-found": ("/nothing-is-here", as_it_is),
}
SIGNED_IN: dict[str, tuple[str, Callable[[Chrome], None]]] = {
    "signed-in-start": ("/", as_it_is),
    "signed-in-update": ("/update", as_it_is),
    "signed-in-update-wrong": (
        "/update",
        refused("/update", current_password=OTHER, new_password=OTHER, confirm_new_password=OTHER),
    ),
    "signed-in-delete": ("/account/delete", as_it_is),
    "signed-in-delete-wrong": ("/account/delete", refused("/account/delete", password=OTHER)),
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


@pytest.mark.parametrize("target", ["/signup", "/signin", "/update", "/account/delete", "/"])
def test_tab_reaches_each_field_button_and_link_in_the_order_of_the_page(
    driver: Chrome, site: Server, target: str
) -> None:
    sign_in(driver, site)
    driver.get(site.origin + target)
    expected = driver.execute_script(
        "return [...document.querySelectorAll('a[href], button, input:not([type=hidden])')]"
        ".filter(one => one.checkVisibility())"
        ".map(one => one.getAttribute('name') || one.getAttribute('href') || one.localName)"
    )
    # Chromium starts at the field with the initial focus, so the order may be rotated.
    reached = tab_order(driver)
    assert sorted(reached) == sorted(expected)
    start = expected.index(reached[0])
    assert reached == expected[start:] + expected[:start]


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
    fill(driver, "/signup", {"username": "No Scripts"})
    click_suggest(driver, "/signup")
    suggestion = check_suggestion(driver, "/signup", ("password", "confirm_password"))
    assert driver.find_element(By.NAME, "username").get_attribute("value") == "No Scripts"
    click_suggest(driver, "/signup")
    another = check_suggestion(driver, "/signup", ("password", "confirm_password"))
    assert another != suggestion
    press_main(driver, "/signup")
    assert "No Scripts" in driver.find_element(By.TAG_NAME, "h1").text
    driver.get(f"{site.origin}/update")
    fill(driver, "/update", {"current_password": another})
    click_suggest(driver, "/update")
    newest = check_suggestion(driver, "/update", ("new_password", "confirm_new_password"))
    assert driver.find_element(By.NAME, "username").get_attribute("value") == "No Scripts"
    fill(driver, "/update", {"current_password": another})
    press_main(driver, "/update")
    assert "No Scripts" in driver.find_element(By.TAG_NAME, "h1").text
    with App(site) as app:
        assert app.sign_in("No Scripts", newest).status == 200


def click_suggest(driver: Chrome, action: str) -> None:
    with next_page(driver):
        form(driver, action).find_element(By.NAME, "suggest").click()


def press_main(driver: Chrome, action: str) -> None:
    with next_page(driver):
        form(driver, action).find_element(By.CSS_SELECTOR, "button[type=submit]:not([name])").click()


def check_suggestion(driver: Chrome, action: str, fields: tuple[str, ...]) -> str:
    suggestion = driver.find_element(By.CSS_SELECTOR, "output#suggestion").text
    assert GENERATED.fullmatch(suggestion), suggestion
    for field in fields:
        assert form(driver, action).find_element(By.NAME, field).get_attribute("value") == suggestion, field
    return suggestion

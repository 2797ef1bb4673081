"""The account site in Chromium: from sign-up to the deletion of the account, with every refusal."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from support.browser import form, submit
from support.people import OTHER, PASSWORD, App
from support.server import Server


def path(driver: Chrome, site: Server) -> str:
    return driver.current_url.removeprefix(site.origin)


def open_page(driver: Chrome, site: Server, target: str) -> None:
    driver.get(site.origin + target)


def sign_in(driver: Chrome, site: Server, name: str, password: str) -> None:
    open_page(driver, site, "/signin")
    submit(driver, "/signin", {"username": name, "password": password})


def is_signed_in(driver: Chrome, site: Server, name: str) -> bool:
    """Returns whether the home page greets a signed-in user with a quote and has no password field."""
    assert path(driver, site) == "/"
    assert driver.find_elements(By.CSS_SELECTOR, "input[type=password]") == []
    quotes = driver.find_elements(By.TAG_NAME, "blockquote")
    return bool(quotes) and bool(quotes[0].text) and name in driver.find_element(By.TAG_NAME, "h1").text


def shown_error(driver: Chrome, field: str) -> str:
    """Returns the error beside a field. The field's attributes must refer to the error."""
    control = driver.find_element(By.ID, field)
    assert control.get_attribute("aria-invalid") == "true"
    assert f"{field}-error" in (control.get_attribute("aria-describedby") or "").split()
    return driver.find_element(By.ID, f"{field}-error").text


@dataclass(frozen=True)
class Refusal:
    """A form that the server refuses, and the field beside the error."""

    name: str
    action: str
    fields: dict[str, str]
    beside: str | None
    signed_in: bool = False


REFUSALS = [
    Refusal(
        "a taken name",
        "/signup",
        {"username": "rEFUSALS", "password": PASSWORD, "confirm_password": PASSWORD},
        "username",
    ),
    Refusal("a wrong password", "/signin", {"username": "Refusals", "password": OTHER}, None),
    Refusal(
        "a wrong current password",
        "/update",
        {"current_password": OTHER, "new_password": OTHER, "confirm_new_password": OTHER},
        "current_password",
        signed_in=True,
    ),
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
def test_a_refused_form_comes_back_with_the_error(driver: Chrome, site: Server, refusal: Refusal) -> None:
    with App(site) as app:
        app.call("/api/signup", {"username": "Refusals", "password": PASSWORD})
        if refusal.signed_in:
            # Clears the failures from other cases.
            assert app.sign_in("Refusals").status == 200
    if refusal.signed_in:
        sign_in(driver, site, "Refusals", PASSWORD)
    open_page(driver, site, refusal.action)
    submit(driver, refusal.action, refusal.fields)
    assert path(driver, site) == refusal.action
    if refusal.beside:
        assert shown_error(driver, refusal.beside)
    else:
        assert any(one.text for one in driver.find_elements(By.CSS_SELECTOR, "[role=alert], [id$='-error']"))
    controls = form(driver, refusal.action).find_elements(By.CSS_SELECTOR, "input:not([type=hidden])")
    for control in controls:
        name = control.get_attribute("name")
        if control.get_attribute("type") == "password":
            assert control.get_attribute("value") == "", f"{name} kept its password"
        elif name == "username":
            assert control.get_attribute("value") == refusal.fields.get("username", "Refusals")


def test_the_tutorial_paths_serve_the_same_pages(driver: Chrome, site: Server, tmp_path: Path) -> None:
    open_page(driver, site, "/ultra_motivator/")
    links = [link.get_dom_attribute("href") for link in driver.find_elements(By.CSS_SELECTOR, "main a")]
    assert "/ultra_motivator/web/signup.py" in links
    open_page(driver, site, "/web/signup.py")
    assert driver.current_url == f"{site.origin}/signup"
    open_page(driver, site, "/ultra_motivator/web/signup.py")
    action = form_action(driver)
    submit(driver, action, {"username": "Tutorial", "password": PASSWORD, "confirm_password": PASSWORD})
    assert is_signed_in(driver, site, "Tutorial")
    open_page(driver, site, "/ultra_motivator/web/update.py")
    assert driver.find_element(By.NAME, "username").get_attribute("value") == "Tutorial"
    action = form_action(driver)
    submit(driver, action, {"current_password": PASSWORD, "new_password": OTHER, "confirm_new_password": OTHER})
    assert is_signed_in(driver, site, "Tutorial")
    submit(driver, "/signout")
    open_page(driver, site, "/ultra_motivator/web/signin.py")
    submit(driver, form_action(driver), {"username": "Tutorial", "password": OTHER})
    assert is_signed_in(driver, site, "Tutorial")


def form_action(driver: Chrome) -> str:
    """Returns the target of the page's only form."""
    (only,) = driver.find_elements(By.TAG_NAME, "form")
    return only.get_dom_attribute("action") or ""

"""A model of a password manager that identifies a page's fields only by their autocomplete tokens."""

from dataclasses import dataclass
from typing import Any

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from support.browser import next_page

USER, CURRENT, NEW = "username", "current-password", "new-password"


@dataclass(frozen=True)
class Typed:
    """The values of a form that a password manager would save."""

    account: str
    password: str


def fields(driver: Chrome, token: str) -> list[WebElement]:
    """Returns the fields of the page with this token (HTML, "Autofill"), in page order."""
    found = driver.find_elements(By.CSS_SELECTOR, "form input[autocomplete]")
    return [field for field in found if token in (field.get_attribute("autocomplete") or "").split()]


def fill_in(driver: Chrome, token: str, text: str) -> None:
    """Types into every writable field with the token. Fails if the page has no such field."""
    found = [field for field in fields(driver, token) if not field.get_attribute("readonly")]
    assert found, f"{driver.current_url} has no field with the token {token}"
    for field in found:
        type_into(field, text)


def enter(driver: Chrome, values: list[dict[str, Any]]) -> None:
    """Types the values of `device fill` into the specified fields.

    A read-only field must already have its value.
    """
    for value in values:
        field = driver.find_element(By.CSS_SELECTOR, f'form input[name="{value["name"]}"]')
        if field.get_attribute("readonly"):
            assert field.get_attribute("value") == value["value"], f"{value['name']} has another value"
        else:
            type_into(field, value["value"])


def type_into(field: WebElement, text: str) -> None:
    field.clear()
    field.send_keys(text)


def typed(driver: Chrome) -> Typed:
    """Returns the name and password of the page's form. The new password takes precedence over the current password."""
    names = [field.get_attribute("value") or "" for field in fields(driver, USER)]
    passwords = {field.get_attribute("value") or "" for field in fields(driver, NEW) or fields(driver, CURRENT)}
    found = f"{len(names)} names and {len(passwords)} passwords"
    assert (len(names), len(passwords)) == (1, 1), f"{driver.current_url} has {found}"
    return Typed(names[0], passwords.pop())


def send(driver: Chrome) -> Typed:
    """Submits the page's password form, and returns its values."""
    values = typed(driver)
    form = fields(driver, USER)[0].find_element(By.XPATH, "./ancestor::form")
    with next_page(driver):
        form.find_element(By.CSS_SELECTOR, "button[type=submit]:not([name])").click()
    return values

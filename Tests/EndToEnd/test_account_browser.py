"""The account site in Chromium: from sign-up to the deletion of the account, with every refusal."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from support.browser import form, submit
from support.people import OTHER, PASSWORD, App
from support.server import ROOT, Server

USER, CURRENT, NEW = "username", "current-password", "new-password"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(
        tmp_path_factory.mktemp("site"),
        "--failures-per-address",
        "1000000",
        "--sign-ups-per-address",
        "1000000",
        public=ROOT / "Public",
    )
    yield running
    running.stop()


def path(driver: Chrome, site: Server) -> str:
    return driver.current_url.removeprefix(site.origin)


def open_page(driver: Chrome, site: Server, target: str) -> None:
    driver.get(site.origin + target)


def sign_up(driver: Chrome, site: Server, name: str, password: str = PASSWORD) -> None:
    open_page(driver, site, "/signup")
    submit(driver, "/signup", {"username": name, "password": password, "confirm_password": password})


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


def test_an_account_lives_from_signing_up_to_its_deletion(driver: Chrome, site: Server) -> None:
    name = "Ada"
    sign_up(driver, site, name)
    assert is_signed_in(driver, site, name)
    submit(driver, "/signout")
    assert not is_signed_in(driver, site, name)
    sign_in(driver, site, name, PASSWORD)
    assert is_signed_in(driver, site, name)

    open_page(driver, site, "/update")
    shown = driver.find_element(By.NAME, "username")
    assert shown.get_attribute("value") == name
    assert shown.get_attribute("readonly")
    changed = {"current_password": PASSWORD, "new_password": OTHER, "confirm_new_password": OTHER}
    submit(driver, "/update", changed)
    assert is_signed_in(driver, site, name)
    submit(driver, "/signout")

    sign_in(driver, site, name, PASSWORD)
    assert path(driver, site) == "/signin"
    assert driver.find_element(By.NAME, "username").get_attribute("value") == name
    assert driver.find_element(By.NAME, "password").get_attribute("value") == ""
    submit(driver, "/signin", {"password": OTHER})
    assert is_signed_in(driver, site, name)

    open_page(driver, site, "/account/delete")
    submit(driver, "/account/delete", {"password": OTHER})
    assert path(driver, site) == "/"
    assert not is_signed_in(driver, site, name)
    sign_in(driver, site, name, OTHER)
    assert path(driver, site) == "/signin"
    with App(site) as app:
        assert app.sign_in(name, OTHER).status == 401


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
        "a confirmation that differs",
        "/signup",
        {"username": "Mismatch", "password": PASSWORD, "confirm_password": PASSWORD + "!"},
        "confirm_password",
    ),
    Refusal(
        "a taken name",
        "/signup",
        {"username": "rEFUSALS", "password": PASSWORD, "confirm_password": PASSWORD},
        "username",
    ),
    Refusal("a wrong password", "/signin", {"username": "Refusals", "password": OTHER}, None),
    Refusal("an unknown name", "/signin", {"username": "Nobody", "password": OTHER}, None),
    Refusal(
        "a wrong current password",
        "/update",
        {"current_password": OTHER, "new_password": OTHER, "confirm_new_password": OTHER},
        "current_password",
        signed_in=True,
    ),
    Refusal(
        "a new confirmation that differs",
        "/update",
        {"current_password": PASSWORD, "new_password": OTHER, "confirm_new_password": PASSWORD},
        "confirm_new_password",
        signed_in=True,
    ),
    Refusal("a wrong password at the deletion", "/account/delete", {"password": OTHER}, "password", signed_in=True),
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


FORMS = {
    "/signup": {"username": USER, "password": NEW, "confirm_password": NEW},
    "/signin": {"username": USER, "password": CURRENT},
    "/update": {
        "username": USER,
        "current_password": CURRENT,
        "new_password": NEW,
        "confirm_new_password": NEW,
    },
}


@pytest.mark.parametrize("action", FORMS)
def test_a_form_tells_password_managers_what_each_field_is(driver: Chrome, site: Server, action: str) -> None:
    open_page(driver, site, action)
    assert len(driver.find_elements(By.TAG_NAME, "form")) == 1, "one form for each process"
    controls = form(driver, action).find_elements(By.CSS_SELECTOR, "input:not([type=hidden])")
    told = {control.get_attribute("name"): control.get_dom_attribute("autocomplete") for control in controls}
    assert list(told) == list(FORMS[action]), "the names are not in the order that password managers expect"
    assert told == FORMS[action]
    for control in controls:
        name = control.get_attribute("name") or ""
        assert control.get_attribute("id") == name
        labels = driver.find_elements(By.CSS_SELECTOR, f'label[for="{name}"]')
        assert len(labels) == 1, f"labels for {name}"
        assert labels[0].text
        assert control.get_dom_attribute("required") is not None, name
        assert control.get_attribute("type") == ("text" if name == "username" else "password")
        if FORMS[action][name] == NEW:
            assert control.get_dom_attribute("minlength") == "8", name
            assert "minlength: 8" in (control.get_dom_attribute("passwordrules") or ""), name
        elif FORMS[action][name] == CURRENT:
            assert control.get_dom_attribute("minlength") is None, "an existing password may be shorter"
    focused = driver.switch_to.active_element
    assert focused.get_attribute("name") == next(iter(told)), "the first field does not have the focus"


def test_every_page_has_at_most_one_form_for_each_process(driver: Chrome, site: Server) -> None:
    sign_up(driver, site, "Processes")
    for target in ("/", "/update", "/account/delete"):
        open_page(driver, site, target)
        actions = [one.get_dom_attribute("action") for one in driver.find_elements(By.TAG_NAME, "form")]
        assert actions
        assert len(set(actions)) == len(actions), f"{target}: {actions}"


def test_the_visit_to_the_tutorials_paths_is_one_to_the_same_pages(
    driver: Chrome, site: Server, tmp_path: Path
) -> None:
    open_page(driver, site, "/ultra_motivator/web/signup.py")
    action = form_action(driver)
    submit(driver, action, {"username": "Tutorial", "password": PASSWORD, "confirm_password": PASSWORD})
    assert is_signed_in(driver, site, "Tutorial")
    open_page(driver, site, "/ultra_motivator/web/update.py")
    assert driver.find_element(By.NAME, "username").get_attribute("value") == "Tutorial"
    action = form_action(driver)
    submit(
        driver,
        action,
        {"current_password": PASSWORD, "new_password": OTHER, "confirm_new_password": OTHER},
    )
    assert is_signed_in(driver, site, "Tutorial")
    submit(driver, "/signout")
    open_page(driver, site, "/ultra_motivator/web/signin.py")
    submit(driver, form_action(driver), {"username": "Tutorial", "password": OTHER})
    assert is_signed_in(driver, site, "Tutorial")


def form_action(driver: Chrome) -> str:
    """Returns the target of the page's only form."""
    (only,) = driver.find_elements(By.TAG_NAME, "form")
    return only.get_dom_attribute("action") or ""

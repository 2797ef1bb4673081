"""Passwords and names over the wire. `PasswordHashTests`, `UserNameTests` and `WebFailureTests` have all rules."""

import pytest

from support.fixtures import Start
from support.page import Page
from support.people import PASSWORD, App, Visitor, refused
from support.server import Server


@pytest.mark.parametrize(
    ("password", "others"),
    [
        pytest.param("abcdefgh\0\0-1", ["abcdefgh\0-1", "abcdefgh-1", "abcdefgh"], id="NUL in the middle"),
        pytest.param("🐢🐢🐢🐢🐢🐢🐢🦔", ["🐢🐢🐢🐢🐢🐢🐢🐢", "????????"], id="emoji"),
        pytest.param("a&b=c+d%20e;f ", ["a&b=c d e;f ", "a&b=c+d e;f ", "a&b=c+d%20e;f"], id="marks of the form"),
    ],
)
def test_every_byte_of_a_password_matters(site: Server, password: str, others: list[str]) -> None:
    name = f"Bytes {password.encode().hex()[:40]}"
    with App(site) as app, Visitor(site) as visitor:
        app.sign_up(name, password)
        for other in others:
            assert app.sign_in(name, other).status == 401, repr(other)
        assert app.sign_in(name, password).status == 200
        assert visitor.sign_in(name, password).status == 303, "the form must accept the same password"


def test_a_hostile_name_is_escaped_on_every_page(site: Server) -> None:
    name = "\"><img src=x onerror='alert(1)'>"
    with Visitor(site) as visitor:
        taken = visitor.submit("/signup", {"username": name, "password": PASSWORD, "confirm_password": "other"})
        assert Page.of(taken.content).form("/signup").inputs["username"].get("value") == name
        assert visitor.sign_up(name).status == 303
        assert name in (visitor.name or "")
        form = visitor.page("/update").form("/update")
        assert form.inputs["username"].get("value") == name
        wrong = visitor.sign_in(name, "wrong password 1")
        assert Page.of(wrong.content).form("/signin").inputs["username"].get("value") == name
        for answer in visitor.answers:
            assert {one.get("src") for one in Page.of(answer.content).all("img")} <= {"/favicon.svg"}
            assert name not in answer.text
        assert visitor.submit("/account/delete", {"password": PASSWORD}).status == 303


def test_the_minimum_length_is_an_option(start: Start) -> None:
    server = start("--minimum-password-length", "15")
    with App(server) as app, Visitor(server) as visitor:
        short = {"username": "Short", "password": "fourteen-14-ch"}
        refused(app.call("/api/signup", short), 422, "password_too_short")
        assert visitor.page("/signup").form("/signup").inputs["password"].get("minlength") == "15"

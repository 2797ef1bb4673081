"""Passwords and names keep every byte, appear as typed, and do not reveal which accounts exist."""

import pytest

from support.fixtures import Start
from support.page import Page
from support.people import PASSWORD, App, Visitor, refused
from support.server import Server

# A password, and similar passwords that must not match.
DIFFERENT = [
    ("NUL in the middle", "abcdefgh\0\0-1", ["abcdefgh\0-1", "abcdefgh-1", "abcdefgh"]),
    ("emoji", "🐢🐢🐢🐢🐢🐢🐢🦔", ["🐢🐢🐢🐢🐢🐢🐢🐢", "🐢🐢🐢🐢🐢🐢🐢", "????????"]),
    ("a space behind", "eight is enough ", ["eight is enough", "eight is enough  "]),
    ("marks of the form", "a&b=c+d%20e;f", ["a&b=c d e;f", "a&b=c+d e;f", "a"]),
]


@pytest.mark.parametrize(("password", "others"), [row[1:] for row in DIFFERENT], ids=[row[0] for row in DIFFERENT])
def test_every_byte_of_a_password_matters(site: Server, password: str, others: list[str]) -> None:
    name = f"Bytes {password.encode().hex()[:40]}"
    with App(site) as app, Visitor(site) as visitor:
        app.sign_up(name, password)
        for other in others:
            assert app.sign_in(name, other).status == 401, repr(other)
            # Clears the failure.
            assert app.sign_in(name, password).status == 200
        assert visitor.sign_in(name, password).status == 303, "the form must accept the same password"


@pytest.mark.parametrize(
    "password",
    [row[1] for row in DIFFERENT if row[0] != "lines"],
    ids=[row[0] for row in DIFFERENT if row[0] != "lines"],
)
def test_a_password_from_a_form_is_the_same_in_json(site: Server, password: str) -> None:
    name = f"Form {password.encode().hex()[:40]}"
    with App(site) as app, Visitor(site) as visitor:
        answer = visitor.sign_up(name, password)
        assert answer.status == 303, Page.of(answer.content).text
        assert app.sign_in(name, password).status == 200


def test_the_site_refuses_a_name_with_an_extra_space(site: Server) -> None:
    with Visitor(site) as visitor:
        answer = visitor.sign_up("Ada ")
        assert answer.status == 422
        form = Page.of(answer.content).form("/signup")
        assert form.inputs["username"].get("value") == "Ada ", "the form must keep the name as typed"
        assert "space" in Page.of(answer.content).by_id("username-error").text


HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>']


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_escaped_on_every_page(site: Server, name: str) -> None:
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
            page = Page.of(answer.content)
            # Pages for passkeys have a second script.
            most = 1 + ("allAcceptedCredentialIds" in answer.text)
            assert len(page.all("script")) == answer.text.count("<script>") <= most
            assert {one.get("src") for one in page.all("img")} <= {"/favicon.svg"}
            assert not [one for one in page.all("input") if one.get("onfocus")]
            if "<" in name:
                assert name not in answer.text
        assert visitor.submit("/account/delete", {"password": PASSWORD}).status == 303


def test_the_minimum_length_is_an_option(start: Start) -> None:
    server = start("--minimum-password-length", "15")
    with App(server) as app, Visitor(server) as visitor:
        short = {"username": "Short", "password": "fourteen-14-ch"}
        assert "15" in refused(app.call("/api/signup", short), 422, "password_too_short")["error"]
        app.sign_up("Long", "fifteen-15-char")
        inputs = visitor.page("/signup").form("/signup").inputs
        for name in ("password", "confirm_password"):
            assert inputs[name].get("minlength") == "15"
            assert "minlength: 15" in (inputs[name].get("passwordrules") or "")

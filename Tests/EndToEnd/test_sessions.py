"""A session over the wire. `WebSessionTests`, `WebRefusalTests` and `SameOriginTests` have all rules."""

import re

import pytest

from support.people import PASSWORD, SESSION, App, Visitor, refused
from support.server import Server

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def test_a_session_lasts_from_the_sign_in_to_the_sign_out(site: Server) -> None:
    with App(site) as app, Visitor(site) as visitor:
        app.sign_up("Somebody")
        assert visitor.sign_in("Somebody").status == 303
        (cookie,) = [cookie for cookie in visitor.set if cookie.startswith(f"{SESSION}=")]
        value, *attributes = cookie.removeprefix(f"{SESSION}=").split("; ")
        assert TOKEN.fullmatch(value)
        assert set(attributes) == {"Path=/", "Secure", "HttpOnly", "SameSite=Lax", "Max-Age=43200"}
        assert "Somebody" in (visitor.name or "")
        ignored = app.call("/api/motivation", None, f"Cookie: {SESSION}={value}", method="GET")
        refused(ignored, 401, "not_signed_in")
        assert visitor.sign_out().status == 303
        assert SESSION not in visitor.cookies
        visitor.cookies[SESSION] = value
        assert visitor.name is None
        assert not app.is_signed_in(value)


@pytest.mark.parametrize(
    ("line", "is_allowed"),
    [("Sec-Fetch-Site: same-origin", True), ("Sec-Fetch-Site: cross-site", False), ("Origin: https://a.test", False)],
)
def test_other_sites_cannot_change_anything(site: Server, line: str, is_allowed: bool) -> None:
    with App(site) as app, Visitor(site) as visitor:
        app.call("/api/signup", {"username": "Victim", "password": PASSWORD})
        called = app.call("/api/signin", {"username": "Victim", "password": PASSWORD}, line)
        assert called.status == (200 if is_allowed else 403), called.text
        fields = {"username": "Victim", "password": PASSWORD, "form_token": visitor.token()}
        assert visitor.post("/signin", fields, line).status == (303 if is_allowed else 403)
        assert (SESSION in visitor.cookies) is is_allowed

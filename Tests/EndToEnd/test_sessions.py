"""Sessions and the origins of requests: fixation, reuse, cookies, other sites, and form tokens."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from support.answers import Answer
from support.people import FORM, JSON, NOTICE, OTHER, PASSWORD, SESSION, VISIT, App, Visitor, refused
from support.server import Server

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


@pytest.fixture(scope="module")
def site(site: Server) -> Server:
    with App(site) as app:
        app.sign_up("Somebody")
    return site


@pytest.fixture
def visitor(site: Server) -> Iterator[Visitor]:
    with Visitor(site) as visitor:
        yield visitor


def arrived(answer: Answer) -> None:
    """Asserts that a form succeeded and redirects to the home page, which has no password field."""
    assert answer.status == 303, (answer.status, answer.text)
    assert answer.field("Location") == "/"


def attributes(cookie: str) -> dict[str, str]:
    parts = [part.strip().partition("=") for part in cookie.split(";")[1:]]
    return {name.lower(): value for name, _, value in parts}


def test_the_cookies_are_for_this_host_over_tls_and_not_for_scripts(visitor: Visitor) -> None:
    arrived(visitor.sign_in("Somebody"))
    arrived(visitor.sign_out())
    assert {cookie.partition("=")[0] for cookie in visitor.set} == {SESSION, VISIT, NOTICE}
    for cookie in visitor.set:
        found = attributes(cookie)
        assert found.pop("max-age", "0").isdigit()
        assert {name: value.lower() for name, value in found.items()} == {
            "path": "/",
            "secure": "",
            "httponly": "",
            "samesite": "lax",
        }, cookie
    (value,) = [cookie for cookie in visitor.set if cookie.startswith(SESSION) and "Max-Age=0" not in cookie]
    assert TOKEN.fullmatch(value.partition("=")[2].partition(";")[0])
    assert int(attributes(value).get("max-age", "0")) <= 12 * 3600, "no session may last longer than 12 hours"


def test_a_session_ends_when_the_user_signs_out(site: Server, visitor: Visitor) -> None:
    arrived(visitor.sign_in("Somebody"))
    kept = visitor.cookies[SESSION]
    arrived(visitor.sign_out())
    assert SESSION not in visitor.cookies
    visitor.cookies[SESSION] = kept
    assert visitor.name is None
    with App(site) as app:
        assert not app.is_signed_in(kept)


def test_a_new_password_ends_all_sessions(site: Server, visitor: Visitor) -> None:
    with App(site) as app, Visitor(site) as elsewhere:
        token = app.sign_up("Everywhere")
        arrived(elsewhere.sign_in("Everywhere"))
        arrived(visitor.sign_in("Everywhere"))
        arrived(visitor.update(PASSWORD, OTHER))
        assert "Everywhere" in (visitor.name or "")
        assert elsewhere.name is None
        assert not app.is_signed_in(token)


def test_the_api_ignores_cookies_and_sets_none(site: Server, visitor: Visitor) -> None:
    arrived(visitor.sign_in("Somebody"))
    cookie = f"Cookie: {SESSION}={visitor.cookies[SESSION]}"
    with App(site) as app:
        refused(app.call("/api/motivation", None, cookie, method="GET"), 401, "not_signed_in")
        refused(app.call("/api/signout", None, cookie), 401, "not_signed_in")
        deleted = app.call("/api/account", {"password": PASSWORD}, cookie, method="DELETE")
        refused(deleted, 401, "not_signed_in")
        assert app.sign_in("Somebody").values("Set-Cookie") == []
    assert "Somebody" in (visitor.name or "")


# The reported origin of a request (W3C Fetch Metadata; Fetch §3.1), and whether the request may make changes.
ORIGINS = [
    ("from here", ("Sec-Fetch-Site: same-origin",), True),
    ("from another site", ("Sec-Fetch-Site: cross-site",), False),
    ("from an older browser elsewhere", ("Origin: https://evil.example",), False),
    ("from a program", ("Accept: */*",), True),
]
UNSAFE = [
    ("/api/signin", JSON, b'{"username":"Somebody","password":"' + PASSWORD.encode() + b'"}', 200),
    ("/ultra_motivator/api/signin.py", JSON, b'{"username":"Somebody","password":"' + PASSWORD.encode() + b'"}', 200),
    ("/signin", FORM, None, 303),
    ("/ultra_motivator/web/signin.py", FORM, None, 303),
]


@pytest.mark.parametrize(("target", "kind", "content", "success"), UNSAFE, ids=[row[0] for row in UNSAFE])
@pytest.mark.parametrize(("lines", "passes"), [row[1:] for row in ORIGINS], ids=[row[0] for row in ORIGINS])
def test_other_sites_cannot_change_anything(
    visitor: Visitor, target: str, kind: str, content: bytes | None, success: int, lines: tuple[str, ...], passes: bool
) -> None:
    host = visitor.host
    lines = tuple(line.replace("OURS", f"https://{host}").replace("HOST", host) for line in lines)
    if content is None:
        fields = {"username": "Somebody", "password": PASSWORD, "form_token": visitor.token()}
        answer = visitor.post(target, fields, *lines)
    else:
        answer = visitor.exchange("POST", target, kind, *lines, content=content)
    assert answer.status == (success if passes else 403), (answer.status, answer.text)
    if not passes:
        assert SESSION not in visitor.cookies
        if target.startswith("/api/"):
            refused(answer, 403, "cross_site")


def test_a_call_of_the_tutorial_leaves_no_session(start: Callable[..., Server]) -> None:
    """The tutorial's app does not receive a token. An unused session would only help an attacker."""
    server = start()
    with App(server) as app, closing(sqlite3.connect(server.database)) as database:
        for call, fields in (
            ("signup.py", {"username": "App", "password": PASSWORD}),
            ("signin.py", {"username": "App", "password": PASSWORD}),
            ("update.py", {"username": "App", "current_password": PASSWORD, "new_password": OTHER}),
        ):
            assert app.call(f"/ultra_motivator/api/{call}", fields).status == 200
            assert database.execute("SELECT count(*) FROM session").fetchone() == (0,), call

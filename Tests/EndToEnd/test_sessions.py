"""Sessions and the origins of requests: fixation, reuse, cookies, other sites, and form tokens."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from support.answers import Answer
from support.page import Page
from support.people import FORM, JSON, NOTICE, OTHER, PASSWORD, SESSION, VISIT, App, Visitor, refused, together
from support.server import Server

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(
        tmp_path_factory.mktemp("site"), "--failures-per-address", "1000000", "--sign-ups-per-address", "1000000"
    )
    with App(running) as app:
        app.sign_up("Somebody")
    yield running
    running.stop()


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


def test_a_session_planted_before_signing_in_is_not_the_one_after(site: Server, visitor: Visitor) -> None:
    planted = "A" * 43
    visitor.cookies[SESSION] = planted
    assert visitor.name is None
    arrived(visitor.sign_in("Somebody"))
    assert visitor.cookies[SESSION] != planted
    with Visitor(site) as attacker:
        attacker.cookies[SESSION] = planted
        assert attacker.name is None


def test_a_session_of_somebody_else_planted_before_signing_in_is_replaced(site: Server, visitor: Visitor) -> None:
    """An attacker's session that is planted in the victim's browser does not become the victim's session."""
    with Visitor(site) as attacker:
        arrived(attacker.sign_up("Attacker"))
        planted = attacker.cookies[SESSION]
        visitor.cookies[SESSION] = planted
        arrived(visitor.sign_in("Somebody"))
        assert visitor.cookies[SESSION] != planted
        assert "Somebody" in (visitor.name or "")
        assert "Somebody" not in (attacker.name or "")


def test_a_new_session_begins_with_each_sign_in_and_each_new_password(site: Server, visitor: Visitor) -> None:
    arrived(visitor.sign_up("Changes"))
    seen = [visitor.cookies[SESSION]]
    arrived(visitor.update(PASSWORD, OTHER))
    seen.append(visitor.cookies[SESSION])
    arrived(visitor.sign_in("Changes", OTHER))
    seen.append(visitor.cookies[SESSION])
    assert len(set(seen)) == 3
    for session in seen[:1]:
        with Visitor(site) as old:
            old.cookies[SESSION] = session
            assert old.name is None, "a new password must end the sessions of the old password"


def test_signing_in_again_ends_the_session_before(site: Server, visitor: Visitor) -> None:
    arrived(visitor.sign_up("Again"))
    before = visitor.cookies[SESSION]
    arrived(visitor.sign_in("Again"))
    with Visitor(site) as finder:
        finder.cookies[SESSION] = before
        assert finder.name is None


def test_a_session_is_over_after_signing_out(site: Server, visitor: Visitor) -> None:
    arrived(visitor.sign_in("Somebody"))
    kept = visitor.cookies[SESSION]
    arrived(visitor.sign_out())
    assert SESSION not in visitor.cookies
    visitor.cookies[SESSION] = kept
    assert visitor.name is None
    with App(site) as app:
        assert not app.is_signed_in(kept)


def test_a_new_password_ends_the_sessions_of_site_and_api(site: Server, visitor: Visitor) -> None:
    with App(site) as app, Visitor(site) as elsewhere:
        token = app.sign_up("Everywhere")
        arrived(elsewhere.sign_in("Everywhere"))
        arrived(visitor.sign_in("Everywhere"))
        arrived(visitor.update(PASSWORD, OTHER))
        assert "Everywhere" in (visitor.name or "")
        assert elsewhere.name is None
        assert not app.is_signed_in(token)


def test_deleting_the_account_ends_its_sessions(site: Server, visitor: Visitor) -> None:
    arrived(visitor.sign_up("Leaving"))
    with App(site) as app, Visitor(site) as elsewhere:
        arrived(elsewhere.sign_in("Leaving"))
        answer = visitor.submit("/account/delete", {"password": PASSWORD})
        arrived(answer)
        assert visitor.name is None
        assert elsewhere.name is None
        assert app.sign_in("Leaving").status == 401


def test_the_api_takes_no_cookies_and_sets_none(site: Server, visitor: Visitor) -> None:
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
    ("typed in", ("Sec-Fetch-Site: none",), True),
    ("from another site", ("Sec-Fetch-Site: cross-site",), False),
    ("from a host beside", ("Sec-Fetch-Site: same-site",), False),
    ("from somewhere unheard of", ("Sec-Fetch-Site: outer-space",), False),
    ("from another site that names our origin", ("Sec-Fetch-Site: cross-site", "Origin: OURS"), False),
    ("from an older browser here", ("Origin: OURS",), True),
    ("from an older browser elsewhere", ("Origin: https://evil.example",), False),
    ("from an older browser in a sandbox", ("Origin: null",), False),
    ("from our name without TLS", ("Origin: http://HOST",), False),
    ("from our name on another port", ("Origin: https://ultra-motivator.test:1",), False),
    ("from a name that ours begins", ("Origin: OURS.evil.example",), False),
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
def test_only_this_site_and_programs_may_change_something(
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


@pytest.mark.parametrize("action", ["/signup", "/signin", "/update", "/signout", "/account/delete"])
@pytest.mark.parametrize("line", ["Sec-Fetch-Site: cross-site", "Origin: https://evil.example"])
def test_another_site_can_send_no_form(visitor: Visitor, action: str, line: str) -> None:
    arrived(visitor.sign_in("Somebody"))
    fields = {
        "username": "Somebody",
        "password": PASSWORD,
        "confirm_password": PASSWORD,
        "current_password": PASSWORD,
        "new_password": OTHER,
        "confirm_new_password": OTHER,
        "form_token": visitor.page("/update").form("/update").hidden["form_token"],
    }
    assert visitor.post(action, fields, line).status == 403
    assert "Somebody" in (visitor.name or "")


def test_another_site_can_still_link_here(visitor: Visitor) -> None:
    arrived(visitor.sign_in("Somebody"))
    answer = visitor.exchange("GET", "/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate")
    assert answer.status == 200
    assert "Somebody" in Page.of(answer.content).heading


@pytest.mark.parametrize("action", ["/signup", "/signin", "/update"])
@pytest.mark.parametrize("token", ["missing", "empty", "stale", "foreign", "cut"])
def test_a_form_without_its_own_token_comes_back_to_be_sent_again(
    site: Server, visitor: Visitor, action: str, token: str
) -> None:
    with App(site) as app:
        app.sign_in("Somebody")
    name = f"New {action[1:]} {token}" if action == "/signup" else "Somebody"
    fields = {
        "username": name,
        "password": PASSWORD,
        "confirm_password": PASSWORD,
        "current_password": PASSWORD,
        "new_password": PASSWORD + "!",
        "confirm_new_password": PASSWORD + "!",
    }
    form = visitor.page(action).form(action)
    fields = {field: fields[field] for field in form.visible}
    match token:
        case "empty":
            fields["form_token"] = ""
        case "stale":
            # The token belongs to a visit whose cookie the browser has lost.
            fields["form_token"] = form.hidden["form_token"]
            visitor.cookies.clear()
        case "foreign":
            with Visitor(site) as other:
                fields["form_token"] = other.token()
        case "cut":
            fields["form_token"] = form.hidden["form_token"][:-1]
    answer = visitor.post(action, fields)
    assert answer.status == 403, (answer.status, answer.text)
    assert SESSION not in visitor.cookies
    again = Page.of(answer.content).form(action)
    assert again.inputs["username"].get("value") == name, "the form must keep the name"
    assert all(one.get("value") in (None, "") for one in again.visible.values() if one.get("type") == "password")
    # The same form with the response's new token succeeds, so the user loses no input.
    arrived(visitor.post(action, {**fields, **again.hidden}))
    if action == "/update":
        with App(site) as app:
            assert app.update("Somebody", PASSWORD + "!", PASSWORD).status == 200


def test_the_token_of_a_visit_is_not_the_token_of_the_session_after(visitor: Visitor) -> None:
    before = visitor.token()
    arrived(visitor.sign_in("Somebody"))
    assert visitor.page("/update").form("/update").hidden["form_token"] != before
    assert visitor.post("/signout", {"form_token": before}).status == 403
    assert "Somebody" in (visitor.name or "")
    assert visitor.post("/signout", {}).status == 403
    assert "Somebody" in (visitor.name or "")


@pytest.mark.parametrize("kind", [None, "application/json", "text/plain", "multipart/form-data; boundary=x"])
@pytest.mark.parametrize("action", ["/signup", "/signin", "/update", "/signout", "/account/delete"])
def test_a_form_in_another_media_type_is_not_taken(visitor: Visitor, action: str, kind: str | None) -> None:
    lines = [] if kind is None else [f"Content-Type: {kind}"]
    answer = visitor.exchange("POST", action, "Sec-Fetch-Site: same-origin", *lines, content=b"username=a&password=b")
    assert answer.status == 415


BROKEN = [
    b"username=a&username=b",
    b"username=%zz",
    b"username=%ff",
    b"username=%",
    b"&".join([b"a%d=1" % n for n in range(64)]),
]


@pytest.mark.parametrize("content", BROKEN, ids=lambda content: content[:20].decode())
def test_a_broken_form_is_refused_and_nothing_is_guessed(visitor: Visitor, content: bytes) -> None:
    token = visitor.token()
    answer = visitor.exchange(
        "POST", "/signin", FORM, "Sec-Fetch-Site: same-origin", content=content + f"&form_token={token}".encode()
    )
    assert answer.status == 400


def test_nothing_is_deleted_without_a_session(site: Server, visitor: Visitor) -> None:
    fields = {"username": "Somebody", "password": PASSWORD, "form_token": visitor.token()}
    assert visitor.post("/account/delete", fields).status == 401
    assert visitor.post("/signout", {"form_token": fields["form_token"]}).status == 303
    with App(site) as app:
        assert app.sign_in("Somebody").status == 200


def test_of_people_who_take_one_name_at_once_one_gets_it(site: Server) -> None:
    def take(index: int) -> int:
        with App(site) as app:
            return app.call("/api/signup", {"username": "Popular", "password": f"password number {index}"}).status

    assert sorted(together(8, take)) == [201] + [409] * 7


def test_of_changes_of_one_password_at_once_one_succeeds(site: Server) -> None:
    """Each change starts with the correct password. Without a check, the last change would silently win."""
    with App(site) as app:
        app.sign_up("Contested")

    def change(index: int) -> tuple[int, str]:
        new = f"password number {index}"
        with App(site) as app:
            return app.update("Contested", PASSWORD, new).status, new

    # More than five attempts would be throttled.
    results = together(5, change)
    winners = [new for status, new in results if status == 200]
    assert sorted(status for status, _ in results) == [200] + [401] * 4
    with App(site) as app:
        assert app.sign_in("Contested", winners[0]).status == 200

"""The tutorial's unchanged app: requests in the form of Alamofire 1 on iOS 8, and responses that it can parse."""

import json
import ssl
from collections.abc import Iterator

import pytest

from support.answers import Answer
from support.people import OTHER, PASSWORD, App, strings
from support.server import Server
from support.wire import NAME, Delivery

SIGN_IN, SIGN_UP, UPDATE = (f"/ultra_motivator/api/{name}.py" for name in ("signin", "signup", "update"))
AGENT = "DemoApp/com.example.DemoApp (1; OS Version 8.1 (Build 12B411))"


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(
        tmp_path_factory.mktemp("backend"), "--failures-per-address", "1000000", "--sign-ups-per-address", "1000000"
    )
    yield running
    running.stop()


def serialized(members: dict[str, str]) -> bytes:
    """Returns JSON in the format of NSJSONSerialization without options: compact, UTF-8, and with escaped slashes."""
    return json.dumps(members, separators=(",", ":"), ensure_ascii=False).replace("/", "\\/").encode()


def alamofire(port: int, target: str, members: dict[str, str]) -> bytes:
    """Returns the bytes that the phone sends for `request(.POST, URL, parameters: members, encoding: .JSON)`."""
    content = serialized(members)
    head = (
        f"POST {target} HTTP/1.1\r\n"
        f"Host: {NAME}:{port}\r\n"
        "Content-Type: application/json\r\n"
        "Connection: keep-alive\r\n"
        "Accept: */*\r\n"
        f"User-Agent: {AGENT}\r\n"
        "Accept-Language: en;q=1.0\r\n"
        "Accept-Encoding: gzip;q=1.0,compress;q=0.5\r\n"
        f"Content-Length: {len(content)}\r\n"
        "\r\n"
    )
    return head.encode("ascii") + content


def phone(backend: Server) -> ssl.SSLContext:
    """Returns the TLS context of iOS 8: TLS 1.2 without ALPN."""
    context = backend.context
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    return context


def credentials(name: str, password: str = PASSWORD) -> dict[str, str]:
    return {"username": name, "password": password}


def change(name: str, current: str, new: str) -> dict[str, str]:
    return {"username": name, "current_password": current, "new_password": new}


def succeeded(answer: Answer, name: str, password: str) -> None:
    assert answer.status == 200, (answer.status, answer.text)
    assert strings(answer) == credentials(name, password)


def failed(answer: Answer, status: int) -> None:
    assert answer.status == status, (answer.status, answer.text)
    found = strings(answer)
    assert found.keys() == {"error"}, found
    assert found["error"].endswith(".")


@pytest.mark.parametrize("delivery", Delivery, ids=lambda delivery: delivery.value)
def test_the_app_works_unchanged_on_one_connection(backend: Server, delivery: Delivery) -> None:
    name = f"Antoine {delivery.value}"
    way = [
        (SIGN_UP, credentials(name), PASSWORD),
        (SIGN_IN, credentials(name), PASSWORD),
        (UPDATE, change(name, PASSWORD, OTHER), OTHER),
        (SIGN_IN, credentials(name, OTHER), OTHER),
    ]
    with backend.connect(context=phone(backend)) as wire:
        for target, members, password in way:
            wire.deliver(alamofire(backend.port, target, members), delivery)
            answer = wire.answer()
            succeeded(answer, name, password)
            assert not answer.closes, "the connection must stay open for the app"
        wire.deliver(alamofire(backend.port, SIGN_IN, credentials(name)), delivery)
        failed(wire.answer(), 401)


FAILURES = [
    ("a wrong password", SIGN_IN, credentials("Known", OTHER), 401),
    ("an unknown name", SIGN_IN, credentials("Unknown", OTHER), 401),
    ("a taken name", SIGN_UP, credentials("kNOWN"), 409),
    ("a short password", SIGN_UP, credentials("New", "short"), 422),
    ("a password that everybody has", SIGN_UP, credentials("New", "password"), 422),
    ("the name as the password", SIGN_UP, credentials("New and long", "new AND long"), 422),
    ("an empty name", SIGN_UP, credentials(""), 422),
    ("a wrong current password", UPDATE, change("Known", OTHER, "a third 3 word"), 401),
    ("a short new password", UPDATE, change("Known", PASSWORD, "short"), 422),
    ("no password", SIGN_IN, {"username": "Known"}, 400),
    ("no user name", SIGN_IN, {"password": PASSWORD}, 400),
    ("no new password", UPDATE, {"username": "Known", "current_password": PASSWORD}, 400),
]


@pytest.mark.parametrize(
    ("target", "members", "status"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES]
)
def test_a_failure_is_one_error_and_nothing_else(
    backend: Server, target: str, members: dict[str, str], status: int
) -> None:
    with App(backend) as app:
        app.call("/api/signup", credentials("Known"))
        # Clears the failures from other cases.
        assert app.sign_in("Known").status == 200
    with backend.connect(context=phone(backend)) as wire:
        wire.send(alamofire(backend.port, target, members))
        failed(wire.answer(), status)


CONTENT = serialized(credentials("Typed"))
MALFORMED = [
    b"",
    b"{",
    b"[]",
    b'"text"',
    b"null",
    CONTENT[:-1],
    CONTENT + b"x",
    b"\xff\xfe",
    b'{"username":1,"password":2}',
]


@pytest.mark.parametrize("content", MALFORMED, ids=repr)
def test_malformed_content_is_one_error_and_nothing_else(backend: Server, content: bytes) -> None:
    with App(backend) as app:
        failed(app.call(SIGN_IN, content), 400)


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/octet-stream",
        "nonsense",
        None,
    ],
)
def test_the_tutorials_paths_do_not_care_for_the_content_type(backend: Server, kind: str | None) -> None:
    lines = [] if kind is None else [f"Content-Type: {kind}"]
    with App(backend) as app:
        app.call("/api/signup", credentials("Typed"))
        succeeded(app.send("POST", SIGN_IN, *lines, content=CONTENT), "Typed", PASSWORD)


@pytest.mark.parametrize(
    "password",
    ['with "quotes" and \\', "per/aspera/ad/astra", "Zürich für immer", "🐢🐢🐢 all the way", "tab\tand\u0000nul"],
)
def test_the_password_comes_back_as_it_was_sent(backend: Server, password: str) -> None:
    name = f"Echo {password}".replace("\t", " ").replace("\0", " ")
    with backend.connect(context=phone(backend)) as wire:
        for target in (SIGN_UP, SIGN_IN):
            wire.send(alamofire(backend.port, target, credentials(name, password)))
            succeeded(wire.answer(), name, password)


def test_the_tutorials_paths_set_and_take_no_cookies(backend: Server) -> None:
    with App(backend) as app:
        answer = app.send("POST", SIGN_UP, "Content-Type: application/json", content=serialized(credentials("Crumbs")))
        succeeded(answer, "Crumbs", PASSWORD)
        assert answer.values("Set-Cookie") == []
        assert "no-store" in answer.field("Cache-Control")


@pytest.mark.parametrize("target", [SIGN_IN, SIGN_UP, UPDATE])
def test_the_tutorials_paths_take_post_alone(backend: Server, target: str) -> None:
    with App(backend) as app:
        for method in ("GET", "PUT", "DELETE"):
            answer = app.send(method, target)
            assert answer.status == 405, method
            assert "POST" in answer.field("Allow")
            assert strings(answer).keys() == {"error"}, "the app can parse only this structure"


def test_another_site_cannot_send_the_tutorials_requests_from_a_browser(backend: Server) -> None:
    content = serialized(credentials("Victim"))
    with App(backend) as app:
        for line in ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: https://evil.example"):
            failed(app.send("POST", SIGN_UP, "Content-Type: text/plain", line, content=content), 403)
        failed(app.call(SIGN_IN, credentials("Victim")), 401)


def test_the_tutorials_web_paths_answer_to_post_too(backend: Server) -> None:
    with App(backend) as app:
        for name in ("signin", "signup", "update"):
            assert app.send("GET", f"/ultra_motivator/web/{name}.py").status == 200
            # Without a form token, the same page reports the refusal.
            answer = app.send(
                "POST",
                f"/ultra_motivator/web/{name}.py",
                "Content-Type: application/x-www-form-urlencoded",
                content=b"username=a&password=b",
            )
            assert answer.status == 403
            assert "<form" in answer.text

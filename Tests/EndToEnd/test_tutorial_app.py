"""The tutorial's unchanged app: requests in the form of Alamofire 1 on iOS 8, and responses that it can parse."""

import json
import sqlite3
import ssl
from contextlib import closing

import pytest

from support.answers import Answer
from support.people import OTHER, PASSWORD, App, Visitor, strings
from support.server import Server
from support.wire import NAME, Delivery

SIGN_IN, SIGN_UP, UPDATE = (f"/ultra_motivator/api/{name}.py" for name in ("signin", "signup", "update"))
AGENT = "DemoApp/com.example.DemoApp (1; OS Version 8.1 (Build 12B411))"


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


def phone(site: Server) -> ssl.SSLContext:
    """Returns the TLS context of iOS 8: TLS 1.2 without ALPN."""
    context = site.context
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    return context


def credentials(name: str, password: str = PASSWORD) -> dict[str, str]:
    return {"username": name, "password": password}


def change(name: str, current: str, new: str) -> dict[str, str]:
    return {"username": name, "current_password": current, "new_password": new}


def succeeded(answer: Answer, name: str, password: str) -> None:
    assert answer.status == 200, (answer.status, answer.text)
    assert strings(answer) == credentials(name, password)


@pytest.mark.parametrize("delivery", Delivery, ids=lambda delivery: delivery.value)
def test_the_app_works_unchanged_on_one_connection(site: Server, delivery: Delivery) -> None:
    name = f"Antoine {delivery.value}"
    way = [
        (SIGN_UP, credentials(name), PASSWORD),
        (SIGN_IN, credentials(name), PASSWORD),
        (UPDATE, change(name, PASSWORD, OTHER), OTHER),
        (SIGN_IN, credentials(name, OTHER), OTHER),
    ]
    with site.connect(context=phone(site)) as wire:
        for target, members, password in way:
            wire.deliver(alamofire(site.port, target, members), delivery)
            answer = wire.answer()
            succeeded(answer, name, password)
            assert not answer.closes, "the connection must stay open for the app"
        failures = [
            (SIGN_IN, credentials(name), 401),
            (SIGN_UP, credentials(name), 409),
            (UPDATE, change(name, PASSWORD, OTHER), 401),
        ]
        for target, members, status in failures:
            wire.deliver(alamofire(site.port, target, members), delivery)
            answer = wire.answer()
            assert (answer.status, strings(answer).keys()) == (status, {"error"}), answer.text


def test_web_and_api_use_the_same_sqlite_database(site: Server) -> None:
    with App(site) as app, Visitor(site) as visitor, closing(sqlite3.connect(site.database)) as database:
        assert visitor.sign_up("From the web").status == 303
        succeeded(app.call(SIGN_IN, credentials("From the web")), "From the web", PASSWORD)
        succeeded(app.call(SIGN_UP, credentials("From the app")), "From the app", PASSWORD)
        assert visitor.sign_in("From the app").status == 303
        names = {name for (name,) in database.execute("SELECT name FROM account WHERE name LIKE 'From the%'")}
    assert names == {"From the web", "From the app"}

"""The well-known paths other than the association file."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from support.people import Client, Visitor
from support.server import Server, run

Start = Callable[..., Server]
PROBE = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
FINGERPRINTS = [":".join(f"{(start + byte) % 256:02X}" for byte in range(32)) for start in (0, 100)]
USAGE = 64


def test_changing_a_password_leads_to_the_update(server: Server) -> None:
    with Visitor(server) as visitor:
        for method in ("GET", "HEAD"):
            answer = visitor.exchange(method, "/.well-known/change-password")
            assert answer.status == 303
            assert answer.field("Location") == "/update"
        form = visitor.page("/update").form("/update")
        told = [one.get("autocomplete") for one in form.visible.values()]
        assert told == ["username", "current-password", "new-password", "new-password"]


def test_what_should_not_exist_does_not(server: Server) -> None:
    """Password managers trust the redirect only after this 404 (W3C, A Well-Known URL for Changing Passwords, §3)."""
    with Client(server) as client:
        assert client.send("GET", PROBE).status == 404
        assert client.send("GET", "/.well-known/").status == 404


def test_passkeys_are_not_promised(server: Server) -> None:
    with Client(server) as client:
        assert client.send("GET", "/.well-known/passkey-endpoints").status == 404


def test_security_txt_names_a_contact_and_is_not_out_of_date(server: Server) -> None:
    """RFC 9116: plain text, a Contact URI, and a single Expires within the next year."""
    with Client(server) as client:
        answer = client.send("GET", "/.well-known/security.txt")
    assert answer.status == 200
    assert answer.field("Content-Type").replace(" ", "").lower() == "text/plain;charset=utf-8"
    lines = [line for line in answer.text.splitlines() if line and not line.startswith("#")]
    fields = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    contacts = [value for name, value in fields if name == "contact"]
    assert contacts
    assert all(value.startswith(("https://", "mailto:", "tel:")) for value in contacts), contacts
    (expires,) = [value for name, value in fields if name == "expires"]
    until = datetime.fromisoformat(expires.replace("Z", "+00:00"))
    now = datetime.now(UTC)
    assert now < until < now + timedelta(days=365), expires
    assert set(dict(fields)) <= {
        "contact",
        "expires",
        "canonical",
        "preferred-languages",
        "policy",
        "encryption",
        "acknowledgments",
        "hiring",
    }


def test_asset_links_are_there_only_for_android_apps(server: Server, start: Start) -> None:
    target = "/.well-known/assetlinks.json"
    with Client(server) as client:
        assert client.send("GET", target).status == 404
    apps = [("com.example.demo", FINGERPRINTS[0]), ("com.example.admin", FINGERPRINTS[1])]
    options = [part for package, fingerprint in apps for part in ("--android", f"{package}={fingerprint}")]
    with Client(start(*options)) as client:
        answer = client.send("GET", target)
    assert answer.status == 200
    assert answer.field("Content-Type").split(";")[0] == "application/json"
    statements = json.loads(answer.content)
    found = {}
    for statement in statements:
        assert statement.keys() == {"relation", "target"}
        assert set(statement["relation"]) == {
            "delegate_permission/common.get_login_creds",
            "delegate_permission/common.handle_all_urls",
        }
        assert statement["target"]["namespace"] == "android_app"
        found[statement["target"]["package_name"]] = statement["target"]["sha256_cert_fingerprints"]
    assert found == {package: [fingerprint] for package, fingerprint in apps}


def test_two_fingerprints_of_one_android_app_are_both_listed(start: Start) -> None:
    options = [part for one in FINGERPRINTS for part in ("--android", f"com.example.demo={one}")]
    with Client(start(*options)) as client:
        statements = json.loads(client.send("GET", "/.well-known/assetlinks.json").content)
    assert [one for each in statements for one in each["target"]["sha256_cert_fingerprints"]] == FINGERPRINTS
    assert {each["target"]["package_name"] for each in statements} == {"com.example.demo"}


@pytest.mark.parametrize(
    "value",
    [
        "com.example.demo",
        "com.example.demo=",
        f"={FINGERPRINTS[0]}",
        f"com.example.demo={FINGERPRINTS[0][:-3]}",
        f"com.example.demo={FINGERPRINTS[0].replace('0', 'G')}",
        f"demo={FINGERPRINTS[0]}",
        f"com.example..demo={FINGERPRINTS[0]}",
        f"com.example.<demo>={FINGERPRINTS[0]}",
    ],
)
def test_an_android_app_that_is_malformed_is_named(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    home = tmp_path_factory.mktemp("home")
    outcome = run(home, "serve", "--port", "0", "--plain-port", "0", "--admin", "127.0.0.1:0", "--android", value)
    assert outcome.code == USAGE, outcome.err
    assert value in outcome.err

"""The well-known paths other than the association file."""

import json

from support.fixtures import Start
from support.people import Client, Visitor
from support.server import Server

PROBE = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
FINGERPRINTS = [":".join(f"{(start + byte) % 256:02X}" for byte in range(32)) for start in (0, 100)]


def test_changing_a_password_leads_to_the_update(server: Server) -> None:
    with Visitor(server) as visitor:
        for method in ("GET", "HEAD"):
            answer = visitor.exchange(method, "/.well-known/change-password")
            assert answer.status == 303
            assert answer.field("Location") == "/update"
        form = visitor.page("/update").form("/update")
        told = [one.get("autocomplete") for one in form.visible.values()]
        assert told == ["username", "current-password", "new-password", "new-password"]


def test_paths_that_must_not_exist_do_not_exist(server: Server) -> None:
    """Password managers trust the redirect only after this 404 (W3C, A Well-Known URL for Changing Passwords, §3)."""
    with Client(server) as client:
        assert client.send("GET", PROBE).status == 404
        assert client.send("GET", "/.well-known/").status == 404


def test_asset_links_exist_only_with_android_apps(server: Server, start: Start) -> None:
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

"""The JSON API: the successes and refusals of each call, and the document that describes the calls."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.people import OTHER, PASSWORD, App, refused, strings
from support.server import Server
from support.wire import ADDRESS

# The specified calls and their methods.
ROUTES = {
    "/api/signup": {"post"},
    "/api/signin": {"post"},
    "/api/update": {"post"},
    "/api/signout": {"post"},
    "/api/account": {"delete"},
    "/api/motivation": {"get"},
    "/api/password": {"get"},
    "/api/check": {"get"},
    "/ultra_motivator/api/signin.py": {"post"},
    "/ultra_motivator/api/signup.py": {"post"},
    "/ultra_motivator/api/update.py": {"post"},
}
# The methods that HTTP itself adds.
EVERYWHERE = {"HEAD", "OPTIONS"}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(
        tmp_path_factory.mktemp("api"), "--failures-per-address", "1000000", "--sign-ups-per-address", "1000000"
    )
    yield running
    running.stop()


@pytest.fixture
def app(api: Server) -> Iterator[App]:
    with App(api) as app:
        yield app


def test_an_account_lives_from_signing_up_to_its_deletion(app: App) -> None:
    answer = app.call("/api/signup", {"username": "Grace", "password": PASSWORD})
    assert answer.status == 201
    signed_up = strings(answer)
    assert signed_up.keys() == {"username", "token"}
    assert signed_up["username"] == "Grace"
    answer = app.sign_in("gRACE")
    assert answer.status == 200
    signed_in = strings(answer)
    assert signed_in.keys() == {"username", "token"}
    assert signed_in["username"] == "Grace", "the name is not in its original form"
    assert signed_in["token"] != signed_up["token"]

    quote = app.call("/api/motivation", method="GET", token=signed_in["token"])
    assert strings(quote).keys() == {"quote", "author"}
    another = app.call("/api/motivation", method="GET", token=signed_in["token"])
    assert strings(another)["quote"] != strings(quote)["quote"], "the quote does not change"

    answer = app.update("Grace", PASSWORD, OTHER)
    assert answer.status == 200
    updated = strings(answer)
    assert updated.keys() == {"username", "token"}
    assert not app.is_signed_in(signed_up["token"]), "another session is still valid"
    assert not app.is_signed_in(signed_in["token"]), "another session is still valid"
    assert app.is_signed_in(updated["token"])
    refused(app.sign_in("Grace"), 401, "wrong_name_or_password")

    again = strings(app.sign_in("Grace", OTHER))["token"]
    assert app.call("/api/signout", token=again).status == 200
    assert not app.is_signed_in(again)
    assert app.is_signed_in(updated["token"]), "signing out ended another session"
    refused(app.call("/api/signout", token=again), 401, "not_signed_in")

    token = updated["token"]
    wrong = app.call("/api/account", {"password": PASSWORD}, method="DELETE", token=token)
    refused(wrong, 401, "wrong_name_or_password")
    assert app.call("/api/account", {"password": OTHER}, method="DELETE", token=token).status == 200
    assert not app.is_signed_in(token)
    refused(app.sign_in("Grace", OTHER), 401, "wrong_name_or_password")
    app.sign_up("Grace", OTHER)


def test_generated_passwords_have_the_generators_form(app: App) -> None:
    made = [strings(app.call("/api/password", method="GET"))["password"] for _ in range(20)]
    assert len(set(made)) == len(made)
    for password in made:
        assert [len(group) for group in password.split("-")] == [3, 3, 3, 3], password
        assert not set(password) & set("ijlIO01"), password


REFUSALS: list[tuple[str, str, Any, int, str]] = [
    ("no JSON", "/api/signin", b"{", 400, "malformed_json"),
    ("nothing", "/api/signin", b"", 400, "malformed_json"),
    ("an array", "/api/signin", [], 400, "malformed_json"),
    ("text that is not UTF-8", "/api/signin", b'{"username":"\xff","password":"x"}', 400, "malformed_json"),
    ("something after it", "/api/signin", b'{"username":"a","password":"b"} {}', 400, "malformed_json"),
    ("no password", "/api/signin", {"username": "a"}, 400, "missing_member"),
    ("a number", "/api/signin", {"username": "a", "password": 12345678}, 400, "missing_member"),
    ("null", "/api/signin", {"username": None, "password": PASSWORD}, 400, "missing_member"),
    ("a wrong password", "/api/signin", {"username": "a", "password": OTHER}, 401, "wrong_name_or_password"),
    ("a taken name", "/api/signup", {"username": "TAKEN", "password": PASSWORD}, 409, "name_taken"),
    ("an empty name", "/api/signup", {"username": "", "password": PASSWORD}, 422, "name_empty"),
    ("a long name", "/api/signup", {"username": "n" * 65, "password": PASSWORD}, 422, "name_too_long"),
    ("a name of two lines", "/api/signup", {"username": "a\nb", "password": PASSWORD}, 422, "name_control_character"),
    ("a name with NUL", "/api/signup", {"username": "a\0b", "password": PASSWORD}, 422, "name_control_character"),
    ("7 characters", "/api/signup", {"username": "a", "password": "sEven-7"}, 422, "password_too_short"),
    ("7 emoji", "/api/signup", {"username": "a", "password": "🐢" * 7}, 422, "password_too_short"),
    ("1,025 bytes", "/api/signup", {"username": "a", "password": "x1" * 512 + "y"}, 422, "password_too_long"),
    ("a common one", "/api/signup", {"username": "a", "password": "pAssword1"}, 422, "password_common"),
    ("the name", "/api/signup", {"username": "Longish Name", "password": "longish name"}, 422, "password_is_name"),
]


@pytest.mark.parametrize(
    ("target", "content", "status", "code"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS]
)
def test_a_refusal_has_its_status_and_its_word(app: App, target: str, content: Any, status: int, code: str) -> None:
    app.call("/api/signup", {"username": "Taken", "password": PASSWORD})
    refused(app.call(target, content), status, code)


def test_the_limits_themselves_are_allowed(app: App) -> None:
    app.sign_up("n" * 64, "ex1ght-8")
    app.sign_up("\U0001f422" * 64, "🐢" * 7 + "x")
    app.sign_up("Long", "x1" * 512)


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"]
)
def test_the_api_takes_json_alone(app: App, kind: str | None) -> None:
    content = json.dumps({"username": "Typed", "password": PASSWORD}).encode()
    lines = [] if kind is None else [f"Content-Type: {kind}"]
    refused(app.send("POST", "/api/signup", *lines, content=content), 415, "unsupported_media_type")
    refused(app.sign_in("Typed"), 401, "wrong_name_or_password")


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"]
)
def test_the_type_may_be_spelt_in_every_legal_way(app: App, kind: str) -> None:
    content = json.dumps({"username": kind, "password": PASSWORD}).encode()
    assert app.send("POST", "/api/signup", f"Content-Type: {kind}", content=content).status == 201


@pytest.mark.parametrize("token", [None, "", "x", "A" * 43, "A" * 10_000, "ä"])
def test_a_call_that_needs_a_session_tells_so(app: App, token: str | None) -> None:
    for target, method, content in (
        ("/api/motivation", "GET", None),
        ("/api/signout", "POST", None),
        ("/api/account", "DELETE", {"password": PASSWORD}),
    ):
        refused(app.call(target, content, method=method, token=token), 401, "not_signed_in")


def test_errors_of_the_server_itself_are_json_too(app: App) -> None:
    refused(app.send("GET", "/api/nothing"), 404, "not_found")
    for target, methods in ROUTES.items():
        if target.startswith("/api/"):
            refused(app.send("PUT", target), 405, "method_not_allowed")
            assert methods == {"get"} or app.send("GET", target).status == 405


def document(app: App) -> dict[str, Any]:
    answer = app.send("GET", "/openapi.json")
    assert answer.status == 200
    assert answer.field("Content-Type").split(";")[0] in ("application/json", "application/vnd.oai.openapi+json")
    found = json.loads(answer.content)
    assert found["openapi"].startswith("3.1.")
    return found


def test_the_document_lists_the_routes_that_are_served_and_no_others(app: App) -> None:
    methods = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
    listed = {path: methods & item.keys() for path, item in document(app)["paths"].items()}
    assert listed == ROUTES
    for path, allowed in listed.items():
        options = app.send("OPTIONS", path)
        assert options.status == 204
        served = {method.strip() for method in options.field("Allow").split(",")} - EVERYWHERE
        assert served == {method.upper() for method in allowed}, path


def test_the_documents_html_leads_to_the_document(app: App) -> None:
    answer = app.send("GET", "/docs")
    assert answer.status == 200
    assert answer.field("Content-Type").startswith("text/html")
    assert "/openapi.json" in answer.text
    for path in ROUTES:
        assert path in answer.text, path


RULES = Path(__file__).parent / "support/schemathesis.toml"
SIGN_OUT = "/api/signout"


@pytest.mark.timeout(400)
@pytest.mark.parametrize("filtered", ["--exclude-path", "--include-path"])
def test_schemathesis_finds_no_call_that_breaks_the_document(api: Server, tmp_path: Path, filtered: str) -> None:
    """Tests sign-out in a separate run, because it invalidates the token that the other calls need."""
    with App(api) as app:
        token = app.sign_up(f"Schemathesis {filtered}")
    origin = f"https://{ADDRESS}:{api.port}"
    done = subprocess.run(
        [Path(sys.executable).with_name("schemathesis"), "--config-file", str(RULES), "run"]
        + [f"{origin}/openapi.json", "--origin", origin, "--tls-verify", str(api.authority), "--seed", "20141017"]
        + ["--max-examples", "40", "--request-timeout", "20", "--header", f"Authorization: Bearer {token}"]
        + [filtered, SIGN_OUT],
        cwd=tmp_path,
        env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(tmp_path), "LANG": "C.UTF-8", "NO_PROXY": "*"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=380,
    )
    assert done.returncode == 0, done.stdout[-12_000:]
    tested = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert tested, done.stdout[-4000:]
    assert int(tested[2]) >= 10

"""The JSON API: the life of an account, and random calls. `APITests` and `APIFailureTests` have all rules."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.people import OTHER, PASSWORD, App, refused, strings
from support.server import Server
from support.wire import ADDRESS


@pytest.fixture
def app(site: Server) -> Iterator[App]:
    with App(site) as app:
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


RULES = Path(__file__).parent / "support/schemathesis.toml"
SIGN_OUT = "/api/signout"


@pytest.mark.parametrize("filtered", ["--exclude-path", "--include-path"])
def test_schemathesis_finds_no_call_that_breaks_the_document(site: Server, tmp_path: Path, filtered: str) -> None:
    """Tests sign-out in a separate run, because it invalidates the token that the other calls need."""
    with App(site) as app:
        token = app.sign_up(f"Schemathesis {filtered}")
    origin = f"https://{ADDRESS}:{site.port}"
    done = subprocess.run(
        [Path(sys.executable).with_name("schemathesis"), "--config-file", str(RULES), "run"]
        + [f"{origin}/openapi.json", "--origin", origin, "--tls-verify", str(site.authority), "--seed", "20141017"]
        + ["--max-examples", "40", "--request-timeout", "20", "--header", f"Authorization: Bearer {token}"]
        + [filtered, SIGN_OUT],
        cwd=tmp_path,
        env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(tmp_path), "LANG": "C.UTF-8", "NO_PROXY": "*"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout[-12_000:]
    tested = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert tested, done.stdout[-4000:]
    assert int(tested[2]) >= 10

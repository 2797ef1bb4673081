"""`motivator device passkey`: py_webauthn, an independent relying party, verifies the responses of the device."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes
from webauthn.helpers.structs import PublicKeyCredentialDescriptor

from support.authorities import SITE
from support.checking import NO, USAGE, YES, refused, steered
from support.device import APP, OTHER_SITE, Device, Issuer, Play, file
from support.server import Server
from support.sites import Site, head_of, response, tls_context
from support.wire import NAME

PAGE = f"https://{SITE}:8443"


@pytest.fixture
def device(issuer: Issuer, tmp_path: Path) -> Iterator[Device]:
    with issuer.site(Play(file())) as site:
        device = issuer.device(tmp_path, site)
        device.install(SITE)
        yield device


def create(device: Device, *options: str, caller: tuple[str, str] = ("--app", APP), **values: Any) -> dict[str, Any]:
    """Creates a passkey, verifies it as a relying party, and returns the verified registration with the response."""
    asked = generate_registration_options(rp_id=SITE, rp_name="Test", user_name="ada", **values)
    words = ("passkey", "create", *caller, "--options", "-", "--yes", *options)
    answer = device.json(*words, given=options_to_json(asked))
    verified = verify_registration_response(
        credential=answer["credential"],
        expected_challenge=asked.challenge,
        expected_rp_id=SITE,
        expected_origin=f"https://{SITE}" if caller[0] == "--app" else caller[1],
        require_user_verification="--conditional" not in options,
        require_user_presence="--conditional" not in options,
    )
    return {"verified": verified, "answer": answer}


@pytest.mark.parametrize("caller", [("--app", APP), ("--page", PAGE)], ids=["app", "page"])
def test_a_relying_party_verifies_both_ceremonies(device: Device, caller: tuple[str, str]) -> None:
    made = create(device, caller=caller)
    verified = made["verified"]
    assert (verified.sign_count, verified.fmt, verified.credential_device_type) == (0, "none", "multi_device")
    assert verified.credential_backed_up and len(verified.credential_id) == 32
    assert [prompt["kind"] for prompt in made["answer"]["prompts"]] == ["create-passkey"]
    asked = generate_authentication_options(rp_id=SITE)
    answer = device.json("passkey", "sign-in", *caller, "--options", "-", "--yes", given=options_to_json(asked))
    result = verify_authentication_response(
        credential=answer["credential"],
        expected_challenge=asked.challenge,
        expected_rp_id=SITE,
        expected_origin=f"https://{SITE}" if caller[0] == "--app" else caller[1],
        credential_public_key=verified.credential_public_key,
        credential_current_sign_count=0,
        require_user_verification=True,
    )
    assert result.credential_id == verified.credential_id
    assert [prompt["kind"] for prompt in answer["prompts"]] == ["use-passkey"]
    (listed,) = device.json("passkey", "list", "--rp-id", SITE)["passkeys"]
    assert base64url_to_bytes(listed["id"]) == verified.credential_id and listed["used"]
    assert device.json("passkey", "list", "--rp-id", OTHER_SITE)["passkeys"] == []
    assert "PRIVATE KEY" not in device("passkey", "list") and device.file.stat().st_mode & 0o777 == 0o600
    device("passkey", "delete", listed["id"])
    assert device.json("passkey", "list")["passkeys"] == []


def test_a_passkey_that_is_not_synced_has_no_backup(device: Device) -> None:
    device("passkey", "sync", "off")
    verified = create(device)["verified"]
    assert (verified.credential_backed_up, verified.credential_device_type) == (False, "multi_device")


def test_a_passkey_is_created_silently_after_a_password(device: Device) -> None:
    device.save(SITE, "ada", "secret", "--app", APP, "--yes")
    made = create(device, "--conditional")
    assert not made["verified"].user_verified and made["answer"]["prompts"] == []


def test_errors_have_the_form_of_the_caller(device: Device) -> None:
    asked = options_to_json(generate_registration_options(rp_id=OTHER_SITE, rp_name="Test", user_name="ada"))
    words = ("passkey", "create", "--options", "-", "--yes")
    error = device.json(*words, "--app", APP, given=asked, code=NO)["error"]
    assert (error["domain"], error["code"]) == ("ASAuthorizationError", 1004)
    assert error["reason"] == f"Application with identifier {APP} is not associated with domain {OTHER_SITE}"
    assert error["localized_description"] == "The operation couldn’t be completed. " + error["reason"]
    assert device.json(*words, "--page", PAGE, given=asked, code=NO)["error"]["name"] == "SecurityError"
    known = create(device)["verified"].credential_id
    asked = options_to_json(
        generate_registration_options(
            rp_id=SITE, rp_name="T", user_name="ada", exclude_credentials=[PublicKeyCredentialDescriptor(id=known)]
        )
    )
    assert device.json(*words, "--app", APP, given=asked, code=NO)["error"]["code"] == 1006
    assert device.json(*words, "--page", PAGE, given=asked, code=NO)["error"]["name"] == "InvalidStateError"
    asked = options_to_json(generate_authentication_options(rp_id=OTHER_SITE))
    words = ("passkey", "sign-in", "--page", f"https://{OTHER_SITE}", "--options", "-")
    assert device.json(*words, "--immediate", given=asked, code=NO)["prompts"] == []
    assert device.json(*words, given=asked, code=NO)["prompts"][0]["answer"] == "no"


def test_a_page_of_a_related_origin_uses_the_rp_id(issuer: Issuer, tmp_path: Path) -> None:
    origins = json.dumps({"origins": [f"https://{OTHER_SITE}"]}).encode()
    with issuer.site(Play(file(origins))) as site:
        device = issuer.device(tmp_path, site)
        assert create(device, caller=("--page", f"https://{OTHER_SITE}"))["verified"].fmt == "none"


def test_old_systems_have_no_passkeys(device: Device, tmp_path: Path) -> None:
    old = Device(tmp_path, device.sites, "old.json")
    words = ("passkey", "sign-in", "--page", PAGE, "--options", "-", "--system", "ios9")
    refused(old.run(*words, given="{}"), USAGE, "Passkeys require iOS 16 or later")
    refused(device.run("passkey", "create", "--options", "-", "--page", PAGE, "--app", APP), USAGE, "--page")


class Api:
    """The calls of the demo's API for passkeys, with py_webauthn as the relying party."""

    def __init__(self, issuer: Issuer) -> None:
        self.calls: list[tuple[str, str | None]] = []
        self.context = tls_context(issuer.leaf)
        self.challenge = b""
        self.key = b""

    def __call__(self, connection: socket.socket) -> None:
        with self.context.wrap_socket(connection, server_side=True) as stream:
            head, _, content = head_of(stream).partition("\r\n\r\n")
            fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:])
            while len(content.encode()) < int(fields.get("content-length", "0")):
                content += stream.recv(65536).decode()
            path = head.split(" ")[1]
            self.calls.append((path, fields.get("authorization")))
            if path.startswith("/.well-known"):
                stream.sendall(file())
                return
            status, answer = self.answer(path, json.loads(content))
            stream.sendall(response(json.dumps(answer).encode(), status))

    def answer(self, path: str, given: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        match path:
            case "/api/passkeys/options":
                creation = generate_registration_options(rp_id=SITE, rp_name="Test", user_name="ada")
                self.challenge = creation.challenge
                return 200, {"publicKey": json.loads(options_to_json(creation))}
            case "/api/passkeys":
                self.key = verify_registration_response(
                    credential=given["credential"],
                    expected_challenge=self.challenge,
                    expected_rp_id=SITE,
                    expected_origin=f"https://{SITE}",
                    require_user_verification=True,
                ).credential_public_key
                return 201, {"id": given["credential"]["id"]}
            case "/api/signin/passkey/options":
                request = generate_authentication_options(rp_id=SITE)
                self.challenge = request.challenge
                return 200, {"publicKey": json.loads(options_to_json(request))}
            case _:
                assert path == "/api/signin/passkey"
                verify_authentication_response(
                    credential=given["credential"],
                    expected_challenge=self.challenge,
                    expected_rp_id=SITE,
                    expected_origin=f"https://{SITE}",
                    credential_public_key=self.key,
                    credential_current_sign_count=0,
                    require_user_verification=True,
                )
                return 200, {"username": "ada", "token": "abc"}


def test_a_whole_ceremony_uses_the_api(issuer: Issuer, tmp_path: Path) -> None:
    api = Api(issuer)
    with Site(api) as site:
        device = issuer.device(tmp_path, site)
        device.install(SITE)
        caller = ("--app", APP, "--server", SITE, "--yes")
        assert f"at {SITE}" in device("passkey", "create", *caller, "--token-stdin", given="secret-token\n")
        answer = device.json("passkey", "sign-in", *caller)
        assert (answer["account"], answer["token"]) == ("ada", "abc")
        assert "abc" not in device("passkey", "sign-in", *caller)
    called = [call for call in api.calls if call[0].startswith("/api/")]
    assert called[:4] == [
        ("/api/passkeys/options", "bearer secret-token"),
        ("/api/passkeys", "bearer secret-token"),
        ("/api/signin/passkey/options", None),
        ("/api/signin/passkey", None),
    ]
    refused(device.run("passkey", "create", *caller), USAGE, "--token-stdin")


@pytest.fixture
def phone(site: Server, tmp_path: Path) -> Device:
    """A device with the demo's app. RP IDs have no port, so the device connects to port 443."""
    phone = Device(tmp_path, ("--trust", str(site.authority), *steered(site.port, NAME)))
    phone.install(NAME)
    return phone


WORDS = ("--app", APP, "--server", NAME, "--passkey")


def test_the_app_signs_up_adds_a_passkey_and_logs_in_with_it(phone: Device) -> None:
    made = phone.json("app", "sign-up", *WORDS, "--account", "passkey-user", "--yes")
    assert (made["outcome"], made["passkey"]) == ("signed_up", {"outcome": "created"})
    assert [prompt["kind"] for prompt in made["prompts"]] == ["save", "create-passkey"]
    entered = phone.json("app", "log-in", *WORDS, "--yes")
    assert (entered["source"], entered["account"]) == ("passkey", "passkey-user")
    assert [prompt["kind"] for prompt in entered["prompts"]] == ["use-passkey"]
    answer = phone.json("passkey", "sign-in", *WORDS[:-1], "--yes")
    assert answer["account"] == "passkey-user" and answer["token"]


def test_a_log_in_with_a_password_upgrades_to_a_passkey(phone: Device) -> None:
    phone("app", "sign-up", *WORDS[:-1], "--account", "upgraded", "--yes")
    entered = phone.json("app", "log-in", *WORDS, "--yes")
    assert (entered["source"], entered["passkey"]) == ("keychain", {"outcome": "created"})
    assert "create-passkey" not in [prompt["kind"] for prompt in entered["prompts"]]
    phone("advance", "6m")
    (passkey,) = phone.json("passkey", "list")["passkeys"]
    phone("passkey", "delete", passkey["id"])
    late = phone.json("app", "log-in", *WORDS, "--yes")
    assert (late["source"], late["passkey"]["outcome"]) == ("keychain", "not_created")
    assert late["passkey"]["error"]["code"] == 1001


def test_the_server_refuses_a_deleted_passkey(phone: Device) -> None:
    made = phone.json("app", "sign-up", *WORDS, "--account", "deleted", "--yes")
    assert made["passkey"] == {"outcome": "created"}
    phone("app", "delete-account", *WORDS[:-1], "--yes")
    done = phone.run("passkey", "sign-in", *WORDS[:-1], "--yes")
    assert done.code != YES and "passkey" in done.err.lower() + done.text.lower()

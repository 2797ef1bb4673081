"""Passkeys in the JSON API. python-fido2 encodes the responses, as an independent implementation of WebAuthn."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2.cose import ES256, RS256, CoseKey, EdDSA
from fido2.utils import sha256, websafe_decode, websafe_encode
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
    PublicKeyCredentialCreationOptions,
    PublicKeyCredentialRequestOptions,
)

from support.answers import Answer
from support.fixtures import Start
from support.people import PASSWORD, App
from support.server import Server, run
from support.wire import ADDRESS, NAME

ALGORITHMS = {"ES256": -7, "EdDSA": -8, "RS256": -257}
FLAG = AuthenticatorData.FLAG


class Authenticator:
    """An authenticator with one passkey, and the browser in front of it."""

    def __init__(self, server: Server, algorithm: str) -> None:
        self.origin = f"https://{NAME}:{server.port}"
        self.counter = 0
        self.credential = os.urandom(32)
        self.user = b""
        self.key: Any
        if algorithm == "ES256":
            self.key = ec.generate_private_key(ec.SECP256R1())
        elif algorithm == "EdDSA":
            self.key = ed25519.Ed25519PrivateKey.generate()
        else:
            self.key = rsa.generate_private_key(65537, 2048)

    @property
    def public_key(self) -> CoseKey:
        kinds = {ec.EllipticCurvePrivateKey: ES256, ed25519.Ed25519PrivateKey: EdDSA, rsa.RSAPrivateKey: RS256}
        kind = next(kind for family, kind in kinds.items() if isinstance(self.key, family))
        key: CoseKey = kind.from_cryptography_key(self.key.public_key())
        return key

    def sign(self, message: bytes) -> bytes:
        if isinstance(self.key, ec.EllipticCurvePrivateKey):
            return self.key.sign(message, ec.ECDSA(hashes.SHA256()))
        if isinstance(self.key, rsa.RSAPrivateKey):
            return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())
        signature: bytes = self.key.sign(message)
        return signature

    def create(self, options: dict[str, Any], fmt: str = "none") -> dict[str, Any]:
        # The independent parser checks the form of the options.
        parsed = PublicKeyCredentialCreationOptions.from_dict(options)
        assert [parameter.alg for parameter in parsed.pub_key_cred_params] == list(ALGORITHMS.values())
        self.user = parsed.user.id
        client = CollectedClientData.create("webauthn.create", parsed.challenge, self.origin)
        data = AuthenticatorData.create(
            sha256((parsed.rp.id or "").encode()),
            FLAG.UP | FLAG.UV | FLAG.BE | FLAG.BS | FLAG.AT,
            self.counter,
            AttestedCredentialData.create(b"\0" * 16, self.credential, self.public_key),
        )
        statement = {"alg": self.public_key[3], "sig": self.sign(data + client.hash)} if fmt == "packed" else {}
        attestation = AttestationObject.create(fmt, data, statement)
        return self.response(
            {
                "clientDataJSON": websafe_encode(client),
                "attestationObject": websafe_encode(attestation),
                "transports": ["internal"],
            }
        )

    def get(self, options: dict[str, Any], **changes: str) -> dict[str, Any]:
        parsed = PublicKeyCredentialRequestOptions.from_dict(options)
        client = CollectedClientData.create("webauthn.get", parsed.challenge, changes.get("origin", self.origin))
        flags = FLAG.UP | FLAG.UV | FLAG.BE | FLAG.BS
        data = AuthenticatorData.create(sha256((parsed.rp_id or "").encode()), flags, self.counter)
        return self.response(
            {
                "clientDataJSON": websafe_encode(client),
                "authenticatorData": websafe_encode(data),
                "signature": websafe_encode(self.sign(data + client.hash)),
                "userHandle": websafe_encode(self.user),
            }
        )

    def response(self, members: dict[str, Any]) -> dict[str, Any]:
        identifier = websafe_encode(self.credential)
        return {"id": identifier, "rawId": identifier, "type": "public-key", "response": members}


@pytest.fixture
def app(site: Server) -> Iterator[App]:
    with App(site) as app:
        yield app


def content(answer: Answer, status: int = 200) -> dict[str, Any]:
    assert answer.status == status, (answer.status, answer.text)
    assert answer.field("Content-Type") == "application/json"
    assert answer.field("Cache-Control") == "no-store"
    value: dict[str, Any] = json.loads(answer.content)
    return value


def code(answer: Answer, status: int) -> str:
    failure = content(answer, status)
    assert failure.keys() == {"error", "code"}
    return str(failure["code"])


def add(app: App, token: str, authenticator: Authenticator, fmt: str = "none", **more: str) -> dict[str, Any]:
    options = content(app.call("/api/passkeys/options", {}, token=token))["publicKey"]
    credential = authenticator.create(options, fmt)
    return content(app.call("/api/passkeys", {"credential": credential, **more}, token=token), 201)


def sign_in(app: App, authenticator: Authenticator, **changes: str) -> Answer:
    options = content(app.call("/api/signin/passkey/options", {}))["publicKey"]
    return app.call("/api/signin/passkey", {"credential": authenticator.get(options, **changes)})


@pytest.mark.parametrize("fmt", ["none", "packed"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_passkey_is_added_and_signs_in(app: App, site: Server, algorithm: str, fmt: str) -> None:
    name = f"Passkey {algorithm} {fmt}"
    token = app.sign_up(name)
    authenticator = Authenticator(site, algorithm)
    passkey = add(app, token, authenticator, fmt, name="Work phone")
    assert passkey["id"] == websafe_encode(authenticator.credential)
    assert passkey["algorithm"] == ALGORITHMS[algorithm]
    assert passkey["name"] == "Work phone"
    assert passkey["rp_id"] == NAME
    assert passkey["last_used"] is None
    assert passkey["backup_eligible"] and passkey["backed_up"]
    assert passkey["transports"] == ["internal"]
    assert passkey["aaguid"] == "00000000-0000-0000-0000-000000000000"
    listed = content(app.call("/api/passkeys", method="GET", token=token))
    assert listed == {"rp_id": NAME, "user_id": websafe_encode(authenticator.user), "passkeys": [passkey]}
    assert len(authenticator.user) == 32

    signed_in = content(sign_in(app, authenticator))
    assert signed_in["username"] == name
    assert app.is_signed_in(signed_in["token"])
    [used] = content(app.call("/api/passkeys", method="GET", token=token))["passkeys"]
    assert used["last_used"] >= used["created"]


def test_a_challenge_works_once_and_a_failure_does_not_use_it_up(app: App, site: Server) -> None:
    authenticator = Authenticator(site, "ES256")
    add(app, app.sign_up("Once"), authenticator)
    options = content(app.call("/api/signin/passkey/options", {}))["publicKey"]
    assert options["allowCredentials"] == []
    assert len(websafe_decode(options["challenge"])) == 56
    failed = app.call("/api/signin/passkey", {"credential": authenticator.get(options, origin="https://evil.example")})
    assert code(failed, 401) == "origin_mismatch"
    assert "https://evil.example" in failed.text and f"https://{NAME}:{site.port}" in failed.text
    credential = authenticator.get(options)
    content(app.call("/api/signin/passkey", {"credential": credential}))
    assert code(app.call("/api/signin/passkey", {"credential": credential}), 401) == "challenge_used"


def test_a_counter_must_increase(app: App, site: Server) -> None:
    authenticator = Authenticator(site, "ES256")
    authenticator.counter = 5
    add(app, app.sign_up("Counter"), authenticator)
    assert code(sign_in(app, authenticator), 401) == "counter_regression"
    authenticator.counter = 6
    content(sign_in(app, authenticator))
    assert code(sign_in(app, authenticator), 401) == "counter_regression"


def test_a_passkey_is_renamed_and_removed(app: App, site: Server) -> None:
    token, other = app.sign_up("Owner"), app.sign_up("Stranger")
    authenticator = Authenticator(site, "ES256")
    identifier = add(app, token, authenticator)["id"]
    change = {"id": identifier, "name": "Tablet"}
    assert code(app.call("/api/passkeys/rename", change, token=other), 404) == "passkey_not_found"
    assert content(app.call("/api/passkeys/rename", change, token=token))["name"] == "Tablet"
    long = {"id": identifier, "name": "a" * 65}
    assert code(app.call("/api/passkeys/rename", long, token=token), 422) == "name_too_long"
    removal = {"id": identifier}
    assert code(app.call("/api/passkeys", removal, method="DELETE", token=other), 404) == "passkey_not_found"
    assert content(app.call("/api/passkeys", removal, method="DELETE", token=token)) == {}
    assert code(app.call("/api/passkeys", removal, method="DELETE", token=token), 404) == "passkey_not_found"
    assert code(sign_in(app, authenticator), 401) == "unknown_passkey"


def test_one_passkey_has_one_account(app: App, site: Server) -> None:
    authenticator = Authenticator(site, "ES256")
    token = app.sign_up("First")
    passkey = add(app, token, authenticator)
    excluded = content(app.call("/api/passkeys/options", {}, token=token))["publicKey"]["excludeCredentials"]
    assert excluded == [{"type": "public-key", "id": passkey["id"], "transports": ["internal"]}]
    second = app.sign_up("Second")
    options = content(app.call("/api/passkeys/options", {}, token=second))["publicKey"]
    again = app.call("/api/passkeys", {"credential": authenticator.create(options)}, token=second)
    assert code(again, 409) == "passkey_exists"
    # The options belong to the session that requested them.
    options = content(app.call("/api/passkeys/options", {}, token=second))["publicKey"]
    stolen = app.call("/api/passkeys", {"credential": Authenticator(site, "ES256").create(options)}, token=token)
    assert code(stolen, 422) == "challenge_invalid"


def test_a_session_is_confirmed_with_a_password_or_a_passkey(app: App, site: Server) -> None:
    token = app.sign_up("Confirmed")
    authenticator = Authenticator(site, "EdDSA")
    passkey = add(app, token, authenticator)
    assert content(app.call("/api/confirm", {"password": PASSWORD}, token=token)) == {}
    assert code(app.call("/api/confirm", {"password": "wrong"}, token=token), 401) == "wrong_name_or_password"
    options = content(app.call("/api/confirm/passkey/options", {}, token=token))["publicKey"]
    assert [allowed["id"] for allowed in options["allowCredentials"]] == [passkey["id"]]
    credential = authenticator.get(options)
    # A confirmation does not sign in, and a stranger's passkey does not confirm.
    assert code(app.call("/api/signin/passkey", {"credential": credential}), 401) == "challenge_invalid"
    other = app.sign_up("Other")
    assert code(app.call("/api/confirm/passkey", {"credential": credential}, token=other), 401) == "passkey_not_allowed"
    assert content(app.call("/api/confirm/passkey", {"credential": credential}, token=token)) == {}
    assert code(app.call("/api/confirm/passkey", {"credential": credential}, token=token), 401) == "challenge_used"


def test_conditional_create_follows_a_password(app: App, site: Server) -> None:
    token = app.sign_up("Conditional")
    conditional = {"mediation": "conditional"}
    options = content(app.call("/api/passkeys/options", conditional, token=token))["publicKey"]
    assert options["authenticatorSelection"]["userVerification"] == "preferred"
    assert code(app.call("/api/passkeys/options", {"mediation": "silent"}, token=token), 422) == "mediation_unknown"
    authenticator = Authenticator(site, "ES256")
    content(app.call("/api/passkeys", {"credential": authenticator.create(options)}, token=token), 201)
    # A passkey confirms a session, but conditional create needs a password.
    signed_in = content(sign_in(app, authenticator))["token"]
    content(app.call("/api/passkeys/options", {}, token=signed_in))
    assert code(app.call("/api/passkeys/options", conditional, token=signed_in), 403) == "confirmation_required"


@pytest.mark.parametrize(
    ("credential", "expected"),
    [(None, "missing_member"), ("text", "missing_member"), ({}, "credential_malformed")],
)
def test_a_malformed_credential_is_refused(app: App, credential: Any, expected: str) -> None:
    value = {} if credential is None else {"credential": credential}
    assert code(app.call("/api/signin/passkey", value), 400) == expected
    token = app.sign_up(f"Malformed {expected} {credential}")
    assert code(app.call("/api/passkeys", value, token=token), 400) == expected
    assert code(app.call("/api/confirm/passkey", value, token=token), 400) == expected


def test_an_address_has_no_passkeys(site: Server) -> None:
    with App(site) as app:
        app.host = f"{ADDRESS}:{site.port}"
        assert code(app.call("/api/signin/passkey/options", {}), 404) == "passkeys_not_available"


def test_the_content_has_a_limit_of_32_kib(app: App) -> None:
    padding_of = (32 << 10) - len(json.dumps({"credential": {"x": ""}}))
    value = {"credential": {"x": "a" * padding_of}}
    assert code(app.call("/api/signin/passkey", value), 400) == "credential_malformed"
    value["credential"]["x"] += "a"
    assert app.call("/api/signin/passkey", value).status == 413


def test_a_client_has_240_ceremonies_and_4_per_second(site: Server) -> None:
    with App(site, source="127.0.0.77") as app:
        answers = [app.call("/api/signin/passkey", {"credential": {}}) for _ in range(240)]
        assert {answer.status for answer in answers} == {400}
        # The bucket refills while the requests arrive.
        refused = next(
            answer for _ in range(2000) if (answer := app.call("/api/signin/passkey", {"credential": {}})).status != 400
        )
        assert code(refused, 429) == "throttled"
        assert refused.field("Retry-After") == "1"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--passkey-domain", "other.test"], "--passkey-domain other.test is not a host of --domain"),
        (["--passkey-origin", "https://a.test/"], "--passkey-origin"),
        (["--passkey-timeout", "601"], "--passkey-timeout is 601"),
        (["--passkey-timeout", "0"], "--passkey-timeout is 0"),
    ],
)
def test_a_wrong_option_is_refused(tmp_path: Path, options: list[str], text: str) -> None:
    listeners = ["--port", "0", "--plain-port", "0", "--admin", "127.0.0.1:0"]
    outcome = run(tmp_path, "serve", *listeners, *options)
    assert outcome.code == 64
    assert text in outcome.err


def test_the_options_set_the_rp_id_the_origins_and_the_lifetime(start: Start) -> None:
    mapped = "https://mapped.test:9443"
    server = start(
        "--domain",
        "b.test",
        "--domain",
        NAME,
        "--passkey-domain",
        NAME,
        "--passkey-origin",
        mapped,
        "--passkey-timeout",
        "7",
    )
    with App(server) as app:
        app.host = f"b.test:{server.port}"
        token = app.sign_up("Shared")
        authenticator = Authenticator(server, "ES256")
        options = content(app.call("/api/passkeys/options", {}, token=token))["publicKey"]
        assert options["rp"]["id"] == NAME
        assert options["timeout"] == 7000
        content(app.call("/api/passkeys", {"credential": authenticator.create(options)}, token=token), 201)
        for origin in (mapped, f"https://b.test:{server.port}", f"https://{NAME}"):
            content(sign_in(app, authenticator, origin=origin))
        failed = sign_in(app, authenticator, origin="https://b.test")
        assert code(failed, 401) == "origin_mismatch"

"""`association check --passkeys`, with local HTTPS hosts."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import NO, RETRY, USAGE, YES, association, check, refused
from support.device import OTHER_SITE, Issuer
from support.keys import APPS
from support.keys import association as plain
from support.sites import JSON, Stream, response

AASA, RELATED = "/.well-known/apple-app-site-association", "/.well-known/webauthn"
ENDPOINTS, ASSETLINKS = "/.well-known/passkey-endpoints", "/.well-known/assetlinks.json"
ENTRY = f"webcredentials:{SITE}"
FINGERPRINT = ":".join(["AB"] * 32)
PAGE = f"https://{OTHER_SITE}"


def document(value: object, kind: str = JSON) -> bytes:
    return response(json.dumps(value).encode(), kind=kind)


@contextmanager
def served(issuer: Issuer, files: dict[str, bytes]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Serves both sites, and yields the options for requests and the requested paths."""
    asked: list[str] = []
    good = {AASA: response(plain()), ENDPOINTS: document({"enroll": f"https://{SITE}/a"})} | files

    def respond(stream: Stream, path: str) -> None:
        asked.append(path)
        stream.sendall(good.get(path, response(b"", 404)))

    with issuer.site(respond) as site:
        yield issuer.options(site.port), asked


def test_one_command_answers_for_an_app_a_page_and_android(issuer: Issuer, tmp_path: Path) -> None:
    statement = {
        "relation": [f"delegate_permission/common.{name}" for name in ("handle_all_urls", "get_login_creds")],
        "target": {
            "namespace": "android_app",
            "package_name": "com.example.app",
            "sha256_cert_fingerprints": [FINGERPRINT],
        },
    }
    files = {RELATED: document({"origins": [PAGE]}), ASSETLINKS: document([statement])}
    options = ("--app", APPS[0], "--entitlement", ENTRY, "--origin", PAGE, "--android", "com.example.app")
    with served(issuer, files) as (reaching, asked):
        report = check(tmp_path, SITE, "--passkeys", "--profile", "device", *options, *reaching, verdict=YES)
        done = association(tmp_path, "check", SITE, "--passkeys", "--assume-public", "--quiet", *options, *reaching)
    assert report.document["conclusion"] == (
        f"iPhones let {APPS[0]} use passkeys of {SITE}. Android lets com.example.app use passkeys of {SITE}. "
        f"Pages of {PAGE} may use passkeys of {SITE}."
    )
    assert done.text == report.document["conclusion"] + "\n"
    assert set(asked) == {AASA, "/apple-app-site-association", RELATED, ENDPOINTS, ASSETLINKS}


@pytest.mark.parametrize(
    ("files", "options", "verdict", "code", "conclusion"),
    [
        (
            {AASA: response(b"", 503)},
            ("--app", APPS[0], "--entitlement", ENTRY),
            RETRY,
            "http-status-server-error",
            "a few seconds.",
        ),
        ({}, ("--origin", PAGE), NO, "passkey-origin-not-related", "SecurityError"),
    ],
)
def test_the_first_obstacle_is_the_conclusion(
    issuer: Issuer,
    tmp_path: Path,
    files: dict[str, bytes],
    options: tuple[str, ...],
    verdict: int,
    code: str,
    conclusion: str,
) -> None:
    words = (SITE, "--passkeys", *options)
    with served(issuer, files) as (reaching, _):
        report = check(tmp_path, *words, "--profile", "device", *reaching, verdict=verdict)
        assert code in report.codes
        assert conclusion in json.dumps(report.document), report.document["conclusion"]
        for form in ("junit", "sarif", "github"):
            assert code in association(tmp_path, "check", *words, "--format", form, *reaching).text


def test_a_client_follows_redirects_of_the_related_origins_to_https_only(issuer: Issuer, tmp_path: Path) -> None:
    moved = response(b"", 302, None, [f"Location: https://{OTHER_SITE}/moved"])
    with served(issuer, {RELATED: moved, "/moved": document({"origins": [PAGE]})}) as (reaching, _):
        words = (SITE, "--passkeys", "--profile", "device", "--origin", PAGE)
        report = check(tmp_path, *words, *reaching, verdict=YES)
    assert f"https://{OTHER_SITE}/moved" in [fetch["url"] for fetch in report.document["fetches"]]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--rp-id", SITE), "require --passkeys"),
        (("--passkeys", "--profile", "ios9"), "iOS 16"),
        (("--passkeys", "--cdn"), "--cdn"),
        (("--passkeys", "--origin", "https://a.example/path"), "https origin"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path: Path, options: tuple[str, ...], word: str) -> None:
    refused(association(tmp_path, "check", SITE, *options), USAGE, word)

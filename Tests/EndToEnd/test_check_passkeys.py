"""`association check --passkeys`, with local HTTPS hosts, and `association explain` for the errors of devices."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import NO, RETRY, USAGE, YES, Report, association, check, refused, steered
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
def served(folder: Path, files: dict[str, bytes]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Serves both sites, and yields the options for requests and the requested paths."""
    issuer = Issuer.new(folder)
    asked: list[str] = []
    good = {AASA: response(plain()), ENDPOINTS: document({"enroll": f"https://{SITE}/a"})} | files

    def respond(stream: Stream, path: str) -> None:
        asked.append(path)
        stream.sendall(good.get(path, response(b"", 404)))

    with issuer.site(respond) as site:
        yield (*steered(site.port, SITE), *steered(site.port, OTHER_SITE), "--trust", str(issuer.root)), asked


def asked_about(folder: Path, files: dict[str, bytes], *options: str, verdict: int) -> Report:
    with served(folder, files) as (reaching, _):
        return check(folder, SITE, "--passkeys", "--profile", "device", *options, *reaching, verdict=verdict)


def test_one_command_answers_for_an_app_a_page_and_android(tmp_path: Path) -> None:
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
    with served(tmp_path, files) as (reaching, asked):
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
            {},
            ("--entitlement", f"webcredentials:www.{SITE}"),
            NO,
            "passkey-rp-id-not-covered",
            "is not associated with",
        ),
        ({AASA: response(b"", 503)}, ("--entitlement", ENTRY), RETRY, "http-status-server-error", "a few seconds."),
        ({}, ("--origin", PAGE), NO, "passkey-origin-not-related", "SecurityError"),
        ({RELATED: document({"origins": []})}, (), NO, "related-origins-origins-missing", "an empty array"),
        ({ENDPOINTS: document([])}, (), NO, "passkey-endpoints-not-an-object", "an array"),
    ],
)
def test_the_first_obstacle_is_the_conclusion(
    tmp_path: Path, files: dict[str, bytes], options: tuple[str, ...], verdict: int, code: str, conclusion: str
) -> None:
    apps = () if "--origin" in options else ("--app", APPS[0])
    report = asked_about(tmp_path, files, *apps, *options, verdict=verdict)
    assert code in report.codes
    assert conclusion in json.dumps(report.document), report.document["conclusion"]


def test_a_client_follows_redirects_of_the_related_origins_to_https_only(tmp_path: Path) -> None:
    moved = response(b"", 302, None, [f"Location: https://{OTHER_SITE}/moved"])
    files = {RELATED: moved, "/moved": document({"origins": [PAGE]})}
    report = asked_about(tmp_path, files, "--origin", PAGE, verdict=YES)
    assert f"https://{OTHER_SITE}/moved" in [fetch["url"] for fetch in report.document["fetches"]]


@pytest.mark.parametrize("form", ["junit", "sarif", "github"])
def test_the_reports_for_ci_contain_the_issue(tmp_path: Path, form: str) -> None:
    with served(tmp_path, {}) as (reaching, _):
        done = association(tmp_path, "check", SITE, "--passkeys", "--origin", PAGE, "--format", form, *reaching)
    assert done.code == NO and "passkey-origin-not-related" in done.text


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--rp-id", SITE), "require --passkeys"),
        (("--passkeys", "--profile", "ios9"), "iOS 16"),
        (("--passkeys", "--cdn"), "--cdn"),
        (("--passkeys", "--origin", "http://a.example"), "https origin"),
        (("--passkeys", "--origin", "https://a.example/path"), "https origin"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path: Path, options: tuple[str, ...], word: str) -> None:
    refused(association(tmp_path, "check", SITE, *options), USAGE, word)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (f"Application with identifier {APPS[0]} is not associated with domain {SITE}", f"check {SITE} --passkeys"),
        ("The operation couldn’t be completed. ASAuthorizationError 1006", "excludes"),
        ("SecurityError: The relying party ID is not a registrable domain suffix of the current domain", "RP ID"),
    ],
)
def test_the_errors_of_devices_are_explained(tmp_path: Path, text: str, word: str) -> None:
    done = association(tmp_path, "explain", text)
    assert done.code == YES and word in done.text

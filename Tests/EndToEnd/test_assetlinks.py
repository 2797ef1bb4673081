"""assetlinks.json, the file for Android: `check`, `match`, `compare`, and the page /check."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.authorities import SITE
from support.checking import NO, USAGE, YES, association, check, refused
from support.device import Issuer
from support.fixtures import Start
from support.keys import APPS
from support.keys import association as plain
from support.page import Page
from support.people import Visitor
from support.server import Server
from support.sites import Stream, response

PATH = "/.well-known/assetlinks.json"
PRINTS = [":".join(f"{(start + byte) % 256:02X}" for byte in range(32)) for start in (0, 100)]
APP, OTHER = "com.example.app", "com.example.other"
LINKS, PASSWORDS = "delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"
BUY = f"https://{SITE}/buy"


def statement(package: str = APP, fingerprint: str = PRINTS[0], *relations: str) -> dict[str, Any]:
    target = {"namespace": "android_app", "package_name": package, "sha256_cert_fingerprints": [fingerprint]}
    return {"relation": list(relations or (LINKS, PASSWORDS)), "target": target}


def content(*statements: dict[str, Any]) -> bytes:
    return json.dumps(list(statements or (statement(),)), indent=2).encode()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "links.json"
    path.write_bytes(content())
    return path


def test_a_file_is_recognized_by_its_content(tmp_path: Path, file: Path) -> None:
    report = check(tmp_path, file.name, verdict=YES)
    assert report.verdicts == ("associated", "associated", "denied")
    assert report.codes == {"file-assetlinks"}, "the only issue must be about Apple's earlier systems"
    name = f"{APP}={PRINTS[0]}"
    assert report.document["relations"] == {PASSWORDS: [name], LINKS: [name]}
    assert report.document["services"] == {}
    done = association(tmp_path, "check", file.name, "--android", f"{APP}={PRINTS[0].lower()}", "--verbose")
    assert done.code == YES
    assert done.text.startswith(f"Android devices will associate {APP} based on links.json. ")
    given = check(tmp_path, "-", given=content(), verdict=YES)
    assert given.document["relations"] == report.document["relations"]


@pytest.mark.parametrize(
    ("asked", "code"),
    [(OTHER, "assetlinks-app-not-listed"), (f"{APP}={PRINTS[1]}", "assetlinks-app-other-fingerprint")],
)
def test_an_app_that_is_not_listed_is_denied(tmp_path: Path, file: Path, asked: str, code: str) -> None:
    report = check(tmp_path, file.name, "--android", asked, verdict=NO)
    assert report.codes == {"file-assetlinks", code}
    assert report.document["conclusion"].startswith(
        f"Android devices will not associate {asked.split('=')[0]} based on"
    )


def test_the_two_files_are_not_confused(tmp_path: Path, file: Path) -> None:
    apple = check(tmp_path, file.name, "--app", APPS[0], verdict=NO)
    assert apple.codes == {"file-assetlinks", "signature-missing"}
    (tmp_path / "assetlinks.json").write_bytes(plain())
    other = check(tmp_path, "assetlinks.json", verdict=NO)
    assert other.codes == {"file-assetlinks", "assetlinks-apple-file"}
    for options in (("--app", APPS[0]), ("--service", "applinks"), ("--entitlement", f"applinks:{SITE}")):
        refused(association(tmp_path, "check", file.name, "--android", APP, *options), USAGE, "--android")
    refused(association(tmp_path, "check", f"https://{SITE}{PATH}", "--app", APPS[0]), USAGE, "--android")
    refused(association(tmp_path, "check", file.name, "--android", "app"), USAGE, "Android app")


@pytest.mark.parametrize(
    ("answer", "code", "verdict"),
    [(response(content()), None, YES), (response(b"", 404), "assetlinks-http-status", NO)],
    ids=["good", "absent"],
)
def test_a_host_has_the_file_at_one_path(
    issuer: Issuer, tmp_path: Path, answer: bytes, code: str | None, verdict: int
) -> None:
    paths: list[str] = []

    def respond(stream: Stream, path: str) -> None:
        paths.append(path)
        stream.sendall(answer)

    with issuer.site(respond) as site:
        options = issuer.options(site.port)
        reports = [
            check(tmp_path, *target, *options, verdict=verdict)
            for target in ((SITE, "--assetlinks"), (f"https://{SITE}{PATH}",), (SITE, "--android", APP))
        ]
        matched = association(tmp_path, "match", f"https://{SITE}{PATH}", "--url", BUY, *options)
    assert paths == [PATH] * 4, "each check must send a single request to this path"
    for report in reports:
        assert report.codes - {"file-assetlinks"} == ({code} if code else set())
        assert [fetch["url"] for fetch in report.document["fetches"]] == [f"https://{SITE}{PATH}"]
    assert (matched.code == YES) is (code in (None, "assetlinks-http-content-type"))


def test_the_checker_accepts_the_file_of_the_server(start: Start, tmp_path: Path) -> None:
    app = f"{APP}={PRINTS[0]}"
    server = start("--android", app)
    target = f"localhost:{server.port}"
    done = association(tmp_path, "check", target, "--android", app, "--trust", server.authority, "--assume-public")
    assert done.code == YES
    assert done.text.startswith(f"Android devices will associate {target} with {APP}.")


def checked(server: Server, **fields: str) -> Page:
    with Visitor(server) as visitor:
        answer = visitor.post("/check", fields)
    assert answer.status == 200, answer.text
    return Page.of(answer.content)


def test_the_check_page_takes_the_file(server: Server) -> None:
    page = checked(server, file=content().decode(), app=f"{APP}={PRINTS[0]}", url=BUY)
    assert "associated" in [one.text for one in page.all("dt")]
    assert "Google's documentation" in page.text and "iOS 9" not in page.text.split("Association file")[0]
    assert f"{APP} may open {BUY}, if its intent filters match" in page.text
    assert {PASSWORDS, LINKS} <= {one.text.partition(":")[0] for one in page.all("dt")}
    denied = checked(server, file=content().decode(), app=OTHER, url=BUY)
    assert "assetlinks-app-not-listed" in [one.text for one in denied.all("code")]
    assert "does not grant handle_all_urls" in denied.text
    apple = checked(server, file=content().decode(), app=APPS[0])
    assert "file-assetlinks" in [one.text for one in apple.all("code")]
    with Visitor(server) as visitor:
        explained = visitor.page("/check/codes")
    assert "Digital Asset Links" in explained.by_id("assetlinks-empty").text


def test_a_url_belongs_to_the_app_with_the_relation(tmp_path: Path, file: Path) -> None:
    file.write_bytes(content(statement(OTHER, PRINTS[0], PASSWORDS), statement()))
    for options in ((), ("--android", APP), ("--android", f"{APP}={PRINTS[0]}"), ("--domain", SITE)):
        done = association(tmp_path, "match", file.name, "--url", BUY, *options)
        assert done.code == YES
        assert done.text.startswith(f"matched: {APP} may open {BUY}, if its intent filters match (line ")
    for options in (("--android", OTHER), ("--android", f"{APP}={PRINTS[1]}"), ("--domain", f"www.{SITE}")):
        done = association(tmp_path, "match", file.name, "--url", BUY, *options)
        assert (done.code, done.text.split(":")[0]) == (NO, "unmatched")

"""The hosts with a fault in their passkeys: the results of a page, of an app on the device, and of `check`."""

import json
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions
from selenium.webdriver.support.wait import WebDriverWait

from support.browser import chromium
from support.checking import association
from support.device import APP, Device
from support.faulty import FaultyServer
from support.server import ROOT
from support.waiting import LIMIT
from support.wire import ADDRESS

FEWEST = 15
# A client may support more labels, or use a longer time.
LENIENT = {"passkey-related-six-labels", "passkey-timeout"}


def listed(faulty: FaultyServer) -> list[dict[str, Any]]:
    return faulty.list["passkeys"]


def test_the_document_describes_exactly_the_passkey_hosts(faulty: FaultyServer) -> None:
    rows = [line.strip("|").split("|") for line in (ROOT / "docs/faults.md").read_text().splitlines()]
    cells = [[cell.strip() for cell in row] for row in rows if row[0].strip().startswith("passkey-")]
    known = [
        [one["name"], one["expected"]["page"], one["expected"]["app"], one["expected"]["server"] or "–"]
        for one in listed(faulty)
    ]
    assert [[name, page, app, server] for name, _, page, app, server, _ in cells] == known
    assert len(known) >= FEWEST


def result_of_page(driver: Chrome, host: str) -> str:
    driver.get(f"https://{host}/")
    driver.find_element(By.TAG_NAME, "button").click()
    output = driver.find_element(By.ID, "result")
    WebDriverWait(driver, LIMIT).until(lambda _: output.text not in ("", "Creating a passkey"))
    # Chromium's virtual authenticator stores only three passkeys.
    driver.remove_all_credentials()
    return output.text.partition(":")[0]


def test_a_page_gets_the_expected_error(faulty: FaultyServer, tmp_path: Path) -> None:
    suffix = faulty.list["suffix"]
    with chromium(tmp_path / "home", faulty.server.authority, (f"*{suffix}",), faulty.server.port) as driver:
        options = VirtualAuthenticatorOptions()
        options.protocol, options.transport = "ctap2", "internal"
        options.has_resident_key = options.has_user_verification = options.is_user_verified = True
        driver.add_virtual_authenticator(options)
        found = {one["name"]: result_of_page(driver, faulty.host(one["name"])) for one in listed(faulty)}
    expected = {one["name"]: one["expected"]["page"] for one in listed(faulty)}
    wrong = {name: result for name, result in found.items() if result != expected[name]}
    assert {name: result for name, result in wrong.items() if name not in LENIENT or result != "ok"} == {}


@pytest.fixture
def device(faulty: FaultyServer, tmp_path: Path) -> Device:
    port = str(faulty.server.port)
    return Device(tmp_path, ("--trust", str(faulty.server.authority), "--connect-to", f"::{ADDRESS}:{port}"))


def test_an_app_gets_the_expected_error(faulty: FaultyServer, device: Device) -> None:
    entries = [word for one in listed(faulty) for word in ("--entitlement", f"webcredentials:{one['rp_id']}")]
    device("install", "--app", APP, *(word for word in entries if not word.endswith(("example.com", ":8443"))))
    words = ("passkey", "create", "--app", APP, "--options", "-", "--yes")
    found: dict[str, str] = {}
    for one in listed(faulty):
        content = faulty.fetch(one["name"], one["options"]).content.decode()
        done = device.run(*words, "--json", given=content)
        answer = json.loads(done.text)
        if one["name"] == "passkey-excluded":
            path = f"{one['options']}?exclude={answer['credential']['id']}"
            answer = json.loads(
                device.run(*words, "--json", given=faulty.fetch(one["name"], path).content.decode()).text
            )
        found[one["name"]] = "ok" if "credential" in answer else str(answer["error"]["code"])
    assert found == {one["name"]: one["expected"]["app"] for one in listed(faulty)}


def test_the_checker_reports_the_expected_issues(faulty: FaultyServer, tmp_path: Path) -> None:
    port = str(faulty.server.port)
    reaching = ("--connect-to", f"::{ADDRESS}:{port}", "--trust", faulty.server.authority, "--assume-public")
    for one in listed(faulty):
        host = one["rp_id"] if one["rp_id"].endswith(faulty.list["suffix"]) else faulty.host(one["name"])
        app = ("--app", APP, "--entitlement", f"webcredentials:{host}")
        done = association(tmp_path, "check", host, "--passkeys", "--profile", "device", "--json", *app, *reaching)
        issues = [issue for issue in json.loads(done.out)["issues"] if issue["severities"]["device"] != "note"]
        # The names of the test hosts are private.
        codes = {issue["code"] for issue in issues} - {"entitlement-private-host"}
        assert sorted(codes) == sorted(one["issues"]), one["name"]

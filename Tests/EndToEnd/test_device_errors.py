"""The errors of the credential functions on a simulated device: their numbers, names and order."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import NO, NOT_PERMITTED, USAGE
from support.device import APP, OTHER_SITE, Device, Issuer, Play, failing, file
from support.keys import OTHER_APP
from support.people import OTHER, PASSWORD

NAMES = {
    -50: "errSecParam",
    -909: "errSecBadReq",
    -34018: "errSecMissingEntitlement",
    -25293: "errSecAuthFailed",
    -25299: "errSecDuplicateItem",
    -25300: "errSecItemNotFound",
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Device]:
    """An app and two sites, only one of them with approval. Both have a password, and are in the never-save list."""
    home = tmp_path_factory.mktemp("errors")
    issuer = Issuer.new(home)
    with issuer.site(Play(file())) as site, issuer.site(Play(failing(404))) as other:
        device = issuer.device(home, site, other)
        device.install(SITE, OTHER_SITE)
        for host in (SITE, OTHER_SITE):
            device.save(host, "ray", PASSWORD, "--yes")
        device("answer", "save=never")
        for host in (SITE, OTHER_SITE):
            device.save(host, "second", PASSWORD, code=NO)
        assert device.state["never_saved"] == [SITE, OTHER_SITE]
        yield device


@pytest.fixture
def device(prepared: Device, tmp_path: Path) -> Device:
    shutil.copy(prepared.file, tmp_path)
    return Device(tmp_path, prepared.sites)


@dataclass(frozen=True)
class Case:
    """A failing call and its error. The device must not check any later condition."""

    name: str
    number: int
    domain: str | None
    account: str | None = "ray"
    app: str = APP
    autofill: str = "on"
    code: int = NO


NOWHERE = "nowhere.example.test"
ADDING = [
    Case("no domain, and no account", -50, "", "", code=USAGE),
    Case("no domain, and AutoFill is off", -50, "", autofill="off", code=USAGE),
    Case("no account, and AutoFill is off", -50, SITE, "", autofill="off", code=USAGE),
    Case("no account, and not in the entitlement", -50, NOWHERE, "", code=USAGE),
    Case("AutoFill is off, and not in the entitlement", -909, NOWHERE, autofill="off", code=NOT_PERMITTED),
    Case("AutoFill is off, and all else is right", -909, SITE, autofill="off", code=NOT_PERMITTED),
    Case("not in the entitlement", -34018, NOWHERE),
    Case("a subdomain of one that is", -34018, f"www.{SITE}"),
    Case("the parent of one that is", -34018, SITE.partition(".")[2]),
    Case("another port, of a site that did not approve", -34018, f"{OTHER_SITE}:8443"),
    Case("an app that is not installed, never again", -34018, SITE, app=OTHER_APP),
    Case("the site did not approve, never again, and it is saved already", -25293, OTHER_SITE),
    Case("the host in capitals, which the site did not approve", -25293, OTHER_SITE.upper()),
    Case("never again, though the same is saved already", -25299, SITE),
    Case("never again, and it would be new", -25299, SITE, "third"),
]
ASKING = [
    Case("no domain, and AutoFill is off", -50, "", autofill="off", code=USAGE),
    Case("no account, and not in the entitlement", -50, NOWHERE, "", code=USAGE),
    Case("nothing in the entitlement, and AutoFill is off", -50, None, None, OTHER_APP, "off", USAGE),
    Case("AutoFill is off, and not in the entitlement", -909, NOWHERE, autofill="off", code=NOT_PERMITTED),
    Case("not in the entitlement, and nothing saved", -34018, NOWHERE),
    Case("an app that is not installed", -34018, SITE, app=OTHER_APP),
    Case("a subdomain of one that is", -34018, f"www.{SITE}", None),
    Case("the site did not approve, and nothing saved", -25293, OTHER_SITE, "third"),
    Case("the site did not approve, though it is saved", -25293, OTHER_SITE),
    Case("nothing saved for the account", -25300, SITE, "third"),
]


def held_to(device: Device, case: Case, *words: str) -> None:
    device("autofill", case.autofill)
    before = device.passwords()
    words = (*words, "--app", case.app, "--yes")
    words += ("--domain", case.domain) if case.domain is not None else ()
    words += ("--account", case.account) if case.account is not None else ()
    text = device.run(*words, given=OTHER)
    told = device.run(*words, "--json", given=OTHER)
    assert (text.code, told.code) == (case.code, case.code)
    assert text.text.count("\n") == 1
    assert f"({NAMES[case.number]} {case.number}). " in text.text
    assert OTHER not in text.text + text.err + told.text + told.err
    error = json.loads(told.text)["error"]
    assert set(error) == {"code", "name", "message", "fix"}
    assert (error["code"], error["name"]) == (case.number, NAMES[case.number])
    assert error["message"] in text.text and error["fix"] in text.text
    assert device.passwords() == before


@pytest.mark.parametrize("case", ADDING, ids=lambda case: case.name)
def test_saving_fails_at_the_first_check_in_apples_order(device: Device, case: Case) -> None:
    held_to(device, case, "save", "--password-stdin")


@pytest.mark.parametrize("case", ASKING, ids=lambda case: case.name)
def test_asking_fails_at_the_first_check_in_apples_order(device: Device, case: Case) -> None:
    held_to(device, case, "request")


def test_every_number_is_met_somewhere() -> None:
    assert {case.number for case in ADDING + ASKING} == set(NAMES)


def test_the_same_is_a_success_where_nothing_is_in_the_way(device: Device) -> None:
    state = device.state
    state["never_saved"] = []
    device.file.write_text(json.dumps(state))
    call = ("save", "--app", APP, "--domain", SITE, "--account", "ray")
    answer = device.json(*call, "--password-stdin", "--no", given=PASSWORD)
    assert answer == {"error": None, "prompts": []}
    assert device.json("associations")["associations"][0]["user_approval"] == "unspecified", "a prompt appeared"
    assert device.json("request", "--app", APP, "--domain", SITE, "--yes")["credentials"][0]["acct"] == "ray"
    assert device(*call, "--delete", "--yes") == (
        "iOS accepted the request. It does not report whether the password was deleted.\n"
    )
    assert [(one["acct"], one["srvr"]) for one in device.json("passwords")["credentials"]] == [("ray", OTHER_SITE)]
    assert "-25300" in device("request", "--app", APP, "--domain", SITE, "--yes", code=NO)

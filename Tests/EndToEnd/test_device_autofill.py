"""AutoFill on a simulated device: its suggestions for pages, and the values that it enters into fields."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.authorities import SITE
from support.checking import NO, NO_INPUT, refused
from support.device import APP, OTHER_SITE, Device, Issuer, device_of, host
from support.people import PASSWORD
from support.server import Server
from support.sites import Stream, response

SIGN_IN = b'<form><input name=user autocomplete=username><input name=pw autocomplete="current-password"></form>'
UPDATE = b"""<form><input name=user readonly autocomplete=username><input name=old autocomplete=current-password>
<input name=new autocomplete=new-password passwordrules="minlength: 24; required: digit; allowed: lower">
<input name=again autocomplete=new-password></form>"""
PAGES = {
    "/signin": response(SIGN_IN, kind="text/html"),
    "/both": response(SIGN_IN + UPDATE, kind="text/html"),
    "/moved": response(b"", 302, fields=["Location: /signin"]),
}
ASSOCIATION = response(f'{{"webcredentials":{{"apps":["{APP}"]}}}}'.encode())


def answer(stream: Stream, path: str) -> None:
    missing = response(b"", 404)
    stream.sendall(ASSOCIATION if path.startswith("/.well-known/") else PAGES.get(path, missing))


@pytest.fixture
def device(issuer: Issuer, tmp_path: Path) -> Iterator[Device]:
    """A device with a saved password for each of two sites."""
    with issuer.site(answer) as site:
        device = issuer.device(tmp_path, site)
        device.save(SITE, "ray", PASSWORD, "--yes")
        device.save(OTHER_SITE, "vicki", PASSWORD, "--yes")
        yield device


def item(account: str, server: str, app: str | None = None) -> dict[str, Any]:
    return {"kind": "password", "item": {"account": account, "server": server}, "app": app}


def test_a_page_is_offered_the_items_of_its_host_and_of_associated_sites(device: Device) -> None:
    told = device.json("autofill-offers", f"https://{SITE}/signin")
    assert told["offers"] == [item("ray", SITE)]
    assert (told["url"], told["form"], told["prompts"]) == (f"https://{SITE}/signin", "signin", [])
    assert [(field["name"], field["autocomplete"]) for field in told["fields"]] == [
        ("user", "username"),
        ("pw", "current-password"),
    ]
    device.install(SITE, OTHER_SITE)
    told = device.json("autofill-offers", f"https://{SITE}/signin")
    assert told["offers"] == [item("ray", SITE), item("vicki", OTHER_SITE, APP)]
    text = device("autofill-offers", f"https://{SITE}/signin")
    assert text == f'"ray" at {SITE}\n"vicki" at {OTHER_SITE} (associated by {APP})\n'


def test_the_device_selects_the_form_by_its_purpose(device: Device) -> None:
    page = f"https://{SITE}/both"
    assert device.json("autofill-offers", page)["form"] == "signin"
    told = device.json("autofill-offers", page, "--form", "update")
    rules = "minlength: 24; required: digit; allowed: lower"
    assert told["offers"] == [item("ray", SITE), {"kind": "new-password", "rules": rules}]
    done = device.run("autofill-offers", page, "--form", "signup")
    refused(done, NO, "no form for signup", "autocomplete")


def test_a_file_replaces_the_page(device: Device) -> None:
    (device.home / "app.html").write_bytes(b'<input id=new autocomplete="new-password">')
    told = device.json("autofill-offers", f"https://{SITE}/none", "--form", "app.html")
    assert (told["form"], told["offers"]) == ("signup", [{"kind": "new-password", "rules": None}])
    refused(device.run("autofill-offers", f"https://{SITE}/", "--form", "none.html"), NO_INPUT, "none.html")


def test_the_chosen_item_goes_into_the_fields(device: Device) -> None:
    device.install(SITE, OTHER_SITE)
    told = device.json("fill", f"https://{SITE}/moved", "--choose", "vicki")
    assert [(field["name"], field["value"], field["generated"]) for field in told["fields"]] == [
        ("user", "vicki", False),
        ("pw", PASSWORD, False),
    ]
    assert told["url"] == f"https://{SITE}/signin"
    (picker,) = told["prompts"]
    assert picker["answer"] == {"account": "vicki", "server": OTHER_SITE}
    text = device("fill", f"https://{SITE}/signin", "--choose", "ray")
    assert text == "user (username): ray\npw (current-password): the saved password\n"
    told = device.json("fill", f"https://{SITE}/signin", "--choose", "nobody", code=NO)
    assert (told["fields"], len(told["prompts"])) == ([], 1)


@pytest.mark.parametrize("words", [("autofill-offers",), ("fill", "--yes")])
def test_a_page_that_leads_to_another_one_is_reported(device: Device, words: tuple[str, ...]) -> None:
    lines = device(words[0], f"https://{SITE}/moved", *words[1:]).splitlines()
    start = f"https://{SITE}/moved redirects to https://{SITE}/signin. "
    assert f"{start}If the page needs a session, pass its HTML with --form." in lines
    assert "redirects to" not in device(words[0], f"https://{SITE}/signin", *words[1:])


def test_malformed_rules_are_ignored_and_reported(device: Device) -> None:
    (device.home / "app.html").write_bytes(b"<input name=n autocomplete=new-password passwordrules='minlength: x'>")
    words = (f"https://{SITE}/", "--form", "app.html")
    told = device.json("fill", *words)
    assert re.fullmatch(r"\w{3}-\w{3}-\w{3}-\w{3}", told["fields"][0]["value"]) and "minlength" in told["rules_error"]
    assert "ignores the passwordrules" in device("autofill-offers", *words)


def test_the_pages_of_the_demo_have_offers(server: Server, tmp_path: Path) -> None:
    device = device_of(server, tmp_path)
    device.save(host(server), "ray", PASSWORD, "--yes")
    told = device.json("autofill-offers", f"https://{host(server)}/signin")
    assert [offer["kind"] for offer in told["offers"]] == ["password"]
    told = device.json("fill", f"https://{host(server)}/signup")
    first, second = told["fields"]
    assert first["value"] == second["value"] and first["autocomplete"] == "new-password"

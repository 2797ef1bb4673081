"""The page /docs: a shell runs each command of the page, and each response has the members that the page shows."""

import json
import subprocess
from dataclasses import dataclass

import pytest

from support.page import Page
from support.people import App, Visitor, strings
from support.server import Server, environment
from support.waiting import LIMIT

KNOWN = "four small red foxes"


@dataclass(frozen=True)
class Call:
    name: str
    command: str
    request: str | None
    status: int
    response: dict[str, object]
    failures: list[str]


# The statuses of the calls that need a passkey. curl has none.
WITHOUT_PASSKEY = {
    "passkey-add": 400,
    "passkey-rename": 404,
    "passkey-remove": 404,
    "passkey-signin": 400,
    "passkey-confirm": 400,
}


@pytest.fixture(scope="module")
def page(site: Server) -> Page:
    with Visitor(site) as visitor:
        return visitor.page("/docs")


def calls(page: Page) -> list[Call]:
    found = []
    for section in page.all("section"):
        if section.get("class") != "call":
            continue
        *requests, response = [one._raw() for one in section.all("pre")]
        (heading,) = [one.text for one in section.all("h4")]
        failures = [one.get("href") or "" for one in section.all("a")]
        found.append(
            Call(
                section.get("id") or "",
                requests[0],
                requests[1] if len(requests) > 1 else None,
                int(heading.removeprefix("Response ")),
                json.loads(response),
                failures,
            )
        )
    return found


def test_every_command_works_when_it_is_pasted(site: Server, page: Page) -> None:
    listed = calls(page)
    assert len(listed) == 21
    for call in listed:
        with App(site) as app:
            # The account in the examples, unless the call creates it.
            name = "antoine"
            if "signup" not in call.name:
                app.sign_up(name, KNOWN)
            signed_in = app.sign_in(name, KNOWN)
            token = strings(signed_in).get("token", "")
            variables = {**environment(site.home), "CURL_CA_BUNDLE": str(site.authority), "TOKEN": token}
            script = f"{call.command} --silent --write-out '\n%{{http_code}}' --noproxy '*'"
            done = subprocess.run(["sh", "-c", script], env=variables, capture_output=True, text=True, timeout=LIMIT)
            content, _, status = done.stdout.rpartition("\n")
            assert int(status) == WITHOUT_PASSKEY.get(call.name, call.status), (call.name, done.stdout, done.stderr)
            found = json.loads(content)
            if call.name not in WITHOUT_PASSKEY:
                assert call.response.keys() <= found.keys(), call.name
                for key, value in call.response.items():
                    assert isinstance(found[key], type(value)), (call.name, key)
            if call.name == "check":
                assert {key: found[key] for key in call.response} == call.response
            if call.request is not None:
                assert call.request.replace("\n", "\n  ") in call.command, call.name
            for password in (KNOWN, "seven slow grey geese"):
                answer = app.sign_in(name, password)
                if answer.status == 200:
                    app.call("/api/account", {"password": password}, method="DELETE", token=strings(answer)["token"])


def test_every_link_leads_to_a_call_or_an_error(page: Page) -> None:
    (side,) = [one for one in page.all("nav") if one.get("class") == "side"]
    listed = calls(page)
    assert [one.get("href") for one in side.all("a")] == [*(f"#{call.name}" for call in listed), "#errors"]
    (table,) = page.all("table")
    rows = {f"#{one.get('id')}" for one in table.all("tr") if one.get("id")}
    for call in listed:
        assert set(call.failures[:-1]) <= rows and call.failures[-1] == "#errors", call.name
    assert {failure for call in listed for failure in call.failures[:-1]} == {f"#status-{n}" for n in (401, 404, 409)}

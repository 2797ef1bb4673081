"""The requests of each system after 301, 404 and 503, and the resulting association record.

The site is a TLS server whose access log each test compares with the table of docs/shared-credentials.md.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import NO
from support.device import APP, Device, failing, file, signed_file
from support.sites import response
from support.systems import (
    CURRENT,
    CURRENT_DAEMON,
    DEVELOPER,
    FIVE_DAYS,
    IOS8,
    IOS9,
    NOT_APPROVED,
    ROOT,
    SYSTEMS,
    THREE_HOURS,
    WELL_KNOWN,
    Authority,
    LoggedSite,
    State,
    System,
    assert_requests,
    call,
    state,
)

MOVED = "/moved"
REDIRECT, REFUSED, SERVER_ERROR = "http-redirect", "http-status-refused", "http-status-server-error"
# The requests that a check sends if no path has a file.
WITHOUT_FILE = {IOS8: [ROOT], IOS9: [WELL_KNOWN, ROOT], CURRENT: [WELL_KNOWN]}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.new(tmp_path_factory.mktemp("statuses"))


@pytest.fixture(scope="module")
def good(authority: Authority) -> dict[str, bytes]:
    """The responses of a site that every system accepts: a signed file at both paths."""
    return both(signed_file(authority.signed()))


Start = Callable[[System, dict[str, bytes]], tuple[Device, LoggedSite]]


@pytest.fixture
def start(authority: Authority, tmp_path: Path) -> Iterator[Start]:
    """Returns a new device, and the site that it connects to."""
    with ExitStack() as stack:

        def begin(system: System, responses: dict[str, bytes]) -> tuple[Device, LoggedSite]:
            site = stack.enter_context(LoggedSite(dict(responses)).listening(authority))
            return authority.device(tmp_path, site.port, system), site

        yield begin


def both(message: bytes) -> dict[str, bytes]:
    return {WELL_KNOWN: message, ROOT: message}


@dataclass(frozen=True)
class Result:
    """The expected results of a check."""

    approval: str
    error: str | None
    requests: list[str]


@dataclass(frozen=True)
class Case:
    """The responses of a site. None stands for the valid file of the path."""

    name: str
    well_known: bytes | None
    root: bytes | None
    ios8: Result
    ios9: Result
    current: Result

    def result(self, system: System) -> Result:
        return {IOS8: self.ios8, IOS9: self.ios9, CURRENT: self.current}[system]


def result(approval: str, *requests: str, error: str | None = None) -> Result:
    return Result(approval, error, list(requests))


MOVED_AWAY = response(b"", 301, "text/html", [f"Location: https://{SITE}{MOVED}"])
CASES = [
    Case(
        "301 at both paths",
        MOVED_AWAY,
        MOVED_AWAY,
        result("denied", ROOT, error=REDIRECT),
        result("denied", WELL_KNOWN, ROOT, error=REDIRECT),
        result("denied", WELL_KNOWN, error=REDIRECT),
    ),
    Case(
        "404 at .well-known only",
        failing(404),
        None,
        result("approved", ROOT),
        result("approved", WELL_KNOWN, ROOT),
        result("denied", WELL_KNOWN, error=REFUSED),
    ),
    Case(
        "503 at the root, a file at .well-known",
        None,
        failing(503),
        result("unspecified", ROOT, error=SERVER_ERROR),
        result("approved", WELL_KNOWN),
        result("approved", WELL_KNOWN),
    ),
    Case(
        "503 at .well-known, 404 at the root",
        failing(503),
        failing(404),
        result("denied", ROOT, error=REFUSED),
        result("unspecified", WELL_KNOWN, ROOT, error=SERVER_ERROR),
        result("unspecified", WELL_KNOWN, error=SERVER_ERROR),
    ),
    Case(
        "404 at .well-known, 503 at the root",
        failing(404),
        failing(503),
        result("unspecified", ROOT, error=SERVER_ERROR),
        result("unspecified", WELL_KNOWN, ROOT, error=SERVER_ERROR),
        result("denied", WELL_KNOWN, error=REFUSED),
    ),
    Case(
        "an invalid file at both paths",
        file(b"{}x"),
        file(b"{}x"),
        result("denied", ROOT, error="json-extra-content"),
        result("denied", WELL_KNOWN, error="json-extra-content"),
        result("denied", WELL_KNOWN, error="json-extra-content"),
    ),
]


@SYSTEMS
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_device_sends_the_requests_of_its_system_and_no_others(
    start: Start, good: dict[str, bytes], system: System, case: Case
) -> None:
    device, site = start(
        system, {WELL_KNOWN: case.well_known or good[WELL_KNOWN], ROOT: case.root or good[ROOT], MOVED: good[ROOT]}
    )
    expected = case.result(system)
    device.install(SITE)
    wait = system.wait(expected.approval)
    assert state(device) == State(expected.approval, wait, expected.error)
    assert_requests(site.log, system.agent, *expected.requests)
    # Tests whether the next check is due now, later or never.
    device("advance", "3h")
    checks = 2 if wait == THREE_HOURS else 1
    assert device.record()["site_approval"] == expected.approval
    assert_requests(site.log, system.agent, *expected.requests * checks)


@SYSTEMS
@pytest.mark.parametrize(
    ("status", "approval", "error"),
    [
        (300, "denied", REFUSED),
        (499, "denied", REFUSED),
        (500, "unspecified", SERVER_ERROR),
        (599, "unspecified", SERVER_ERROR),
    ],
)
def test_each_status_has_its_effect_at_the_limits(
    start: Start, system: System, status: int, approval: str, error: str
) -> None:
    device, site = start(system, both(failing(status)))
    device.install(SITE)
    assert state(device) == State(approval, system.wait(approval), error)
    assert_requests(site.log, system.agent, *WITHOUT_FILE[system])


@pytest.mark.parametrize(
    ("status", "approval", "error"), [(404, "denied", REFUSED), (503, "unspecified", SERVER_ERROR)], ids=["404", "503"]
)
def test_in_developer_mode_a_device_never_requests_the_root_path(
    start: Start, good: dict[str, bytes], status: int, approval: str, error: str
) -> None:
    device, site = start(CURRENT, good | {WELL_KNOWN: failing(status)})
    device("developer-mode", "on")
    device.install(DEVELOPER)
    assert state(device) == State(approval, THREE_HOURS, error)
    assert_requests(site.log, CURRENT_DAEMON, WELL_KNOWN)
    site.responses = good
    device("advance", "3h")
    assert state(device) == State("approved", FIVE_DAYS, None)
    site.responses = good | {WELL_KNOWN: failing(status)}
    device("advance", "5d")
    remaining = "approved" if status == 503 else "denied"
    assert state(device) == State(remaining, THREE_HOURS, error)
    assert_requests(site.log, CURRENT_DAEMON, *[WELL_KNOWN] * 3)


def test_in_developer_mode_a_device_follows_a_redirect(start: Start, good: dict[str, bytes]) -> None:
    device, site = start(CURRENT, {WELL_KNOWN: MOVED_AWAY, ROOT: MOVED_AWAY, MOVED: good[WELL_KNOWN]})
    device("developer-mode", "on")
    device.install(DEVELOPER)
    assert state(device) == State("approved", FIVE_DAYS, None)
    assert_requests(site.log, CURRENT_DAEMON, WELL_KNOWN, MOVED)


@SYSTEMS
@pytest.mark.parametrize("change", ["content", "signature"])
def test_an_invalid_signature_denies_the_app(start: Start, authority: Authority, system: System, change: str) -> None:
    content = authority.signed()
    # The CMS message contains the JSON as plain text, and ends with the signature.
    at = content.index(APP.encode()) if change == "content" else len(content) - 10
    changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    device, site = start(system, both(signed_file(changed)))
    device.install(SITE)
    assert state(device) == State("denied", system.wait("denied"), "signature-bad")
    assert len(site.log) == 1


@pytest.mark.parametrize("system", [IOS8, IOS9], ids=["ios8", "ios9"])
def test_up_to_ios_13_each_call_requests_the_file(start: Start, good: dict[str, bytes], system: System) -> None:
    device, site = start(system, both(failing(503)))
    device.install(SITE)
    record = device.record()
    save = ("save", "--app", APP, "--domain", SITE, "--account", "ray", "--password-stdin")
    call(device)
    assert NOT_APPROVED in device(*save, given="four small red foxes", code=NO)
    assert_requests(site.log, system.agent, *WITHOUT_FILE[system] * 3)
    after = device.record()
    assert (after["retries"], after["next_check"]) == (record["retries"], record["next_check"])
    site.responses = good
    device(*save, given="four small red foxes")
    assert (state(device), device.record()["retries"]) == (State("approved", None, None), 0)
    assert device.json("advance", "30d")["checks"] == []
    found = ROOT if system is IOS8 else WELL_KNOWN
    assert_requests(site.log, system.agent, *WITHOUT_FILE[system] * 3, found)

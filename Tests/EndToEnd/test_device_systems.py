"""The requests of each system in the real server's access log, and the results that each system keeps.

The files change between two commands, and the server reloads them. test_device_statuses.py tests responses that the
server never sends for an association file.
"""

import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.authorities import SITE
from support.device import APP
from support.fixtures import Start
from support.keys import OTHER_APP
from support.keys import association as plain
from support.server import Server
from support.systems import (
    CURRENT,
    CURRENT_DAEMON,
    DEVELOPER,
    FIVE_DAYS,
    IOS8,
    IOS9,
    ROOT,
    SYSTEMS,
    THREE_HOURS,
    WELL_KNOWN,
    Authority,
    State,
    System,
    access_log,
    assert_requests,
    call,
    state,
)

JSON_LOG = ("--log-format", "json")
NOT_LISTED, MODE_OFF = "app-not-listed", "device-mode-off"
FOUND = {IOS8: ROOT, IOS9: WELL_KNOWN, CURRENT: WELL_KNOWN}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.new(tmp_path_factory.mktemp("systems"))


@dataclass
class Folder:
    """A server with a site in a folder: an unsigned file at `.well-known`, and a signed file at the root."""

    authority: Authority
    path: Path
    server: Server

    @classmethod
    def serving(cls, start: Start, authority: Authority, path: Path, *apps: str) -> "Folder":
        (path / ".well-known").mkdir(parents=True)
        cls._write(authority, path, *apps)
        server = start("--site", f"{SITE}={path}", *JSON_LOG, certificates=authority.certificates)
        return cls(authority, path, server)

    @staticmethod
    def _write(authority: Authority, path: Path, *apps: str) -> None:
        (path / WELL_KNOWN[1:]).write_bytes(plain(*apps))
        (path / ROOT[1:]).write_bytes(authority.signed(plain(*apps)))

    def list(self, *apps: str) -> None:
        """Lists other apps in both files, and waits until the server has reloaded them."""
        self._write(self.authority, self.path, *apps)
        since = len(self.server.err.lines)
        self.server.signal(signal.SIGHUP)
        self.server.err.wait_for(lambda line: "reloaded" in line, since=since)


@pytest.mark.parametrize("form", ["plain", "signed", "legacy"])
def test_each_system_reads_the_file_at_its_own_path(
    start: Start, authority: Authority, tmp_path: Path, form: str
) -> None:
    options = ("--domain", SITE, "--association-format", form, *JSON_LOG)
    server = start(*options, certificates=authority.certificates)
    for system in FOUND:
        (tmp_path / system.name).mkdir()
        device = authority.device(tmp_path / system.name, server.port, system)
        device.install(SITE)
        if system is IOS8 and form == "plain":
            assert state(device) == State("denied", None, "signature-missing")
            call(device)
        else:
            assert state(device) == State("approved", system.wait("approved"), None)
        device("advance", "3h")
    for entry, system in zip(access_log(server), FOUND, strict=True):
        assert_requests([entry], system.agent, FOUND[system])


@SYSTEMS
def test_each_new_installation_fetches_the_file_again(
    start: Start, authority: Authority, tmp_path: Path, system: System
) -> None:
    site = Folder.serving(start, authority, tmp_path / "site", OTHER_APP)
    device = authority.device(tmp_path, site.server.port, system)
    approved = State("approved", system.wait("approved"), None)
    denied = State("denied", system.wait("denied"), NOT_LISTED)
    device.install(SITE)
    assert state(device) == denied
    site.list(APP)
    assert "Reinstalled" in device.install(SITE)
    assert state(device) == approved
    site.list(OTHER_APP)
    assert "Reinstalled" in device.install(SITE)
    assert state(device) == denied, "the earlier approval does not survive"
    site.list(APP)
    device("uninstall", "--app", APP)
    assert device.json("associations")["associations"] == []
    assert device.json("advance", "5d")["checks"] == []
    assert "Reinstalled" not in device.install(SITE)
    assert state(device) == approved
    assert_requests(access_log(site.server), system.agent, *[FOUND[system]] * 4)


def test_in_developer_mode_a_current_device_fetches_the_file_from_the_host(
    start: Start, authority: Authority, tmp_path: Path
) -> None:
    site = Folder.serving(start, authority, tmp_path / "site", APP)
    device = authority.device(tmp_path, site.server.port, CURRENT)
    device("developer-mode", "on")
    device.install(DEVELOPER)
    assert state(device) == State("approved", FIVE_DAYS, None)
    site.list(OTHER_APP)
    device("advance", "5d")
    assert state(device) == State("denied", THREE_HOURS, NOT_LISTED)
    site.list(APP)
    assert "Reinstalled" in device.install(DEVELOPER)
    assert state(device) == State("approved", FIVE_DAYS, None)
    assert_requests(access_log(site.server), CURRENT_DAEMON, *[WELL_KNOWN] * 3)


def test_without_developer_mode_an_entry_for_it_sends_no_request(
    start: Start, authority: Authority, tmp_path: Path
) -> None:
    site = Folder.serving(start, authority, tmp_path / "site", APP)
    device = authority.device(tmp_path, site.server.port, CURRENT)
    device.install(DEVELOPER)
    assert state(device) == State("denied", THREE_HOURS, MODE_OFF)
    assert len(device.json("advance", "5d")["checks"]) > 1
    call(device)
    # Each switch triggers an immediate check of the entry, so the app need not be reinstalled.
    device("developer-mode", "on")
    assert state(device) == State("approved", FIVE_DAYS, None)
    device("developer-mode", "off")
    assert state(device) == State("denied", THREE_HOURS, MODE_OFF)
    call(device)
    assert_requests(access_log(site.server), CURRENT_DAEMON, WELL_KNOWN)

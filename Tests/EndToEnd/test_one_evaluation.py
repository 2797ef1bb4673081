"""The same file and the same site through every command: one verdict, one code.

OneEvaluationTests.swift sends all files of the test tables through the functions behind the commands.
"""

import json
import re
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest

from support.checking import BAD_INPUT, NO, YES, association, command, refused, steered
from support.device import APP, Device
from support.faulty import FaultyServer
from support.fixtures import Start
from support.inspector import last
from support.keys import OTHER_APP, identity
from support.keys import association as plain
from support.server import Server, run
from support.wire import ADDRESS, NAME

WELL_KNOWN = "/.well-known/apple-app-site-association"
SITE = "site.test"
CONFIGURATION = 78
LISTENERS = ("--port", "0", "--plain-port", "0", "--admin", f"{ADDRESS}:0")
GOOD = plain(APP)
DENIED = b'{"webCredentials":{"apps":["%s"]}}' % APP.encode()
# The code that decides the verdict of a device.
CODE = "service-misspelt"


def codes(report: dict[str, Any]) -> set[str]:
    return {issue["code"] for issue in report["issues"] if issue["severity"] == "error"}


def test_every_command_gives_the_verdict_of_check(start: Start, tmp_path: Path) -> None:
    file, good = tmp_path / "site.json", tmp_path / "good.json"
    file.write_bytes(DENIED)
    good.write_bytes(GOOD)

    checked = association(tmp_path, "check", file, "--json")
    report = json.loads(checked.out)
    assert (checked.code, report["verdicts"]["device"], CODE in codes(report)) == (NO, "denied", True)
    compared = json.loads(association(tmp_path, "compare", good, file, "--json").out)
    assert any(one["kind"] == "verdict" and one["subject"] == "device" for one in compared["changes"])

    certificate, key = identity(tmp_path, NAME)
    signing = ("sign", file, "--certificate", certificate, "--key", key)
    refused(association(tmp_path, *signing), BAD_INPUT, f"[{CODE}]")
    assert association(tmp_path, *signing, "--force").code == YES

    folder = tmp_path / "folder"
    (folder / ".well-known").mkdir(parents=True)
    (folder / WELL_KNOWN[1:]).write_bytes(DENIED)
    for options in (("--association", str(file)), ("--site", f"{SITE}={folder}")):
        outcome = run(tmp_path, "serve", "--strict", *LISTENERS, *options)
        assert (outcome.code, f"[{CODE}]" in outcome.err) == (CONFIGURATION, True), outcome
    strict = start("--strict", "--association", str(good))
    good.write_bytes(DENIED)
    strict.signal(signal.SIGHUP)
    assert f"[{CODE}]" in strict.err.wait_for(lambda line: "reload" in line)
    with strict.connect() as wire:
        assert wire.ask(WELL_KNOWN).content == GOOD

    server = start("--inspector", "--association", str(file))
    with server.connect() as wire:
        assert wire.ask(WELL_KNOWN).content == DENIED
        conclusion = last(server)["conclusion"]
        assert conclusion.startswith("A device denies this") and f"[{CODE}]" in conclusion
    fields = ("--data-urlencode", f"file@{file}", "--data-urlencode", "url=https://example.com/")
    page = server.curl("/check", *fields).stdout.decode()
    assert '<strong class="denied">' in page and f"#{CODE}" in page and 'class="matched"' not in page
    api = json.loads(server.curl("/api/check", "--get", *fields).stdout)
    assert api["verdicts"]["device"] == "denied" and CODE in codes(api)

    device = Device(tmp_path, ("--trust", str(server.authority), *steered(server.port, NAME)))
    device.install(NAME)
    record = device.record()
    site = association(
        *(tmp_path, "check", NAME, "--json", "--assume-public", "--trust", server.authority, "--app", APP),
        *("--entitlement", f"webcredentials:{NAME}", *steered(server.port, NAME)),
    )
    expected = json.loads(site.out)
    assert (record["site_approval"], expected["verdicts"]["device"]) == ("denied", "denied")
    assert record["error"]["code"] in codes(expected)


@pytest.mark.parametrize("mode", ["", "?mode=developer"])
@pytest.mark.parametrize("public", [False, True], ids=["private", "assumed public"])
def test_a_private_site_gets_the_same_verdict_from_check_and_the_device(
    server: Server, tmp_path: Path, mode: str, public: bool
) -> None:
    sites = ("--trust", str(server.authority), *steered(server.port, NAME))
    entry = f"webcredentials:{NAME}{mode}"
    assumed = ("--assume-public",) if public else ()
    checked = association(tmp_path, "check", NAME, "--json", "--app", APP, "--entitlement", entry, *assumed, *sites)
    report = json.loads(checked.out)
    device = Device(tmp_path, sites, assumes_public=public)
    device("developer-mode", "on")
    device.install(NAME + mode)
    approved = device.record()["site_approval"] == "approved"
    assert approved is (report["verdicts"]["device"] == "associated") is (public or mode != "")
    assert approved or device.record()["error"]["code"] == "network-private-host"
    variables = {"MOTIVATOR_ASSUME_PUBLIC": "true"}
    words = device.words("install", "--app", APP, "--entitlement", entry, "--json")
    installed = command(tmp_path, *words, variables=variables)
    assert json.loads(installed.out)["associations"][0]["site_approval"] == "approved"


@pytest.mark.parametrize("system", ["current", "ios9", "ios8"])
def test_a_device_gives_each_host_that_is_broken_on_purpose_its_verdict(
    start: Start, tmp_path: Path, system: str
) -> None:
    """`check --faults` compares the same verdicts and codes with those of `check`."""
    # A new server, because the response of one host depends on earlier requests.
    faulty = FaultyServer.of(start("--faults"))
    profile = {"current": "device"}.get(system, system)
    # One host sends its content after 3 seconds, and a stalled host uses the whole time limit.
    reaching = ("--connect-to", f"::{ADDRESS}:{faulty.server.port}")
    sites = ("--trust", str(faulty.server.authority), "--timeout", "6", *reaching)
    device = Device(tmp_path, sites)
    device("reset", "--system", system)
    # The hosts for Android have no association file.
    skipped = {"Android"} if system == "current" else {"Android", "slow"}
    hosts = {faulty.host(host["name"]): host for host in faulty.hosts if not skipped & set(host["groups"])}
    entries = [word for name in hosts for word in ("--entitlement", f"webcredentials:{name}")]
    different = []
    for record in device.json("install", "--app", APP, *entries)["associations"]:
        host = hosts[record["domain"]]
        verdict, code = host["verdicts"][profile], record["error"] and record["error"]["code"]
        approval = {"associated": "approved", "denied": "denied", "retry": "unspecified"}.get(verdict)
        # The list omits the issue of every unsigned file. A device does not know that another path has a file.
        expected = [*host["issues"], "signature-missing"]
        if any(issue.startswith("path-only") for issue in host["issues"]):
            expected.append("http-status-refused")
        if (approval and record["site_approval"] != approval) or (code and code not in expected):
            different.append((host["name"], record["site_approval"], code, verdict, host["issues"]))
    assert not different


def test_the_label_of_an_issue_and_the_count_are_for_one_profile(tmp_path: Path) -> None:
    """The path is only a warning on devices, and an error in the documentation."""
    entries = ("--entitlement", "webcredentials:example.com/a", "--entitlement", "webcredentials:a.org?mode=Developer")
    content = b'{"webcredentials":{"apps":["%s"]},"appclips":{}}' % APP.encode()
    first = association(tmp_path, "check", "-", "--app", APP, *entries, "--quiet", given=content).text
    done = association(tmp_path, "check", "-", "--app", APP, *entries, given=content)
    labels = re.findall(r"^(error|warning)\[", done.text, re.MULTILINE)
    for severity in ("error", "warning"):
        count = re.search(rf"(\d+) {severity}", first)
        assert labels.count(severity) == int(count[1] if count else 0), done.text


def test_a_wildcard_entry_covers_the_subdomains_in_every_system(start: Start, tmp_path: Path) -> None:
    links = {"details": [{"appIDs": [APP], "components": [{"/": "/buy/*"}]}]}
    file = tmp_path / "site.json"
    file.write_text(json.dumps({"webcredentials": {"apps": [APP]}, "applinks": links}))
    server = start("--association", str(file), "--association-format", "legacy")
    sites = ("--trust", str(server.authority), *steered(server.port, NAME))
    for system in ("current", "ios9", "ios8"):
        device = Device(tmp_path, sites, f"{system}.json")
        device("reset", "--system", system)
        profile = {"current": "device"}.get(system, system)
        services = ("webcredentials", "applinks")
        words = [word for service in services for word in ("--entitlement", f"{service}:*.{NAME}")]
        installed = device.json("install", "--app", APP, *words)
        assert [record["site_approval"] for record in installed["associations"]] == ["approved"] * len(services)
        for service in services:
            checked = association(
                *(tmp_path, "check", f"www.{NAME}", "--json", "--assume-public", "--app", APP, "--profile", profile),
                *("--entitlement", f"{service}:*.{NAME}", *sites),
            )
            assert (checked.code, json.loads(checked.out)["verdicts"][profile]) == (YES, "associated")
        assert device.run("open-url", f"https://www.{NAME}/buy/1").code == YES
        # Only the current system covers the host after "*.".
        assert device.run("open-url", f"https://{NAME}/buy/1").code == (YES if system == "current" else NO)
        # The credential functions need an entry with the exact host.
        for command_words in (
            ("save", "--domain", f"www.{NAME}", "--account", "ray", "--password-stdin", "--yes"),
            ("request", "--domain", f"www.{NAME}", "--yes"),
        ):
            done = device.run(command_words[0], "--app", APP, *command_words[1:], given="four small red foxes")
            assert done.code == NO and "-34018" in done.text + done.err, done


def test_the_fix_of_a_link_leads_to_the_cause(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "site.json"
    file.write_text(json.dumps({"applinks": {"details": [{"appIDs": [OTHER_APP], "components": [{"/": "*"}]}]}}))
    server = start("--association", str(file))
    sites = ("--trust", str(server.authority), *steered(server.port, NAME))
    device = Device(tmp_path, sites)
    device("install", "--app", APP, "--entitlement", f"applinks:*.{NAME}")
    (obstacle,) = device.json("open-url", f"https://shop.{NAME}/", code=NO)["obstacles"]
    words = shlex.split(obstacle["fix"].partition("run: motivator ")[2])
    done = command(tmp_path, *words, "--json", "--assume-public", *sites)
    assert (done.code, obstacle["code"]) == (NO, "app-not-listed")
    assert codes(json.loads(done.out)) == {"app-not-listed"}
    device("install", "--app", APP, "--entitlement", f"applinks:{NAME}?mode=developer")
    (obstacle,) = device.json("open-url", f"https://{NAME}/", code=NO)["obstacles"]
    assert "(motivator device developer-mode on)" in obstacle["fix"]
    assert obstacle["fix"] in device("open-url", f"https://{NAME}/", code=NO)
    device("developer-mode", "on")
    assert device.json("open-url", f"https://{NAME}/", code=NO)["obstacles"][0]["code"] == "app-not-listed"


def test_a_denied_app_has_the_same_code_on_the_device_and_in_check(start: Start, tmp_path: Path) -> None:
    """The site lists the app with another prefix, in other case, or only for another service."""
    for number, (content, code) in enumerate(
        [
            ({"webcredentials": {"apps": [f"A1B2C3D4E5{APP[10:]}"]}}, "app-other-prefix"),
            ({"webcredentials": {"apps": [APP.swapcase()[:11].upper() + APP[11:].lower()]}}, "app-other-case"),
            (
                {"webcredentials": {"apps": ["D3KQX62K1A.com.example.Other"]}, "appclips": {"apps": [APP]}},
                "app-listed-elsewhere",
            ),
        ]
    ):
        file = tmp_path / f"site-{number}.json"
        file.write_text(json.dumps(content))
        server = start("--association", str(file))
        device = Device(tmp_path, ("--trust", str(server.authority), *steered(server.port, NAME)), f"{number}.json")
        device.install(NAME)
        assert device.record()["error"]["code"] == code

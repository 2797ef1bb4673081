"""The hosts that are broken on purpose: their list, its documentation, `check --faults`, and effects over time."""

import json
import ssl
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from scanners import sslyze
from support.authorities import SERVERS, Holder, Maker, named
from support.checking import NO, PROFILES, UNAVAILABLE, USAGE, YES, association, refused
from support.faulty import ALL_GROUPS, GROUPS, PATHS, RIGHT, FaultyServer, any_certificate
from support.fixtures import Start
from support.server import ROOT, Server
from support.sites import Site, Stream, over_tls, response, tls_context
from support.wire import ADDRESS, NAME

LETTERS = {"A": "associated", "D": "denied", "R": "retry", "?": "unproven"}
FEWEST = 176
HEADER = ["name", "what is wrong", *PROFILES, "note"]
# `slow-content` needs 3 s, and a stalled host uses the whole time limit.
TIME_LIMIT = ("--timeout", "15")


def documented() -> dict[str, tuple[str, str, dict[str, str]]]:
    """Returns the group, the description and the verdicts of each host in docs/faults.md."""
    hosts: dict[str, tuple[str, str, dict[str, str]]] = {}
    group = ""
    for line in (ROOT / "docs/faults.md").read_text().splitlines():
        if line.startswith("#"):
            group = line.lstrip("# ")
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if group not in GROUPS or not line.startswith("|") or set(line) <= set("|-"):
            continue
        if cells[0] == "name":
            assert cells == HEADER
            continue
        assert cells[0] not in hosts, f"{cells[0]} is documented twice"
        verdicts = {profile: LETTERS[letter] for profile, letter in zip(PROFILES, cells[2:6], strict=True)}
        hosts[cells[0]] = (group, cells[1], verdicts)
    return hosts


def test_the_document_describes_exactly_the_hosts_that_are_served(faulty: FaultyServer) -> None:
    pages = documented()
    served = {host["name"]: (host["group"], host["verdicts"]) for host in faulty.hosts if host["group"] in GROUPS}
    assert len({host["name"] for host in faulty.hosts}) == len(faulty.hosts) >= FEWEST
    assert {name: (group, verdicts) for name, (group, _, verdicts) in pages.items()} == served
    assert all(description for _, description, _ in pages.values())


def test_the_document_describes_exactly_the_links_and_the_files_of_android(faulty: FaultyServer) -> None:
    apps = {faulty.list["app"]: "app", faulty.list["other_app"]: "other"}
    letters = {word: letter for letter, word in LETTERS.items()}

    def result(host: dict[str, Any]) -> str:
        if host["group"] == "Android":
            assert set(host["verdicts"]) == {"device", "documented"}
            return letters[host["verdicts"]["device"]]
        assert set(host["verdicts"].values()) == {"associated"}
        origin = host["url"].split("/.well-known")[0]
        rows = [f"`{one['url'].removeprefix(origin)}`: {apps.get(one['opens'], one['opens'])}" for one in host["links"]]
        return ", ".join(rows).replace("unproven", "?")

    rows = [line.strip("| ").split(" | ") for line in (ROOT / "docs/faults.md").read_text().splitlines()]
    cells = [row for row in rows if row[0].startswith(("links-", "android-"))]
    assert [(row[0], row[-1]) for row in cells] == [
        (host["name"], result(host)) for host in faulty.hosts if host["group"] not in GROUPS
    ]


def test_the_option_adds_the_hosts(start: Start) -> None:
    server = start()
    with server.connect() as wire:
        for target in ("/faults", "/faults.json", "/status/200", "/anything"):
            assert wire.ask(target).status == 404
    with server.connect() as wire:
        assert wire.ask(PATHS[0], host=f"unsigned.faults.{NAME}").status == 421


@pytest.fixture(scope="module")
def checked(faulty: FaultyServer) -> Iterator[dict[str, Any]]:
    """The result of `check --faults` on the shared server."""
    done = association(
        faulty.server.home, "check", "--faults", target(faulty), *trust(faulty), *TIME_LIMIT, "--json", limit=300
    )
    assert done.err == ""
    yield {"code": done.code, **json.loads(done.out)}


def target(faulty: FaultyServer) -> str:
    return f"localhost:{faulty.server.port}"


def trust(faulty: FaultyServer) -> tuple[str, Path]:
    return "--trust", faulty.server.authority


def test_the_checker_gives_every_expected_verdict(faulty: FaultyServer, checked: dict[str, Any]) -> None:
    wrong = [host for host in checked["hosts"] if not host["ok"]]
    assert not wrong
    assert (checked["ok"], checked["code"]) == (True, YES)
    assert [host["name"] for host in checked["hosts"]] == faulty.names(*ALL_GROUPS)
    for host, known in zip(checked["hosts"], faulty.hosts, strict=True):
        assert host["actual"] == host["expected"] == known["verdicts"]
        links = [(one["url"], one["expected"]) for one in host.get("links", [])]
        assert links == [(one["url"].replace(NAME, "localhost"), one["opens"]) for one in known.get("links", [])]
        assert sorted(host["actual_issues"]) == sorted(host["expected_issues"]) == sorted(known["issues"])


class Proxy:
    """A server that provides another list. The hosts in the list belong to the real server."""

    def __init__(self, faulty: FaultyServer, holder: Holder, change: Callable[[dict[str, Any]], Any]) -> None:
        changed = change(deepcopy(faulty.list))
        self.content = changed if isinstance(changed, bytes) else json.dumps(changed).encode()
        self.context = tls_context(holder)

    def answer(self, stream: Stream, path: str) -> None:
        if path == "/faults/reset":
            stream.sendall(response(b"", 303, None, ["Location: /faults"]))
        else:
            stream.sendall(response(self.content))


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> tuple[Holder, Holder]:
    """A CA, and its certificate for localhost."""
    maker = Maker(tmp_path_factory.mktemp("list"))
    authority = maker.authority("Test Root")
    return authority, maker.make("localhost", authority, named("localhost"), SERVERS)


def run_with(
    faulty: FaultyServer,
    identity: tuple[Holder, Holder],
    home: Path,
    change: Callable[[dict[str, Any]], Any],
    *more: str,
) -> Any:
    """Runs `check --faults` with a changed list. The address rules lead to the real hosts."""
    proxy = Proxy(faulty, identity[1], change)
    trusted = home / "trusted.pem"
    trusted.write_text(identity[0].pem + faulty.server.authority.read_text())
    rules = [
        word
        for host in faulty.hosts
        for port in ("443", str(faulty.server.port))
        for word in ("--connect-to", f"{faulty.host(host['name'])}:{port}:{ADDRESS}:{faulty.server.port}")
    ]
    with Site(over_tls(proxy.context, proxy.answer)) as site:
        return association(
            home, "check", "--faults", f"localhost:{site.port}", "--trust", trusted, *TIME_LIMIT, *rules, *more
        )


def only(*names: str, **changes: Any) -> Callable[[dict[str, Any]], Any]:
    """Returns a change that keeps only these hosts and replaces some of their members."""

    def change(found: dict[str, Any]) -> dict[str, Any]:
        found["hosts"] = [{**host, **changes} for host in found["hosts"] if host["name"] in names]
        return found

    return change


def test_the_table_shows_each_host_with_its_verdicts(
    faulty: FaultyServer, identity: tuple[Holder, Holder], tmp_path: Path
) -> None:
    done = run_with(faulty, identity, tmp_path, only("expired", "status-503", "unsigned", "utf-16"))
    assert (done.code, done.err) == (YES, "")
    header, *rows, blank, end = done.text.splitlines()
    assert header.split() == ["host", *PROFILES, "issues"]
    assert [row.split() for row in rows] == [
        ["expired", "denied", "denied", "denied", "denied", "tls-expired"],
        ["status-503", "retry", "retry", "retry", "retry", "http-status-server-error"],
        ["utf-16", "unproven", "denied", "unproven", "unproven", "json-encoding"],
        ["unsigned", "associated", "associated", "associated", "denied", "signature-missing"],
    ]
    assert (blank, end) == ("", "All 4 hosts have the expected verdicts and issues.")


def test_a_wrong_verdict_is_shown_with_the_expected_one(
    faulty: FaultyServer, identity: tuple[Holder, Holder], tmp_path: Path
) -> None:
    right = next(host["verdicts"] for host in faulty.hosts if host["name"] == "unsigned")
    change = only("unsigned", verdicts={**right, "ios8": "associated"})
    done = run_with(faulty, identity, tmp_path, change)
    assert done.code == NO
    lines = done.text.splitlines()
    assert "denied (expected: associated)" in lines[1]
    assert lines[-1] == "1 of 1 hosts do not have the expected verdicts and issues."
    document = json.loads(run_with(faulty, identity, tmp_path, change, "--json").out)
    assert (document["ok"], document["hosts"][0]["ok"]) == (False, False)
    assert document["hosts"][0]["actual"]["ios8"] == "denied"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(lambda found: b"<!doctype html>", ["/faults.json is not a list of hosts"], id="not JSON"),
        pytest.param(lambda found: found | {"suffix": ".."}, ["an invalid app or host"], id="an invalid host"),
    ],
)
def test_an_unusable_list_ends_the_check(
    faulty: FaultyServer,
    identity: tuple[Holder, Holder],
    tmp_path: Path,
    change: Callable[[dict[str, Any]], Any],
    words: list[str],
) -> None:
    refused(run_with(faulty, identity, tmp_path, change), UNAVAILABLE, *words, "serve --faults")


def test_a_server_without_the_hosts_ends_the_check(server: Server, tmp_path: Path) -> None:
    done = association(
        tmp_path,
        "check",
        "--faults",
        f"{NAME}:{server.port}",
        "--trust",
        server.authority,
        "--connect-to",
        f"::{ADDRESS}:{server.port}",
    )
    refused(done, UNAVAILABLE, "/faults.json has status 404", "serve --faults")


@pytest.mark.parametrize(
    "words",
    [("localhost:1", "localhost:2"), ("--cdn",), ("--format", "sarif"), ("--list", "--format", "github")],
    ids=" ".join,
)
def test_options_that_do_not_apply_are_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    refused(association(tmp_path, "check", "--faults", *words), USAGE, "--faults")


def test_slow_content_takes_3_seconds(faulty: FaultyServer) -> None:
    began = time.monotonic()
    assert json.loads(faulty.fetch("slow-content").content) == RIGHT
    assert time.monotonic() - began >= 3


def test_the_flaky_host_recovers_after_two_requests_of_each_client(start: Start) -> None:
    faulty = FaultyServer.of(start("--faults"))
    host = faulty.host("flaky-503")

    def statuses(count: int, source: str) -> list[int]:
        found = []
        for _ in range(count):
            with faulty.server.connect(host, source=source) as wire:
                found.append(wire.ask(PATHS[0], "Connection: close", host=host).status)
        return found

    assert statuses(4, "127.0.0.1") == [503, 503, 200, 200]
    assert statuses(1, "127.0.0.2") == [503]
    with faulty.server.connect() as wire:
        answer = wire.ask("/faults/reset", method="POST")
    assert (answer.status, answer.field("Location")) == (303, "/faults")
    assert statuses(3, "127.0.0.1") == [503, 503, 200]
    # The counts for the other client do not change.
    assert statuses(2, "127.0.0.2") == [503, 200]


def test_only_one_host_has_an_old_version_of_tls(faulty: FaultyServer, tmp_path: Path) -> None:
    with faulty.connect("tls-1-1", any_certificate()) as wire:
        assert wire.tls and wire.tls.version() == "TLSv1.1"
    old = ("--insecure", "--tlsv1.1", "--tls-max", "1.1", "--ciphers", "ALL:@SECLEVEL=0")
    for host in (NAME, faulty.host("expired"), faulty.host("unsigned")):
        assert b"protocol version" in faulty.server.curl("/", *old, name=host).stderr, host
    part = sslyze(faulty.server, tmp_path)
    assert ([str(finding) for finding in part.findings], part.note) == ([], "compliant")


@pytest.mark.parametrize("domain", [NAME, "localhost"])
def test_the_hosts_exist_under_each_domain(faulty: FaultyServer, domain: str) -> None:
    host = f"expired.faults.{domain}"
    with faulty.server.connect(host, any_certificate()) as wire:
        assert wire.ask(PATHS[0], host=host).status == 200
    with pytest.raises(ssl.SSLCertVerificationError, match="expired"), faulty.server.connect(host):
        pass

"""The inspector lists the last requests and failed handshakes, as a page, as JSON and as an HTTP archive."""

import json
import shlex
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from support.inspector import PATH, EventStream, Markup, archive, ask, entries, last, rows
from support.server import Server, environment
from support.waiting import LIMIT
from support.wire import ADDRESS, NAME

# The name of a fault host, the status, and words from the conclusion.
CONCLUSIONS = [
    ("unsigned", 200, ("A device accepts this file",)),
    ("trailing-comma", 200, ("A device denies this file", "[json-trailing-comma]")),
    ("status-404", 404, ("denies", "404")),
    ("truncated", 200, ("tries again later", "incomplete")),
    ("stall-head", 0, ("tries again later", "no response")),
]


def cells_of(server: Server, entry: dict[str, object]) -> list[str]:
    """Returns the cells of the newest row. The row must belong to this entry."""
    row = Markup(ask(server, "/").text).links
    assert f"/entries/{entry['id']}" in row
    return rows(server)[0]


def test_an_entry_contains_the_properties_of_its_request(inspected: Server) -> None:
    before = datetime.now(UTC)
    with inspected.connect() as wire:
        answer = wire.ask("/digits.txt?a=1&b", "User-Agent: curl/8.5.0", "Accept: text/plain")
    entry = last(inspected)
    time = datetime.fromisoformat(entry["time"])
    # The event loop reads the wall clock once per iteration.
    assert before - timedelta(seconds=1) <= time <= datetime.now(UTC) + timedelta(seconds=1)
    assert entry["duration_ms"] >= 0
    assert entry["client_address"] == ADDRESS
    assert (entry["client"], entry["tls"], entry["sni"]) == ("curl", "TLSv1.3", NAME)
    assert (entry["method"], entry["url"], entry["version"]) == ("GET", f"https://{NAME}/digits.txt?a=1&b", "HTTP/1.1")
    assert entry["fields"] == [["Host", NAME], ["User-Agent", "curl/8.5.0"], ["Accept", "text/plain"]]
    assert (entry["status"], entry["bytes"]) == (200, len(answer.content))
    assert entry["handshake_failure"] is None
    assert entry["conclusion"] is None, "only paths that a device requests have a conclusion"

    cells = cells_of(inspected, entry)
    assert cells[0] == time.strftime("%H:%M:%S.") + f"{time.microsecond // 1000:03}"
    assert cells[1:5] == [f"{ADDRESS} curl", "TLSv1.3", f"GET /digits.txt?a=1&b {NAME}", "200"]
    assert cells[5:] == [str(entry["duration_ms"]), ""]

    recorded = archive(inspected)["log"]["entries"][-1]
    start = datetime.fromisoformat(recorded["startedDateTime"])
    assert start == time - timedelta(milliseconds=entry["duration_ms"])
    assert recorded["request"]["url"] == entry["url"]
    assert recorded["request"]["queryString"] == [{"name": "a", "value": "1"}, {"name": "b", "value": ""}]
    assert [[field["name"], field["value"]] for field in recorded["request"]["headers"]] == entry["fields"]
    assert recorded["response"]["status"] == 200
    assert recorded["response"]["content"]["size"] == len(answer.content)


def test_a_request_without_tls_has_no_version_and_no_name(inspected: Server) -> None:
    with inspected.connect_plain() as wire:
        wire.ask(PATH)
    entry = last(inspected)
    assert (entry["tls"], entry["sni"], entry["url"]) == (None, None, f"http://{NAME}{PATH}")
    assert "https only" in entry["conclusion"]


@pytest.mark.parametrize(("host", "status", "words"), CONCLUSIONS, ids=[host for host, _, _ in CONCLUSIONS])
def test_the_conclusion_of_a_device_is_listed(
    inspected: Server, host: str, status: int, words: tuple[str, ...]
) -> None:
    name = f"{host}.faults.{NAME}"
    with EventStream(inspected) as stream:
        inspected.curl(PATH, "--max-time", "1" if host.startswith("stall") else "10", name=name)
        stream.wait_for(name)
    entry = last(inspected)
    assert (entry["sni"], entry["status"]) == (name, status)
    for word in words:
        assert word in entry["conclusion"]
    assert cells_of(inspected, entry)[-1] == entry["conclusion"]
    assert archive(inspected)["log"]["entries"][-1]["comment"] == entry["conclusion"]


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_a_client_without_the_ca_appears_with_its_name_and_alert(inspected: Server, version: str) -> None:
    name = f"v{version[-1]}.{NAME}"
    with EventStream(inspected) as stream:
        done = subprocess.run(
            ["curl", "--silent", "--noproxy", "*", f"--tlsv{version}", "--tls-max", version]
            + ["--resolve", f"{name}:{inspected.port}:{ADDRESS}", f"https://{name}:{inspected.port}/"],
            env=environment(inspected.home),
            capture_output=True,
            timeout=LIMIT,
        )
        assert done.returncode == 60, "curl must not trust the certificate"
        event = stream.wait_for(name)[-1]
    assert event.cells[2:5] == ["none", f"TLS handshake {name}", "failed"]
    assert event.cells[6] == last(inspected)["conclusion"]
    assert "the client rejected the certificate (TLS alert unknown_ca)" in event.cells[6]
    entry = last(inspected)
    assert (entry["sni"], entry["status"]) == (name, 0)
    assert "alert unknown ca" in entry["handshake_failure"]
    assert rows(inspected)[0] == event.cells
    urls = [one["request"]["url"] for one in archive(inspected)["log"]["entries"]]
    assert not any(name in url for url in urls), "the archive must not contain a failed handshake"


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("stall-handshake", "the server stopped responding on purpose"),
        ("close-handshake", "the server closed the connection on purpose"),
    ],
)
def test_a_handshake_that_the_server_breaks_on_purpose_appears_with_its_name(
    inspected: Server, host: str, reason: str
) -> None:
    name = f"{host}.faults.{NAME}"
    with EventStream(inspected) as stream:
        inspected.curl(PATH, "--max-time", "1", name=name)
        event = stream.wait_for(name)[-1]
    assert (event.cells[3], event.cells[6]) == (f"TLS handshake {name}", f"A device tries again later: {reason}.")
    failures = [one["handshake_failure"] for one in entries(inspected, f"?q={name}")]
    assert failures == [reason], "a handshake must have exactly one entry"


def test_the_filter_selects_entries_that_contain_all_words(inspected: Server) -> None:
    with inspected.connect() as wire:
        for target in ("/first-needle", "/second-needle", "/hay"):
            wire.ask(target, "User-Agent: swcd (unknown version)")
    for query, wanted in (("?q=NEEDLE", 2), ("?q=first-needle+swcd", 1), ("?q=first-needle+curl", 0)):
        assert len(rows(inspected, query)) == wanted
        assert len(entries(inspected, query)) == wanted
        assert len(archive(inspected, query)["log"]["entries"]) == wanted
    page = Markup(ask(inspected, "/?q=first%2Dneedle+swcd").text)
    assert page.values["q"] == "first-needle swcd"
    exports = [link for link in page.links if link.startswith("/entries.")]
    assert len(exports) == 2
    assert "b" not in Markup(ask(inspected, "/?q=%3Cb%3E").text).elements
    for link in exports:
        assert b"first-needle" in ask(inspected, link).content
        assert b"second-needle" not in ask(inspected, link).content


def test_the_exports_are_downloads(inspected: Server) -> None:
    for name in ("json", "har"):
        answer = ask(inspected, f"/entries.{name}")
        assert answer.field("Content-Type") == "application/json"
        assert answer.field("Content-Disposition") == f'attachment; filename="requests.{name}"'


def test_the_detail_page_shows_the_fields(inspected: Server) -> None:
    with inspected.connect() as wire:
        wire.ask(f"{PATH}?detail", "User-Agent: AASA-Bot/1.0.0", "X-Note: <b>&amp;")
    entry = last(inspected)
    page = Markup(text := ask(inspected, f"/entries/{entry['id']}").text)
    facts = {row[0]: row[1] for row in page.rows}
    assert facts["Time"] == entry["time"]
    assert facts["Client"] == f"{ADDRESS} AASA-Bot"
    assert (facts["TLS"], facts["Server name (SNI)"], facts["Status"]) == ("TLSv1.3", NAME, "200")
    assert f">{entry['conclusion'].removesuffix('.')}</strong>." in text
    assert facts["X-Note"] == "<b>&amp;"
    assert "b" not in page.elements


def test_an_unknown_entry_is_not_found(inspected: Server) -> None:
    for target in (
        "/entries/0-0",
        "/entries/99-1",
        "/entries/0-99999999999999999999",
        "/entries/x",
        "/entries/%3Cb%3E",
    ):
        answer = ask(inspected, target)
        assert answer.status == 404, target
        assert "<b>" not in answer.text


@pytest.mark.parametrize("value", ["plain", "$(touch made) `touch made`"])
def test_the_curl_command_sends_the_same_request(inspected: Server, tmp_path: Path, value: str) -> None:
    first = inspected.curl("/echo?a=%27b%27&c=$(touch+made);d", "-H", f"X-Value: {value}", "-A", "Agent's/1")
    page = Markup(ask(inspected, f"/entries/{last(inspected)['id']}").text)
    command = page.words["curl"]
    assert shlex.split(command)[:2] == ["curl", "-i"]
    # curl has an environment variable for its configuration folder, but none for --resolve.
    configuration = f'silent\nshow-error\nnoproxy = "*"\nresolve = "{NAME}:{inspected.port}:{ADDRESS}"\n'
    (tmp_path / ".curlrc").write_text(configuration)
    variables = {"CURL_HOME": str(tmp_path), "CURL_CA_BUNDLE": str(inspected.authority)}
    second = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        env={**environment(tmp_path), **variables},
        capture_output=True,
        timeout=LIMIT,
    )
    assert second.returncode == 0, second.stderr
    head, _, content = second.stdout.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert not (tmp_path / "made").exists(), "the shell ran a part of the request"
    wanted, got = json.loads(first.stdout), json.loads(content)
    for key in ("method", "target", "fields"):
        assert sorted(got[key]) == sorted(wanted[key]), key

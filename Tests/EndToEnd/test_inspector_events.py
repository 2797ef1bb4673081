"""The inspector's event stream, and heads with hostile bytes in every view."""

import socket
import ssl
from contextlib import ExitStack

import pytest

from support.fixtures import Start
from support.inspector import ELEMENTS, EventStream, Markup, archive, ask, entries, last, rows
from support.people import PASSWORD, App
from support.server import Server
from support.waiting import LIMIT, wait_until
from support.wire import ADDRESS, NAME, request

# The maximum number of event streams (docs/inspector.md, "Limits").
MOST_VIEWERS = 32
SCRIPT = "<script>alert(1)</script>"
# User-Agent values that the parser accepts. Each byte is one Latin-1 character.
AGENTS = [
    SCRIPT,
    "'><svg/onload=alert(1)>",
    "data: forged",
    "\tid: 1\tdata: forged",
    "caf\xe9",
    "\xc2\x85data: forged",
    "\xe2\x80\xa8data: forged\xe2\x80\xa9",
    "\\u003cscript\\u003e \\n \\",
    '","status":999,"x":"',
]
# Heads that the parser rejects. Their bytes must not appear at all.
REJECTED = [
    b"GET /<script>unseen</script> HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: <b>unseen</b>\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: a\runseen\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: \x00unseen\r\n\r\n",
]
SECRET = "hidden-4711"
SECRETS = [f"Authorization: Bearer {SECRET}", f"Cookie: __Host-motivator_session={SECRET}", f"X-API-Key: {SECRET}"]


def views(server: Server) -> dict[str, str]:
    """Returns all output of the inspector: the list, the exports, each detail page, and the event stream."""
    shown = {target: ask(server, target).content.decode() for target in ("/", "/entries.json", "/entries.har")}
    for entry in entries(server):
        shown[entry["id"]] = ask(server, f"/entries/{entry['id']}").content.decode()
    with server.connect() as wire:
        wire.ask("/end-of-events")
    with EventStream(server) as stream:
        shown["events"] = "\n".join(event.data for event in stream.wait_for("/end-of-events"))
    return shown


def test_a_request_reaches_a_viewer_at_once(inspected: Server) -> None:
    with EventStream(inspected) as stream, inspected.connect() as wire:
        for number in range(3):
            wire.ask(f"/at-once-{number}", "User-Agent: swcd")
            event = stream.wait_for(f"/at-once-{number}")[-1]
            assert event.cells == rows(inspected)[0]
            assert Markup(event.data).links == [f"/entries/{last(inspected)['id']}"]


def test_a_viewer_beyond_the_limit_is_refused_until_another_leaves(start: Start) -> None:
    server = start("--inspector")
    with ExitStack() as stack:
        viewers = [stack.enter_context(EventStream(server)) for _ in range(MOST_VIEWERS)]
        refusal = ask(server, "/events")
        assert refusal.status == 503
        assert int(refusal.field("Retry-After")) >= 1
        assert str(MOST_VIEWERS) in refusal.text
        viewers.pop().__exit__(None, None, None)
        wait_until(lambda: is_admitted(server), "a viewer is admitted after one has left")
        for viewer in viewers:
            viewer.wait_for("/digits.txt")


def is_admitted(server: Server) -> bool:
    # The server notices that a viewer has left when it sends the next event.
    with server.connect() as wire:
        wire.ask("/digits.txt", "Connection: close")
    with socket.create_connection((ADDRESS, server.admin_port), timeout=LIMIT) as viewer:
        viewer.sendall(request("/events", host=server.admin_address))
        status = viewer.recv(12)
    assert status in (b"HTTP/1.1 200", b"HTTP/1.1 503")
    return status.endswith(b"200")


def test_the_stream_resumes_after_the_last_event(inspected: Server) -> None:
    with inspected.connect() as wire:
        wire.ask("/resume-1")
        with EventStream(inspected) as stream:
            stream.wait_for("/resume-1")
            position = stream.last_id
        wire.ask("/resume-2")
        wire.ask("/resume-3")
        with EventStream(inspected, f"Last-Event-ID: {position}") as stream:
            assert [event.cells[3] for event in stream.wait_for("/resume-3")] == [
                f"GET /resume-2 {NAME}",
                f"GET /resume-3 {NAME}",
            ]
        with EventStream(inspected, f"Last-Event-ID: {stream.last_id}", query=f"?{position}") as stream:
            wire.ask("/resume-4")
            events = stream.wait_for("/resume-4")
            assert len(events) == 1, "the field must take precedence over the query"


def test_the_page_and_the_stream_together_are_complete(inspected: Server) -> None:
    """The page contains the position after its last row. The event stream starts there."""
    with inspected.connect() as wire:
        wire.ask("/on-the-page")
        page = ask(inspected, "/").text
        position = page.partition('data-cursor="')[2].partition('"')[0]
        wire.ask("/in-the-stream")
        with EventStream(inspected, query=f"?{position}") as stream:
            assert [event.cells[3] for event in stream.wait_for("/in-the-stream")] == [f"GET /in-the-stream {NAME}"]
    assert "/on-the-page" in page


@pytest.mark.parametrize("position", ["", "x", "0", "0.0.0.0.0.0.0.0", "-1.-1", "1.x", "<b>", "-9223372036854775808"])
def test_a_malformed_position_does_not_break_the_stream(inspected: Server, position: str) -> None:
    with inspected.connect() as wire:
        wire.ask("/malformed-position")
    with EventStream(inspected, f"Last-Event-ID: {position}") as stream:
        assert "/malformed-position" in stream.wait_for("/malformed-position")[-1].data


@pytest.mark.parametrize("agent", AGENTS, ids=ascii)
def test_a_hostile_field_injects_nothing(inspected: Server, agent: str) -> None:
    empty = Markup(ask(inspected, "/?q=no-such-entry").text)
    assert empty.scripts == 1
    text = agent.encode("latin-1").decode(errors="replace").strip("\t ")
    with EventStream(inspected) as stream, inspected.connect() as wire:
        wire.ask("/hostile", f"User-Agent: {agent}", f"X-Hostile: {agent}")
        entry = last(inspected)
        wire.ask("/after-hostile")
        events = stream.wait_for("/after-hostile")
    assert Markup(events[-2].data).elements <= ELEMENTS
    assert events[-2].cells[3] == f"GET /hostile {NAME}"

    assert dict(entry["fields"])["User-Agent"] == text
    assert archive(inspected)["log"]["entries"][-2]["request"]["headers"][1]["value"] == text
    page = Markup(ask(inspected, "/").text)
    assert page.scripts == 1
    assert page.elements <= empty.elements | ELEMENTS
    detail = Markup(ask(inspected, f"/entries/{entry['id']}").text)
    assert detail.scripts == 1
    assert not detail.elements & {"img", "svg", "b"}
    assert ["X-Hostile", text] in detail.rows


@pytest.mark.parametrize("head", REJECTED, ids=ascii)
def test_a_rejected_head_is_listed_without_its_bytes(inspected: Server, head: bytes) -> None:
    with EventStream(inspected) as stream:
        with inspected.connect() as wire:
            wire.send(head)
            assert [answer.status for answer in wire.answers()] == [400]
        entry = last(inspected)
        with inspected.connect() as wire:
            wire.ask("/after-rejected")
        events = stream.wait_for("/after-rejected")
    assert (entry["status"], entry["fields"], entry["client"]) == (400, [], "")
    assert events[-2].cells[4] == "400"
    assert Markup(events[-2].data).elements <= ELEMENTS
    for target in ("/", "/entries.json", "/entries.har", f"/entries/{entry['id']}"):
        assert "unseen" not in ask(inspected, target).text, target
    assert "unseen" not in events[-2].data


def test_a_hostile_server_name_injects_nothing(inspected: Server) -> None:
    name = "<img/src=x>.test"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with EventStream(inspected) as stream:
        # The context has no CA, so the client ends the handshake with an alert.
        with pytest.raises(ssl.SSLError):
            inspected.connect(name, context)
        event = stream.wait_for("&lt;img/src=x&gt;.test")[-1]
    assert Markup(event.data).elements <= ELEMENTS
    assert event.cells[3] == f"TLS handshake {name}"
    assert last(inspected)["sni"] == name
    assert "img" not in Markup(ask(inspected, "/").text).elements


def test_secrets_appear_in_no_view(start: Start) -> None:
    server = start("--inspector")
    with EventStream(server) as stream:
        for secret in SECRETS:
            with server.connect() as wire:
                wire.ask("/secret", secret, "X-Plain: shown")
                fields = last(server)["fields"]
                assert fields[1:] == [[secret.partition(":")[0], "(removed)"], ["X-Plain", "shown"]]
        with App(server) as app:
            answer = app.send("POST", "/signin", "Content-Type: text/plain", content=f"password={SECRET}".encode())
            assert answer.status in (403, 415)
        followed = "".join(event.data for event in stream.wait_for("/signin"))
    assert SECRET not in followed
    for name, text in views(server).items():
        assert SECRET not in text, name
        assert PASSWORD not in text, name
    assert SECRET not in server.err.text

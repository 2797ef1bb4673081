"""The inspector's event stream, and heads with hostile bytes in every view."""

import ssl
from collections.abc import Callable, Iterator

import pytest

from support.inspector import ELEMENTS, EventStream, Markup, archive, ask, entries, last, rows
from support.people import PASSWORD, App
from support.server import Server
from support.wire import NAME, Ending, request

Start = Callable[..., Server]
SCRIPT = "<script>alert(1)</script>"
# User-Agent values that the parser accepts. Each byte is one Latin-1 character.
AGENTS = [
    SCRIPT,
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "</code></td></tr></table><h1>forged</h1>",
    "&lt;b&gt; &amp;amp; &#60;b&#62;",
    "]]>--><!--",
    "data: forged",
    "\tid: 1\tdata: forged",
    "caf\xe9",
    "\xff\xfe\x80",
    "\xc3(",
    "\xc2\x85data: forged",
    "\xe2\x80\xa8data: forged\xe2\x80\xa9",
    "\xe2\x80\xae forged",
    "\xef\xbb\xbf",
    "\xed\xa0\x80",
    "\\u003cscript\\u003e \\n \\",
    '","status":999,"x":"',
    "$(touch made) `x` ';",
]
# Heads that the parser rejects. Their bytes must not appear at all.
REJECTED = [
    b"GET /unseen\rdata:x HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /unseen\ndata:x HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /\x1b[31munseen HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /<script>unseen</script> HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /unseen\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: <b>unseen</b>\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: a\runseen\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: a\nunseen\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: a\r\n\tunseen\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: \x00unseen\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n<b>unseen</b>: x\r\n\r\n",
    b"<b>unseen</b> / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / <b>unseen</b>\r\nHost: x\r\n\r\n",
]
SECRET = "hidden-4711"
SECRETS = [
    f"Authorization: Bearer {SECRET}",
    f"authorization: Basic {SECRET}",
    f"Proxy-Authorization: Basic {SECRET}",
    f"Cookie: __Host-motivator_session={SECRET}",
    f"cookie: a={SECRET}; b={SECRET}",
    f"X-Auth-Token: {SECRET}",
    f"X-CSRF-Token: {SECRET}",
    f"X-Amz-Security-Token: {SECRET}",
    f"X-API-Key: {SECRET}",
    f"X-Client-Secret: {SECRET}",
    f"X-Password: {SECRET}",
]


@pytest.fixture(scope="module")
def inspected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("inspected"), "--inspector", plain=True)
    yield running
    running.stop()


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


def test_several_viewers_receive_each_request(inspected: Server) -> None:
    streams = [EventStream(inspected) for _ in range(4)]
    try:
        with inspected.connect() as wire:
            wire.ask("/several-1")
            wire.ask("/several-2")
        received = [stream.wait_for("/several-2") for stream in streams]
    finally:
        for stream in streams:
            stream.__exit__(None, None, None)
    for events in received:
        assert [event.data for event in events] == [event.data for event in received[0]]
        assert "/several-1" in events[-2].data


def test_a_viewer_that_leaves_does_not_disturb_the_others(inspected: Server) -> None:
    with EventStream(inspected) as stream:
        for number in range(5):
            with EventStream(inspected) as leaving, inspected.connect() as wire:
                wire.ask(f"/leaves-{number}")
                leaving.wait_for(f"/leaves-{number}")
        targets = [event.cells[3] for event in stream.wait_for("/leaves-4")]
    assert targets[-5:] == [f"GET {NAME}/leaves-{number}" for number in range(5)]


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
                f"GET {NAME}/resume-2",
                f"GET {NAME}/resume-3",
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
            assert [event.cells[3] for event in stream.wait_for("/in-the-stream")] == [f"GET {NAME}/in-the-stream"]
    assert "/on-the-page" in page


@pytest.mark.parametrize("position", ["", "x", "0", "0.0.0.0.0.0.0.0", "-1.-1", "1.x", "<b>", "-9223372036854775808"])
def test_a_malformed_position_does_not_break_the_stream(inspected: Server, position: str) -> None:
    with inspected.connect() as wire:
        wire.ask("/malformed-position")
    with EventStream(inspected, f"Last-Event-ID: {position}") as stream:
        stream.wait_for("/malformed-position")


def test_a_viewer_does_not_delay_the_stop(start: Start) -> None:
    server = start("--inspector")
    with EventStream(server):
        server.stop()


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
    assert events[-2].cells[3] == f"GET {NAME}/hostile"

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
    assert event.cells[2] == name
    assert last(inspected)["sni"] == name
    assert "img" not in Markup(ask(inspected, "/").text).elements


@pytest.mark.parametrize(
    "query", ["%22%3E%3Cscript%3E", "%ff%fe", "%0d%0a%0b%1b", "%C2%85", "%3C/title%3E", "'%27+%22"]
)
def test_a_hostile_filter_injects_nothing(inspected: Server, query: str) -> None:
    page = Markup(ask(inspected, f"/?q={query}").text)
    assert page.scripts == 1
    assert "q" in page.values
    assert len(entries(inspected, f"?q={query}")) == len(page.rows[1:])
    archive(inspected, f"?q={query}")


def test_a_long_head_is_cut(inspected: Server) -> None:
    with inspected.connect() as wire:
        wire.ask("/long", f"X-First: {'a' * 3000}", f"X-Second: {'b' * 3000}", f"X-Third: {'c' * 10}")
    fields = dict(last(inspected)["fields"])
    assert len(fields["X-First"]) == 3000
    assert 0 < len(fields["X-Second"]) < 1200
    assert "X-Third" not in fields


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


def test_a_secret_in_a_cut_field_is_removed(inspected: Server) -> None:
    with inspected.connect() as wire:
        wire.ask("/cut", f"X-First: {'a' * 3800}", f"Cookie: session={SECRET * 40}")
    entry = last(inspected)
    assert dict(entry["fields"])["Cookie"] == "(removed)"
    for target in ("/entries.json", "/entries.har", f"/entries/{entry['id']}"):
        assert SECRET not in ask(inspected, target).text, target


def test_the_head_of_a_pipelined_request_is_its_own(inspected: Server) -> None:
    with inspected.connect() as wire:
        wire.send(request("/pipelined-1", "X-Mark: one") + request("/pipelined-2", "X-Mark: two", "Connection: close"))
        assert len(wire.answers()) == 2
        assert wire.ending is Ending.ORDERLY
    first, second = entries(inspected)[-2:]
    assert first["url"].endswith("/pipelined-1")
    assert dict(first["fields"])["X-Mark"] == "one"
    assert second["url"].endswith("/pipelined-2")
    assert dict(second["fields"])["X-Mark"] == "two"

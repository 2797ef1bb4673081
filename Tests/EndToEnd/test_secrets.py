"""Passwords, session tokens and form tokens must not appear in logs, pages, files or process information."""

import base64
import hashlib
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from support.fixtures import Start
from support.people import SESSION, VISIT, App, Visitor, contents, strings
from support.server import UNLIMITED, Server
from support.wire import request

CANARY = "cänary pässword 4711/+"
SECOND = "sècond cänary 0815&="
WRONG = "wröng cänary 2222;%"


def spellings(secret: str) -> list[bytes]:
    """Returns the possible representations of a secret."""
    raw = secret.encode()
    return [
        raw,
        secret.encode("latin-1", "replace"),
        secret.encode("utf-16-le"),
        quote(secret).encode(),
        quote_plus(secret).encode(),
        base64.b64encode(raw).rstrip(b"="),
        base64.urlsafe_b64encode(raw).rstrip(b"="),
        raw.hex().encode(),
        secret.encode("ascii", "backslashreplace"),
        *(hashlib.new(kind, raw).hexdigest().encode() for kind in ("md5", "sha1")),
    ]


def of_token(token: str) -> list[bytes]:
    """Returns a token as text, as its 32 bytes, and in hexadecimal."""
    raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    return [token.encode(), raw, raw.hex().encode()]


def live(server: Server) -> tuple[list[str], list[str], dict[str, bytes]]:
    """Uses every function that handles secrets. Returns the session tokens, the form tokens and the received pages."""
    sessions, forms, pages = [], [], {}
    with App(server) as app, Visitor(server) as visitor:
        sessions.append(app.sign_up("App", CANARY))
        sessions.append(strings(app.sign_in("App", CANARY))["token"])
        app.sign_in("App", WRONG)
        app.call("/api/account", {"password": WRONG}, method="DELETE", token=sessions[-1])
        app.call("/api/signin", f'{{"username":"App","password":"{CANARY}'.encode())
        app.call("/api/nothing", {"password": CANARY})
        app.send("POST", "/api/signin", "Content-Type: text/plain", content=CANARY.encode())
        sessions.append(strings(app.update("App", CANARY, SECOND))["token"])
        app.is_signed_in(sessions[-1])
        app.call("/ultra_motivator/api/signin.py", {"username": "App", "password": SECOND})

        forms.append(visitor.token())
        mismatch = {"username": "Site", "password": CANARY, "confirm_password": WRONG}
        visitor.submit("/signup", mismatch)
        visitor.sign_up("Site", CANARY)
        sessions.append(visitor.cookies[SESSION])
        forms.append(visitor.token())
        visitor.update(WRONG, SECOND)
        visitor.update(CANARY, SECOND)
        sessions.append(visitor.cookies[SESSION])
        visitor.submit("/account/delete", {"password": WRONG})
        visitor.post("/signin", {"username": "Site", "password": WRONG, "form_token": "none"})
        visitor.post("/signin", {"username": "Site", "password": WRONG}, "Sec-Fetch-Site: cross-site")
        visitor.sign_in("Site", WRONG)
        visitor.sign_in("Site", SECOND)
        sessions.append(visitor.cookies[SESSION])
        for cookie in visitor.set:
            if cookie.startswith(f"{VISIT}=") and "Max-Age=0" not in cookie:
                sessions.append(cookie.partition("=")[2].partition(";")[0])
        pages = {f"page {number}": answer.content for number, answer in enumerate(visitor.answers)}
    with server.connect() as wire:
        # A request that the server rejects before it interprets the token.
        wire.send(request("/api/signin", f"Authorization: Bearer {sessions[0]}", "Broken", method="POST"))
        wire.answers()
    return sessions, forms, pages


def traces(server: Server) -> dict[str, bytes]:
    """Returns the information that other processes can see: no memory, but names, arguments and the environment."""
    process = Path(f"/proc/{server.process.pid}")
    found = {name: (process / name).read_bytes() for name in ("cmdline", "environ", "maps", "comm")}
    for entry in [*(process / "fd").iterdir(), *(process / "task").iterdir()]:
        # The server may close a descriptor or end a thread at the same time.
        with suppress(FileNotFoundError, ProcessLookupError):
            shown = os.readlink(entry).encode() if entry.is_symlink() else (entry / "comm").read_bytes()
            found[f"{entry.parent.name} {entry.name}"] = shown
    return found


def test_no_secret_is_written_to_any_file_or_output(start: Start) -> None:
    server = start("--log-level", "trace", *UNLIMITED)
    sessions, forms, pages = live(server)
    assert len(set(sessions)) == len(sessions)
    passwords = [spelling for secret in (CANARY, SECOND, WRONG) for spelling in spellings(secret)]
    tokens = [spelling for token in sessions for spelling in of_token(token)]
    form_tokens = [spelling for token in forms for spelling in (token.encode(), *hexadecimal(token))]

    running = contents(server.home)
    assert any(name.endswith("-wal") for name in running), "the files must be read while the server runs"
    running.update(traces(server))
    absent(pages, [*passwords, *tokens])
    absent(running, [*passwords, *tokens, *form_tokens])
    server.stop()
    absent(contents(server.home), [*passwords, *tokens, *form_tokens])
    log = {"log": server.err.text.encode()}
    assert b"/api/signin" in log["log"], "the log must contain the requests"
    absent(log, [*passwords, *tokens, *form_tokens])


def hexadecimal(text: str) -> list[bytes]:
    try:
        return [bytes.fromhex(text)]
    except ValueError:
        return []


def absent(places: dict[str, bytes], secrets: list[bytes]) -> None:
    found = [f"{secret!r} in {name}" for name, content in places.items() for secret in secrets if secret in content]
    assert found == []


def test_the_search_finds_a_secret(tmp_path: Path) -> None:
    """Shows that the test above would find a secret."""
    (tmp_path / "file").write_bytes(b"..." + CANARY.encode() + b"...")
    with pytest.raises(AssertionError):
        absent(contents(tmp_path), spellings(CANARY))

"""Clients of the account site and the API: an app that sends JSON, and a visitor with cookies and forms."""

import json
import threading
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

from support.answers import Answer
from support.page import Page
from support.server import Server
from support.wire import NAME, Wire

PASSWORD = "correct horse 1 staple"
OTHER = "another battery 2 tray"
SESSION = "__Host-motivator_session"
VISIT = "__Host-motivator_visit"
NOTICE = "__Host-motivator_notice"
JSON = "Content-Type: application/json"
FORM = "Content-Type: application/x-www-form-urlencoded"


class Client:
    """Sends requests in sequence, and reconnects if the server has closed the connection."""

    def __init__(self, server: Server, source: str | None = None) -> None:
        self.server = server
        self.host = f"{NAME}:{server.port}"
        self._context = server.context
        self._source = source
        self._wire: Wire | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._wire:
            self._wire.close()
        self._wire = None

    def send(self, method: str, target: str, *field_lines: str, content: bytes | None = None) -> Answer:
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self.host}", *field_lines]
        if content is not None:
            lines.append(f"Content-Length: {len(content)}")
        message = "\r\n".join([*lines, "", ""]).encode() + (content or b"")
        self._wire = self._wire or self.server.connect(context=self._context, source=self._source)
        try:
            self._wire.send(message)
            answer = self._wire.answer(method)
        except BaseException:
            self.close()
            raise
        if answer.closes:
            self.close()
        return answer


class App(Client):
    """An app that uses the API. It keeps no cookies."""

    def call(
        self, target: str, content: Any = None, *field_lines: str, method: str = "POST", token: str | None = None
    ) -> Answer:
        """Makes a call with or without JSON content."""
        lines = [*field_lines]
        if token is not None:
            lines.append(f"Authorization: Bearer {token}")
        if content is None:
            return self.send(method, target, *lines, content=b"" if method == "POST" else None)
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self.send(method, target, JSON, *lines, content=data)

    def sign_up(self, name: str, password: str = PASSWORD) -> str:
        """Creates an account, and returns its token."""
        answer = self.call("/api/signup", {"username": name, "password": password})
        assert answer.status == 201, (answer.status, answer.text)
        return strings(answer)["token"]

    def sign_in(self, name: str, password: str = PASSWORD) -> Answer:
        return self.call("/api/signin", {"username": name, "password": password})

    def update(self, name: str, current: str, new: str) -> Answer:
        return self.call("/api/update", {"username": name, "current_password": current, "new_password": new})

    def is_signed_in(self, token: str) -> bool:
        answer = self.call("/api/motivation", method="GET", token=token)
        assert answer.status in (200, 401), (answer.status, answer.text)
        return answer.status == 200


class Visitor(Client):
    """A browser without a screen. It keeps cookies, submits forms, and sends its origin with requests."""

    def __init__(self, server: Server, source: str | None = None) -> None:
        super().__init__(server, source)
        self.cookies: dict[str, str] = {}
        # Every received Set-Cookie value, in order.
        self.set: list[str] = []
        self.answers: list[Answer] = []

    def exchange(self, method: str, target: str, *field_lines: str, content: bytes | None = None) -> Answer:
        lines = [*field_lines]
        if self.cookies:
            lines.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        answer = self.send(method, target, *lines, content=content)
        for value in answer.values("Set-Cookie"):
            self.set.append(value)
            pair, *attributes = (part.strip() for part in value.split(";"))
            name, _, text = pair.partition("=")
            if "max-age=0" in [attribute.lower() for attribute in attributes]:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = text
        self.answers.append(answer)
        return answer

    def get(self, target: str) -> Answer:
        return self.exchange("GET", target, "Sec-Fetch-Site: none", "Accept: text/html")

    def page(self, target: str, status: int = 200) -> Page:
        answer = self.get(target)
        assert answer.status == status, (target, answer.status, answer.text)
        return Page.of(answer.content)

    def post(self, target: str, fields: dict[str, str], *field_lines: str) -> Answer:
        """Sends a form as the site's own pages do, unless `field_lines` specify another origin."""
        came_from = field_lines or ("Sec-Fetch-Site: same-origin", f"Origin: https://{self.host}")
        return self.exchange("POST", target, FORM, *came_from, content=urlencode(fields).encode())

    def token(self, at: str = "/signin") -> str:
        """Returns a form token for this visitor."""
        return self.page(at).form(at).hidden["form_token"]

    def submit(self, page: str, fields: dict[str, str], action: str | None = None) -> Answer:
        """Fills in the form of a page and sends the form. The other fields keep the page's values."""
        form = self.page(page).form(action or page)
        unknown = fields.keys() - form.inputs.keys() - {"suggest"}
        assert not unknown, f"the form of {page} does not have {unknown}"
        return self.post(action or page, {**form.values, **fields})

    def sign_up(self, name: str, password: str = PASSWORD) -> Answer:
        return self.submit("/signup", {"username": name, "password": password, "confirm_password": password})

    def sign_in(self, name: str, password: str = PASSWORD) -> Answer:
        return self.submit("/signin", {"username": name, "password": password})

    def update(self, current: str, new: str, name: str | None = None) -> Answer:
        fields = {"current_password": current, "new_password": new, "confirm_new_password": new}
        return self.submit("/update", fields if name is None else {"username": name, **fields})

    def sign_out(self) -> Answer:
        return self.submit("/", {}, "/signout")

    @property
    def name(self) -> str | None:
        """Returns the heading of the home page for a signed-in user."""
        page = self.page("/")
        return page.heading if page.all("blockquote") else None


def strings(answer: Answer) -> dict[str, str]:
    """Returns the content, which must be a JSON object of strings."""
    assert answer.field("Content-Type").split(";")[0] == "application/json", answer
    found = json.loads(answer.content)
    assert isinstance(found, dict), found
    assert all(isinstance(value, str) for value in found.values()), found
    return found


def refused(answer: Answer, status: int, code: str) -> dict[str, str]:
    """Asserts an API error: the status, the code, and a sentence."""
    assert answer.status == status, (answer.status, answer.text)
    found = strings(answer)
    assert found.keys() == {"error", "code"}, found
    assert found["code"] == code, found
    assert found["error"].endswith("."), found
    return found


def together(number: int, work: Any) -> list[Any]:
    """Runs `work(index)` on `number` threads, and returns the results. Raises the first exception."""
    results: list[Any] = [None] * number
    failures: list[BaseException] = []

    def one(index: int) -> None:
        try:
            results[index] = work(index)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=one, args=(index,), daemon=True) for index in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results


def contents(folder: Path) -> dict[str, bytes]:
    """Returns the bytes of every file below a folder."""
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}

"""Passwords and names keep every byte, appear as typed, and do not reveal which accounts exist."""

import random
import statistics
import time
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import quote_plus

import pytest

from support.page import Page
from support.people import FORM, PASSWORD, App, Visitor, refused, strings
from support.server import Server

Start = Callable[..., Server]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(
        tmp_path_factory.mktemp("site"), "--failures-per-address", "1000000", "--sign-ups-per-address", "1000000"
    )
    yield running
    running.stop()


# A password, and similar passwords that must not match.
DIFFERENT = [
    ("NUL", "abcdefgh\0x", ["abcdefgh\0y", "abcdefgh", "abcdefgh\0", "abcdefghx"]),
    ("NUL in the middle", "abcdefgh\0\0-1", ["abcdefgh\0-1", "abcdefgh-1", "abcdefgh"]),
    ("NUL at the end", "abcdefgh-1\0", ["abcdefgh-1", "abcdefgh-1\0\0"]),
    ("NUL at the start", "\0abcdefgh-1", ["abcdefgh-1", "\0", "\0abcdefgh-2"]),
    ("emoji", "🐢🐢🐢🐢🐢🐢🐢🦔", ["🐢🐢🐢🐢🐢🐢🐢🐢", "🐢🐢🐢🐢🐢🐢🐢", "????????"]),
    ("a space in front", " eight is enough", ["eight is enough", "  eight is enough"]),
    ("a space behind", "eight is enough ", ["eight is enough", "eight is enough  "]),
    ("only spaces", " " * 12, [" " * 11, " " * 13, ""]),
    ("the case", "Capital Letters", ["capital letters", "CAPITAL LETTERS"]),
    ("4-byte characters", "𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔱", ["passwort", "𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡", "𝔭𝔞𝔰𝔰𝔴𝔬𝔯"]),
    ("compatibility characters", "ﬁnanziell", ["finanziell"]),
    ("marks of the form", "a&b=c+d%20e;f", ["a&b=c d e;f", "a&b=c+d e;f", "a"]),
    ("quotes", "'\"><b>&amp;", ["'\"><b>&", '&#39;"><b>&amp;']),
    ("lines", "one\r\ntwo\nthree", ["one\ntwo\nthree", "one\r\ntwo\r\nthree", "one"]),
    ("1,024 bytes", "x1" * 511 + "ab", ["x1" * 511 + "ac", "x1" * 511 + "a", "x1" * 511]),
]


@pytest.mark.parametrize(("password", "others"), [row[1:] for row in DIFFERENT], ids=[row[0] for row in DIFFERENT])
def test_every_byte_of_a_password_counts(site: Server, password: str, others: list[str]) -> None:
    name = f"Bytes {password.encode().hex()[:40]}"
    with App(site) as app, Visitor(site) as visitor:
        app.sign_up(name, password)
        for other in others:
            assert app.sign_in(name, other).status == 401, repr(other)
            # Clears the failure.
            assert app.sign_in(name, password).status == 200
        assert visitor.sign_in(name, password).status == 303, "the form must accept the same password"


@pytest.mark.parametrize(
    "password",
    [row[1] for row in DIFFERENT if row[0] != "lines"],
    ids=[row[0] for row in DIFFERENT if row[0] != "lines"],
)
def test_a_password_given_in_a_form_is_the_same_in_json(site: Server, password: str) -> None:
    name = f"Form {password.encode().hex()[:40]}"
    with App(site) as app, Visitor(site) as visitor:
        answer = visitor.sign_up(name, password)
        assert answer.status == 303, Page.of(answer.content).text
        assert app.sign_in(name, password).status == 200


@pytest.mark.parametrize("text", ["Žluťoučký kůň", "Ångström über alles", "한국어 비밀번호"])
def test_composed_and_decomposed_forms_are_one_password_and_one_name(site: Server, text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert composed != decomposed
    composed_start = unicodedata.normalize("NFC", decomposed[:3])
    with App(site) as app, Visitor(site) as visitor:
        # The server would refuse a password that only decorates the user name.
        app.sign_up(decomposed + " 1", decomposed + decomposed[:3])
        for name in (composed, decomposed):
            for password in (composed + composed_start, decomposed + decomposed[:3]):
                answer = app.sign_in(name + " 1", password)
                assert answer.status == 200
                assert strings(answer)["username"] == composed + " 1", "the name is not in NFC"
        assert visitor.sign_in(decomposed + " 1", composed + composed_start).status == 303


# Names that differ only in case, including characters outside ASCII.
SAME = [
    ("Ada", "aDA"),
    ("ÉMILE", "émile"),
    ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
    ("ΟΔΥΣΣΕΥΣ 2", "οδυσσευσ 2"),
    ("Straße", "STRASSE"),
    ("Владимир", "ВЛАДИМИР"),
]


@pytest.mark.parametrize(("name", "other"), SAME)
def test_a_name_is_one_name_in_every_case_and_shown_as_it_was_typed(site: Server, name: str, other: str) -> None:
    with App(site) as app, Visitor(site) as visitor:
        app.sign_up(name)
        refused(app.call("/api/signup", {"username": other, "password": PASSWORD}), 409, "name_taken")
        answer = app.sign_in(other)
        assert strings(answer)["username"] == unicodedata.normalize("NFC", name)
        assert visitor.sign_in(other).status == 303
        assert name in (visitor.name or "")


@pytest.mark.parametrize("name", [" Ada 2", "Ada 2 ", "A  da", "..", "a/b?c#d", "王小明 Ming"])
def test_other_names_are_others(site: Server, name: str) -> None:
    with App(site) as app:
        app.call("/api/signup", {"username": "Ada 2", "password": PASSWORD})
        app.sign_up(name)
        assert strings(app.sign_in(name))["username"] == name, "the name was trimmed"


# Names that look like other names, and the error code for each.
MISTAKEN = [
    ("admin\u200d", "name_invisible_character"),
    ("\u3164", "name_invisible_character"),
    ("A\u00a0da", "name_variant_character"),
    ("ﬀ", "name_variant_character"),
    ("\u0430dmin", "name_mixed_scripts"),
    ("\u0441\u043e\u0441\u043e", "name_looks_latin"),
]


@pytest.mark.parametrize(("name", "code"), MISTAKEN)
def test_a_name_that_looks_like_another_is_refused(site: Server, name: str, code: str) -> None:
    with App(site) as app:
        refused(app.call("/api/signup", {"username": name, "password": PASSWORD}), 422, code)
        refused(app.sign_in(name), 401, "wrong_name_or_password")


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)",
    "{{name}} {{{name}}}",
    "&lt;b&gt;",
    "</title><script>1</script>",
    "'; DROP TABLE accounts; --",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_text_wherever_it_is_shown(site: Server, name: str) -> None:
    with Visitor(site) as visitor:
        taken = visitor.submit("/signup", {"username": name, "password": PASSWORD, "confirm_password": "other"})
        assert Page.of(taken.content).form("/signup").inputs["username"].get("value") == name
        assert visitor.sign_up(name).status == 303
        assert name in (visitor.name or "")
        form = visitor.page("/update").form("/update")
        assert form.inputs["username"].get("value") == name
        wrong = visitor.sign_in(name, "wrong password 1")
        assert Page.of(wrong.content).form("/signin").inputs["username"].get("value") == name
        for answer in visitor.answers:
            page = Page.of(answer.content)
            assert len(page.all("script")) == answer.text.count("<script>") <= 1
            assert {one.get("src") for one in page.all("img")} <= {"/favicon.svg"}
            assert not [one for one in page.all("input") if one.get("onfocus")]
            if "<" in name:
                assert name not in answer.text
        assert visitor.submit("/account/delete", {"password": PASSWORD}).status == 303


@pytest.mark.parametrize("size", [1 << 20, (1 << 20) - 200, 100_000, 1025])
def test_a_password_of_up_to_a_mebibyte_is_refused(site: Server, size: int) -> None:
    password = "p" * size
    with App(site) as app, Visitor(site) as visitor:
        token = app.sign_up(f"Large {size}")
        members = {"username": f"Large {size}", "password": password}
        for target in ("/api/signup", "/api/signin", "/ultra_motivator/api/signin.py"):
            assert app.call(target, members).status in (413, 422), target
        change = {"username": f"Large {size}", "current_password": password, "new_password": PASSWORD}
        assert app.call("/api/update", change).status in (413, 422)
        change = {"username": f"Large {size}", "current_password": PASSWORD, "new_password": password}
        assert app.call("/api/update", change).status in (413, 422)
        deletion = app.call("/api/account", {"password": password}, method="DELETE", token=token)
        assert deletion.status in (413, 422)
        fields = {"form_token": visitor.token(), **members}
        assert visitor.post("/signin", fields).status in (413, 422)
        assert app.sign_in(f"Large {size}").status == 200, "an oversized request counted as a failure or had an effect"


def test_the_least_length_is_an_option(start: Start) -> None:
    server = start("--minimum-password-length", "15")
    with App(server) as app, Visitor(server) as visitor:
        short = {"username": "Short", "password": "fourteen-14-ch"}
        assert "15" in refused(app.call("/api/signup", short), 422, "password_too_short")["error"]
        app.sign_up("Long", "fifteen-15-char")
        inputs = visitor.page("/signup").form("/signup").inputs
        for name in ("password", "confirm_password"):
            assert inputs[name].get("minlength") == "15"
            assert "minlength: 15" in (inputs[name].get("passwordrules") or "")


def test_a_password_from_before_a_stricter_rule_still_signs_in(start: Start) -> None:
    first = start()
    with App(first) as app:
        app.sign_up("Early", "eight-8c")
    first.stop()
    later = Server(first.home, "--minimum-password-length", "15", "--scrypt", "5,8,1")
    try:
        with App(later) as app:
            assert app.sign_in("Early", "eight-8c").status == 200
            # The first sign-in hashed the password with the new parameters. The second sign-in uses the new hash.
            assert app.sign_in("Early", "eight-8c").status == 200
    finally:
        later.stop()


@pytest.mark.parametrize("parameters", ["4,8,1", "5,4,2"])
def test_a_hash_is_made_again_when_the_parameters_changed(start: Start, parameters: str) -> None:
    first = start("--scrypt", "6,8,1")
    with App(first) as app:
        app.sign_up("Again")
    first.stop()
    n, r, p = parameters.split(",")
    later = Server(first.home, "--scrypt", parameters)
    try:
        with App(later) as app:
            assert app.sign_in("Again").status == 200
    finally:
        later.stop()
    stored = first.database.read_bytes()
    assert f"$scrypt$ln={n},r={r},p={p}$".encode() in stored
    assert b"$scrypt$ln=6,r=8,p=1$" not in stored


def test_a_form_with_a_plus_and_an_escape_is_read_as_browsers_write_it(site: Server) -> None:
    password = "a+b c%d é"
    with App(site) as app, Visitor(site) as visitor:
        app.sign_up("Plus", password)
        content = f"username=Plus&password={quote_plus(password)}&form_token={visitor.token()}".encode()
        answer = visitor.exchange("POST", "/signin", FORM, "Sec-Fetch-Site: same-origin", content=content)
        assert answer.status == 303


# Enough for stable medians. Every account uses up exactly its free failures.
ACCOUNTS, EACH = 40, 5
MANY = ("--failures-per-address", "1000000", "--sign-ups-per-address", "1000000")


@pytest.mark.timeout(240)
def test_an_unknown_name_is_answered_as_a_wrong_password_is_and_as_slowly(start: Start) -> None:
    """The hash takes several milliseconds, so a response without a hash would be detectably faster."""
    with App(
        start("--scrypt", "12,8,1", "--failures-per-address", "1000000", "--sign-ups-per-address", "1000000")
    ) as app:
        for number in range(ACCOUNTS):
            app.sign_up(f"known-{number:02}")
        asked = [(kind, number) for kind in ("known", "other") for number in range(ACCOUNTS)] * EACH
        random.Random(6).shuffle(asked)
        times: dict[str, list[float]] = {"known": [], "other": []}
        answers = set()
        for kind, number in asked:
            began = time.perf_counter()
            answer = app.sign_in(f"{kind}-{number:02}", "not the password 1")
            times[kind].append(time.perf_counter() - began)
            fields = tuple(field for field in answer.fields if field[0] != "Date")
            answers.add((answer.status, fields, answer.content))
    assert len(answers) == 1, f"the responses differ: {answers}"
    assert next(iter(answers))[0] == 401
    known, other = (statistics.median(times[kind]) for kind in ("known", "other"))
    spread = statistics.median(abs(one - known) for one in times["known"])
    spread += statistics.median(abs(one - other) for one in times["other"])
    allowed = max(0.2 * min(known, other), 3 * spread / 2)
    assert abs(known - other) < allowed, f"{known * 1000:.2f} ms and {other * 1000:.2f} ms"

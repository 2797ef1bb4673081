"""Guessing passwords is throttled per account and per address, and never locks an account permanently.

The tests use the real clock. They show that the server checks no more attempts than the elapsed time allows.
"""

import json
import math
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from support.answers import Answer
from support.page import Page
from support.people import JSON, OTHER, PASSWORD, App, Visitor, refused, together
from support.server import Server
from support.wire import request

Start = Callable[..., Server]

# The number of free consecutive failures. After that, the delays are 1, 2, 4, … seconds, at most 60.
FREE = 5
LONGEST_DELAY = 60
# After this many consecutive failures on an account from one address, the address must wait until its hour ends.
CEILING = 100
MANY = ("--failures-per-address", "1000000", "--sign-ups-per-address", "1000000")
PATIENCE = 60.0


@dataclass
class Attempts:
    """The results of a series of wrong passwords, and the time of its start."""

    began: float
    checked: int = 0
    refused: int = 0

    def count(self, answer: Answer) -> None:
        if answer.status == 401:
            self.checked += 1
        else:
            self.refused += 1
            assert answer.status == 429, (answer.status, answer.text)
            assert 1 <= wait(answer) <= 3600

    def hold(self) -> None:
        """Asserts that the delays allowed this many checks: n more checks take 2^n - 1 seconds."""
        passed = math.ceil(time.monotonic() - self.began) + 1
        allowed = FREE + int(math.log2(passed + 1))
        assert FREE <= self.checked <= allowed, f"{self.checked} attempts checked in {passed} s"


def wait(answer: Answer) -> int:
    value = answer.field("Retry-After")
    assert value.isdigit(), value
    return int(value)


def guess(app: App, name: str = "Victim") -> Answer:
    return app.sign_in(name, "a wrong guess 1")


def test_101_failures_in_a_row_are_slowed_down(start: Start) -> None:
    with App(start(*MANY)) as app:
        app.sign_up("Victim")
        attempts = Attempts(time.monotonic())
        for number in range(CEILING + 1):
            answer = guess(app)
            attempts.count(answer)
            if number < FREE:
                assert answer.status == 401, f"failure {number + 1} must be free"
        attempts.hold()
        assert attempts.refused > 0
        refused(guess_refused(app), 429, "throttled")


def guess_refused(app: App) -> Answer:
    """Guesses until a guess is refused. A guess that is just allowed again prolongs the next delay."""
    for _ in range(10):
        answer = guess(app)
        if answer.status != 401:
            assert wait(answer) <= LONGEST_DELAY
            return answer
    raise AssertionError("ten consecutive guesses were all checked")


def test_200_guesses_at_once_are_not_checked_more_often(start: Start) -> None:
    server = start(*MANY)
    with App(server) as app:
        app.sign_up("Victim")
    attempts = Attempts(time.monotonic())

    def ten(_: int) -> list[Answer]:
        with App(server) as app:
            return [guess(app) for _ in range(10)]

    for answers in together(20, ten):
        for answer in answers:
            attempts.count(answer)
    assert attempts.checked + attempts.refused == 200
    attempts.hold()


def test_the_right_password_tells_nothing_while_an_account_rests_and_works_again_after(start: Start) -> None:
    with App(start(*MANY)) as app:
        app.sign_up("Victim")
        for _ in range(FREE):
            refused(guess(app), 401, "wrong_name_or_password")
        guess_refused(app)
        assert app.sign_in("Victim").status == 429
        deadline = time.monotonic() + PATIENCE
        # Refused attempts do not count, so repeated requests do not prolong the delay.
        while (answer := app.sign_in("Victim")).status == 429:
            assert time.monotonic() < deadline, f"still refused, for {wait(answer)} s"
        assert answer.status == 200
        for number in range(FREE):
            assert guess(app).status == 401, f"failure {number + 1} after a success must be free"


def test_a_success_clears_the_count(start: Start) -> None:
    with App(start(*MANY)) as app:
        app.sign_up("Victim")
        for _ in range(6):
            for _ in range(FREE - 1):
                refused(guess(app), 401, "wrong_name_or_password")
            assert app.sign_in("Victim").status == 200


def test_unknown_names_are_slowed_down_just_as_known_ones(start: Start) -> None:
    with App(start(*MANY)) as app:
        app.sign_up("Victim")
        for name in ("Victim", "Nobody"):
            attempts = Attempts(time.monotonic())
            answers = [guess(app, name) for _ in range(30)]
            for answer in answers:
                attempts.count(answer)
            attempts.hold()
            assert [answer.status for answer in answers[:FREE]] == [401] * FREE, name
            assert attempts.refused > 0, name


def test_spellings_of_one_name_share_their_count(start: Start) -> None:
    with App(start(*MANY)) as app:
        app.sign_up("Victim")
        attempts = Attempts(time.monotonic())
        for number in range(32):
            name = "".join(letter.upper() if number >> at & 1 else letter for at, letter in enumerate("victim"))
            attempts.count(guess(app, name))
        attempts.hold()


def test_every_way_to_try_a_password_shares_the_count(start: Start) -> None:
    server = start(*MANY)
    with App(server) as app, Visitor(server) as visitor:
        token = app.sign_up("Victim")
        wrong = {"username": "Victim", "password": OTHER}
        update = {"username": "Victim", "current_password": OTHER, "new_password": PASSWORD + "2"}
        ways = [
            lambda: app.call("/api/signin", wrong),
            lambda: app.call("/api/update", update),
            lambda: app.call("/api/account", {"password": OTHER}, method="DELETE", token=token),
            lambda: app.call("/ultra_motivator/api/signin.py", wrong),
            lambda: app.call("/ultra_motivator/api/update.py", update),
            lambda: visitor.sign_in("Victim", OTHER),
            lambda: visitor.update(OTHER, PASSWORD + "2", "Victim"),
        ]
        attempts = Attempts(time.monotonic())
        for _ in range(5):
            for way in ways:
                attempts.count(way())
        attempts.hold()


def test_the_site_says_how_long_to_wait_and_keeps_the_name(start: Start) -> None:
    with Visitor(start(*MANY)) as visitor:
        visitor.sign_up("Victim")
        visitor.sign_out()
        for _ in range(FREE):
            assert visitor.sign_in("Victim", OTHER).status == 401
        answers = [visitor.sign_in("Victim", OTHER) for _ in range(10)]
        throttled = [answer for answer in answers if answer.status == 429]
        assert throttled
        assert wait(throttled[0]) >= 1
        page = Page.of(throttled[0].content)
        assert page.form("/signin").inputs["username"].get("value") == "Victim"
        assert any("second" in alert or "minute" in alert for alert in page.alerts), page.alerts


@pytest.mark.parametrize("number", [1, 3])
def test_one_address_has_its_measure_and_others_have_theirs(start: Start, number: int) -> None:
    server = start("--failures-per-address", str(number))
    with App(server) as here, App(server, source="127.0.0.2") as there:
        here.sign_up("Inhabitant")
        for guessed in range(number):
            refused(guess(here, f"Name {guessed}"), 401, "wrong_name_or_password")
        answer = guess(here, "One more name")
        refused(answer, 429, "throttled")
        # The bucket refills evenly over an hour.
        assert 1 <= wait(answer) <= 3600 // number + 1
        assert there.sign_in("Inhabitant").status == 200
        refused(guess(there, "One more name"), 401, "wrong_name_or_password")


def test_successes_do_not_use_up_the_measure_of_an_address(start: Start) -> None:
    with App(start("--failures-per-address", "2")) as app:
        app.sign_up("Busy")
        for _ in range(10):
            assert app.sign_in("Busy").status == 200
        refused(guess(app, "Busy"), 401, "wrong_name_or_password")


def test_asking_which_names_are_taken_is_slowed_down(start: Start) -> None:
    with App(start("--sign-ups-per-address", "4")) as app:
        app.sign_up("Taken")
        taken = {"username": "Taken", "password": PASSWORD}
        for _ in range(3):
            refused(app.call("/api/signup", taken), 409, "name_taken")
        refused(app.call("/api/signup", taken), 429, "throttled")


def test_sign_ups_of_an_address_are_limited_and_are_no_failures(start: Start) -> None:
    server = start("--sign-ups-per-address", "3", "--failures-per-address", "3")
    with App(server) as app, App(server, source="127.0.0.2") as other:
        for number in range(3):
            app.sign_up(f"Family {number}")
        refused(answer := app.call("/api/signup", {"username": "Late", "password": PASSWORD}), 429, "throttled")
        assert 1 <= wait(answer) <= 1200
        assert app.sign_in("Family 0").status == 200
        other.sign_up("Late")


def test_an_address_that_guesses_does_not_lock_out_an_honest_one(start: Start) -> None:
    server = start(*MANY)
    with App(server) as app, App(server, source="127.0.0.2") as attacker, App(server, source="127.0.0.3") as new:
        app.sign_up("Victim")
        for _ in range(30):
            guess(attacker)
        refused(guess_refused(attacker), 429, "throttled")
        assert new.sign_in("Victim").status == 200, "a new address must not be throttled"
        assert app.sign_in("Victim").status == 200
        assert attacker.sign_in("Victim").status == 429, "the correct password must wait at the attacker's address"


# The server runs one hash per core and queues more. This number exceeds both on any current machine.
CROWD = 128 + 2 * (os.cpu_count() or 1) + 60


def test_a_crowd_is_told_to_come_back_and_the_association_file_is_served(start: Start) -> None:
    """Uses hashes of several milliseconds. A full queue must not count a password as wrong."""
    server = start("--scrypt", "13,8,1", *MANY)
    with ExitStack() as stack:
        crowd = [stack.enter_context(server.connect(context=server.context)) for _ in range(CROWD)]
        for number, wire in enumerate(crowd):
            content = json.dumps({"username": f"guest-{number}", "password": PASSWORD}).encode()
            wire.send(request("/api/signin", JSON, method="POST", content=content))
        with server.connect() as wire:
            assert wire.ask("/.well-known/apple-app-site-association").status == 200
        answers = [wire.answer(limit=PATIENCE) for wire in crowd]
    busy = [answer for answer in answers if answer.status == 503]
    for answer in busy:
        refused(answer, 503, "busy")
        assert wait(answer) >= 1
    for answer in answers:
        if answer not in busy:
            refused(answer, 401, "wrong_name_or_password")
    assert 0 < len(busy) < CROWD
    with App(server) as app:
        app.sign_up("Afterwards")
        assert app.sign_in("Afterwards").status == 200

"""Guessing passwords is throttled per account and per address, and never locks an account permanently.

The tests use the real clock. They show that the server checks no more attempts than the elapsed time allows.
"""

import json
import math
import os
import time
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from support.answers import Answer
from support.fixtures import Start
from support.people import JSON, OTHER, PASSWORD, App, Visitor, refused
from support.server import UNLIMITED
from support.wire import request

# The number of free consecutive failures. After that, the delays are 1, 2, 4, … seconds, at most 60.
FREE = 5


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


def test_all_password_checks_share_one_count(start: Start) -> None:
    server = start(*UNLIMITED)
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


@pytest.mark.parametrize("number", [1, 3])
def test_each_address_has_its_own_number_of_failures(start: Start, number: int) -> None:
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


def test_sign_ups_per_address_are_limited_and_do_not_count_as_failures(start: Start) -> None:
    server = start("--sign-ups-per-address", "3", "--failures-per-address", "3")
    with App(server) as app, App(server, source="127.0.0.2") as other:
        for number in range(3):
            app.sign_up(f"Family {number}")
        refused(answer := app.call("/api/signup", {"username": "Late", "password": PASSWORD}), 429, "throttled")
        assert 1 <= wait(answer) <= 1200
        assert app.sign_in("Family 0").status == 200
        other.sign_up("Late")


# The server runs one hash per core and queues more. This number exceeds both on any current machine.
CROWD = 128 + 2 * (os.cpu_count() or 1) + 60


def test_a_full_hash_queue_refuses_sign_ins_and_the_association_file_is_served(start: Start) -> None:
    """Uses hashes of several milliseconds. A full queue must not count a password as wrong."""
    server = start("--scrypt", "13,8,1", *UNLIMITED)
    with ExitStack() as stack:
        crowd = [stack.enter_context(server.connect(context=server.context)) for _ in range(CROWD)]
        for number, wire in enumerate(crowd):
            content = json.dumps({"username": f"guest-{number}", "password": PASSWORD}).encode()
            wire.send(request("/api/signin", JSON, method="POST", content=content))
        with server.connect() as wire:
            assert wire.ask("/.well-known/apple-app-site-association").status == 200
        answers = [wire.answer() for wire in crowd]
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

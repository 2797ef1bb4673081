"""Floods of expensive requests from a few addresses do not prevent service to a client at another address."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any
from urllib.parse import urlencode

import pytest

from attackers.flood import Flood
from support.answers import Answer
from support.people import FORM, JSON, PASSWORD, App
from support.server import Server
from support.wire import request

ATTACKERS = ["127.0.0.2", "127.0.0.3"]
VICTIM = "127.0.0.4"
# The default cost of a hash. The attack relies on expensive hashes.
EXPENSIVE = ("--scrypt", "15,8,3")
# The number of connections per attacker. Together, the attackers exceed the number of slots in the hashing queue.
CONNECTIONS = 80
# A rate that keeps the queue full. A higher rate would measure how the attacker's own processes use the CPU.
RATE = 100.0


def sign_up(number: int) -> bytes:
    content = json.dumps({"username": f"flood-{number}", "password": PASSWORD}).encode()
    return request("/api/signup", JSON, method="POST", content=content)


def failed_sign_in(number: int) -> bytes:
    content = json.dumps({"username": f"unknown-{number}", "password": PASSWORD}).encode()
    return request("/api/signin", JSON, method="POST", content=content)


def expensive_file(diagnostics: int = 8_000) -> str:
    """Returns an association file with many diagnostics. The check of 8,000 takes about a quarter of a second."""
    apps = [f"x{number}" for number in range(diagnostics)]
    return json.dumps({"webcredentials": {"apps": apps}}, separators=(",", ":"))


def form(file: str) -> bytes:
    content = urlencode({"file": file}).encode()
    fields = (FORM, "Sec-Fetch-Site: same-origin")
    return request("/check", *fields, method="POST", content=content)


@contextmanager
def victims(work: Callable[[], Answer], count: int, pause: float = 0.0) -> Iterator[list[tuple[int, float]]]:
    """Runs `work` in a thread, at least `count` times, until the block ends. Yields statuses and seconds."""
    results: list[tuple[int, float]] = []
    ended = threading.Event()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            while not ended.is_set() or len(results) < count:
                began = time.monotonic()
                answer = work()
                results.append((answer.status, time.monotonic() - began))
                ended.wait(pause)
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield results
    finally:
        ended.set()
        thread.join()
    if failures:
        raise failures[0]


def all_served(results: list[tuple[int, float]]) -> None:
    slowest = max(seconds for _, seconds in results)
    wrong = [status for status, _ in results if status != 200]
    print(f"{len(results)} requests of the victim, {len(wrong)} not served; the slowest took {slowest:.1f} s")
    assert not wrong, f"{len(wrong)} of {len(results)} requests were not served: {sorted(set(wrong))}"


def survive_sign_ups(attack: Callable[..., Any], sent: int, count: int, message: Callable[[int], bytes]) -> None:
    with attack(*EXPENSIVE) as under, App(under.server, VICTIM) as app:
        app.sign_up("Victim")
        with Flood(under.server, ATTACKERS, message, connections=2 * CONNECTIONS, rate=RATE) as flood:
            flood.wait_for(lambda: flood.sent >= 2 * CONNECTIONS or flood.statuses.total() > 0)
            with victims(lambda: app.sign_in("Victim"), count) as results:
                flood.wait_for(lambda: flood.sent >= sent or len(results) >= 2 * count)
            print(f"flood: {flood.sent} sent, responses {dict(flood.statuses)}")
        all_served(results)


@pytest.mark.parametrize("message", [sign_up, failed_sign_in], ids=["sign-ups", "failed sign-ins"])
def test_sign_ins_succeed_while_two_addresses_flood(
    attack: Callable[..., Any], message: Callable[[int], bytes]
) -> None:
    survive_sign_ups(attack, 200, 2, message)


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("message", [sign_up, failed_sign_in], ids=["sign-ups", "failed sign-ins"])
def test_thirty_sign_ins_succeed_while_two_addresses_flood(
    attack: Callable[..., Any], message: Callable[[int], bytes]
) -> None:
    survive_sign_ups(attack, 3_000, 30, message)


# The number of connections of one attacker, and the maximum number of its requests that the server handles while a
# request of another client waits. Without turns, the request would wait for all connections.
ONE_ADDRESS = 64
MOST_BEFORE = ONE_ADDRESS // 4
EXPENSIVE_REQUESTS: dict[str, Callable[[int], bytes]] = {
    "codes": lambda _: request("/check/codes?q=a"),
    "sign-up": sign_up,
    "sign-in": failed_sign_in,
    "check": lambda _: form(expensive_file()),
    "bytes": lambda _: request("/bytes/1048576"),
    "anything": lambda _: request("/anything", method="POST", content=b"x" * (1 << 20)),
}
# The kinds whose requests wait in a queue of their own. At a higher rate, the server would mostly refuse requests.
QUEUED = ("sign-up", "sign-in", "check")


@pytest.mark.parametrize("kind", EXPENSIVE_REQUESTS)
def test_a_client_does_not_wait_for_the_requests_of_another(attack: Callable[..., Any], kind: str) -> None:
    options = ("--faults", "--sign-ups-per-address", "1000000", "--failures-per-address", "1000000", *EXPENSIVE)
    with attack(*options) as under, App(under.server, VICTIM) as app:
        app.sign_up("Victim")
        rate = RATE if kind in QUEUED else 1_000_000
        flood = Flood(under.server, ATTACKERS[:1], EXPENSIVE_REQUESTS[kind], connections=ONE_ADDRESS, rate=rate)
        with flood:
            flood.wait_for(lambda: flood.sent > ONE_ADDRESS)
            before: dict[str, list[int]] = {"page": [], "sign-in": []}
            for _ in range(7):
                handled = flood.statuses.total()
                assert app.send("GET", "/signin").status == 200
                before["page"].append(flood.statuses.total() - handled)
                handled = flood.statuses.total()
                assert app.sign_in("Victim").status == 200
                before["sign-in"].append(flood.statuses.total() - handled)
        print(f"{kind}: {flood.sent} sent, responses {dict(flood.statuses)}, handled before a response: {before}")
    assert median(before["page"]) <= MOST_BEFORE, before["page"]
    # A sign-in lasts as long as many short requests, but about as long as another hash.
    if kind in ("sign-up", "sign-in"):
        assert median(before["sign-in"]) <= MOST_BEFORE, before["sign-in"]


def survive_checks(attack: Callable[..., Any], sent: int, count: int, diagnostics: int) -> None:
    with attack() as under, App(under.server, VICTIM) as app:
        content = form(expensive_file(diagnostics))
        small = urlencode({"file": '{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}'}).encode()

        def check() -> Answer:
            return app.send("POST", "/check", FORM, "Sec-Fetch-Site: same-origin", content=small)

        assert check().status == 200
        with Flood(under.server, ATTACKERS, lambda _: content, connections=80, rate=60) as flood:
            flood.wait_for(lambda: flood.sent >= 80 or flood.statuses[503] > 0)
            # A person sends one form after another, not as many as possible.
            with victims(check, count, pause=1.0) as results:
                flood.wait_for(lambda: flood.sent >= sent or len(results) >= 2 * count)
            print(f"flood: {flood.sent} sent, responses {dict(flood.statuses)}")
        all_served(results)


def test_checks_are_made_while_two_addresses_flood(attack: Callable[..., Any]) -> None:
    # Checks have a low priority. On a busy machine, a larger file would take longer than a client waits.
    survive_checks(attack, 100, 2, 2_000)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_thirty_checks_are_made_while_two_addresses_flood(attack: Callable[..., Any]) -> None:
    survive_checks(attack, 1_500, 30, 8_000)


def test_sign_ups_of_one_address_are_limited(attack: Callable[..., Any]) -> None:
    """A token bucket returns 429 with Retry-After to one address, while another address can sign up."""
    with attack() as under:
        with Flood(under.server, ATTACKERS[:1], sign_up, connections=20, rate=500) as flood:
            flood.wait_for(lambda: flood.statuses[429] > 0 or flood.statuses.total() >= 1_000)
        print(f"flood: {flood.sent} sent, responses {dict(flood.statuses)}")
        assert flood.statuses[429] > 0, f"1,000 sign-ups from one address: {dict(flood.statuses)}"
        with App(under.server, ATTACKERS[0]) as attacker, App(under.server, VICTIM) as victim:
            answer = attacker.call("/api/signup", {"username": "one-more", "password": PASSWORD})
            assert answer.status == 429
            assert int(answer.field("Retry-After")) >= 1
            victim.sign_up("Newcomer")


def wrong_password(name: str) -> Callable[[int], bytes]:
    def message(number: int) -> bytes:
        content = json.dumps({"username": name, "password": f"wrong horse {number} staple"}).encode()
        return request("/api/signin", JSON, method="POST", content=content)

    return message


# The time limit for the victim's sign-in, in seconds, and the maximum number of guesses by the attackers during this
# time.
PATIENCE = 90.0
MOST_GUESSES = {1: 20, 20: 250}


def sign_in_patiently(server: Server, source: str, name: str) -> float:
    """Signs in as a person does, and retries after the time in Retry-After. Returns the elapsed seconds."""
    began = time.monotonic()
    pause = threading.Event()
    with App(server, source) as app:
        while True:
            answer = app.sign_in(name)
            passed = time.monotonic() - began
            if answer.status == 200:
                return passed
            wait = int(answer.field("Retry-After")) if answer.values("Retry-After") else 0
            assert answer.status == 429, (answer.status, answer.text)
            assert passed + wait < PATIENCE, f"not signed in after {passed:.0f} s; Retry-After is {wait} s"
            # Only the response contains the time of the next allowed attempt.
            pause.wait(wait)


@pytest.mark.parametrize("count", [1, 20], ids=["one address", "20 addresses"])
def test_a_victim_signs_in_from_a_new_address_during_an_attack_on_the_account(
    attack: Callable[..., Any], count: int
) -> None:
    addresses = [f"127.0.1.{number + 1}" for number in range(count)]
    options = ("--failures-per-address", "1000000")
    with attack(*options) as under:
        with App(under.server, "127.0.2.1") as owner:
            owner.sign_up("Victim")
        with Flood(under.server, addresses, wrong_password("Victim"), connections=2 * count, rate=200) as flood:
            # Wait until all free failures are used up.
            flood.wait_for(lambda: flood.statuses[429] >= 100)
            seconds = [sign_in_patiently(under.server, f"127.0.3.{number}", "Victim") for number in (1, 2)]
        guesses = flood.statuses[401]
        print(f"signed in after {seconds[0]:.1f} s and {seconds[1]:.1f} s; {guesses} guesses, {dict(flood.statuses)}")
        assert guesses <= MOST_GUESSES[count], f"{count} addresses tried {guesses} passwords"


@pytest.mark.full
@pytest.mark.timeout(300)
def test_an_account_is_never_locked_for_good(attack: Callable[..., Any]) -> None:
    """Many addresses exceed any limit of consecutive failures. The owner can sign in after a while."""
    addresses = [f"127.0.1.{number + 1}" for number in range(200)]
    with attack("--failures-per-address", "1000000") as under:
        with App(under.server, "127.0.2.1") as owner:
            owner.sign_up("Victim")
        with Flood(under.server, addresses, wrong_password("Victim"), connections=200, rate=100) as flood:
            flood.wait_for(lambda: flood.sent >= 6_000)
            seconds = sign_in_patiently(under.server, "127.0.3.1", "Victim")
        print(f"signed in after {seconds:.1f} s; {flood.statuses[401]} guesses, {dict(flood.statuses)}")

"""The duration of a failed sign-in does not reveal whether the account exists (docs/accounts.md, "Hashing")."""

import statistics
import time
from collections.abc import Callable

import pytest

from support.people import App
from support.server import Server

WRONG = "wrong horse 1 staple"
# Failures of one address on one account that cause no wait.
FREE = 5
# Hashes of about 25 ms, which are long compared with the rest of a request.
COST = ("--scrypt", "14,8,1")
# A hash takes longer than this many seconds. Without hashing, a sign-in takes less than a hundredth of it.
LEAST = 0.005


def processor_time(server: Server) -> float:
    """Returns the processor time that the server has used, which does not depend on other programs."""
    # The clock of a process has the number that clock_getcpuclockid(3) returns on Linux.
    return time.clock_gettime(~server.process.pid << 3 | 2)


def duration(_: Server) -> float:
    return time.monotonic()


def compare(start: Callable[..., Server], samples: int, clock: Callable[[Server], float]) -> None:
    """Signs in to known and unknown accounts in turn, and compares the medians.

    Fails only if the medians differ by half the cost of a hash. Work for only one of the two kinds would differ by a
    whole hash.
    """
    server = start(*COST, "--failures-per-address", "1000000", "--sign-ups-per-address", "1000000")
    known: list[float] = []
    unknown: list[float] = []
    without: list[float] = []
    responses = set()
    with App(server) as app:
        names = [f"known-{number}" for number in range(samples // FREE)]
        for name in names:
            app.sign_up(name)

        def timed(name: str, status: int, seconds: list[float]) -> None:
            began = clock(server)
            answer = app.sign_in(name, WRONG)
            seconds.append(clock(server) - began)
            assert answer.status == status, answer.text
            if status == 401:
                fields = tuple(field for field in answer.fields if field[0] != "Date")
                responses.add((fields, answer.content))

        for number in range(samples):
            # The order alternates, so that a trend affects both kinds.
            kinds = [(names[number // FREE], known), (f"nobody-{number // FREE}", unknown)]
            for name, seconds in kinds if number % 2 else reversed(kinds):
                timed(name, 401, seconds)
            timed("", 422, without)
    assert len(responses) == 1, f"the responses differ: {responses}"
    wins = sum(one > other for one in known for other in unknown) / (len(known) * len(unknown))
    medians = [statistics.median(seconds) for seconds in (known, unknown, without)]
    hashing = min(medians[:2]) - medians[2]
    print(
        f"medians {[f'{median * 1e3:.1f} ms' for median in medians]}; a known account is slower in {wins:.1%} of pairs"
    )
    assert hashing > LEAST, "no hash was computed, so the test compares nothing"
    assert abs(medians[0] - medians[1]) < hashing / 2


def test_a_failed_sign_in_costs_the_same_for_known_and_unknown_accounts(start: Callable[..., Server]) -> None:
    compare(start, 20, processor_time)


@pytest.mark.full
@pytest.mark.timeout(600)
def test_200_failed_sign_ins_take_the_same_time_for_known_and_unknown_accounts(start: Callable[..., Server]) -> None:
    compare(start, 200, duration)

"""The throttles of an address over the wire. `AccountsThrottleTests` and `StoreThrottleTests` have all rules."""

from support.fixtures import Start
from support.people import OTHER, PASSWORD, App, refused


def test_each_address_has_its_own_failures_and_sign_ups(start: Start) -> None:
    server = start("--failures-per-address", "3", "--sign-ups-per-address", "3")
    with App(server) as here, App(server, source="127.0.0.2") as there:
        for number in range(3):
            here.sign_up(f"Family {number}")
        refused(here.call("/api/signup", {"username": "Late", "password": PASSWORD}), 429, "throttled")
        for number in range(3):
            refused(here.sign_in(f"Name {number}", OTHER), 401, "wrong_name_or_password")
        answer = here.sign_in("One more name", OTHER)
        refused(answer, 429, "throttled")
        # The bucket refills evenly over an hour.
        assert 1 <= int(answer.field("Retry-After")) <= 1200
        there.sign_up("Late")
        assert there.sign_in("Family 0").status == 200
        refused(there.sign_in("One more name", OTHER), 401, "wrong_name_or_password")

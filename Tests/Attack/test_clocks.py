"""Jumps of the wall clock, as a false time server causes: throttles, sessions and certificates afterwards."""

import signal
import ssl
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from attackers.crowd import trusting_context
from attackers.faults import FakeClock
from support.people import App
from support.server import Server
from support.wire import NAME, Wire

HOUR, DAY, YEAR = 3_600, 86_400, 365 * 86_400
WRONG = "wrong horse 1 staple"
# The failures of an address on an account that cause no wait (docs/accounts.md, "Failed passwords").
FREE = 5


class Timed:
    """A server with its own clock."""

    def __init__(self, clock: FakeClock, server: Server) -> None:
        self._clock = clock
        self.server = server
        self.seconds = 0

    @property
    def now(self) -> datetime:
        """The server's time, from a response."""
        with Wire(self.server.port, trusting_context(), NAME) as wire:
            return parsedate_to_datetime(wire.ask("/digits.txt", "Connection: close").field("Date"))

    def jump(self, seconds: int) -> None:
        """Sets the difference from the real time, and waits until the server uses it."""
        self._clock.set(seconds)
        self.seconds = seconds
        deadline = datetime.now(UTC) + timedelta(seconds=60)
        while abs(self.now - datetime.now(UTC) - timedelta(seconds=seconds)) > timedelta(seconds=30):
            assert datetime.now(UTC) < deadline, "the clock did not jump"

    def reload(self) -> None:
        before = len(self.server.err.lines)
        self.server.signal(signal.SIGHUP)
        self.server.err.wait_for(lambda line: "reloaded the certificates" in line, since=before)

    def certificate(self) -> tuple[datetime, datetime]:
        """Returns the first and the last time of the served certificate."""
        with Wire(self.server.port, trusting_context(), NAME) as wire:
            assert wire.tls
            der = wire.tls.getpeercert(binary_form=True)
        assert der
        text = subprocess.run(
            ["openssl", "x509", "-noout", "-dates"],
            input=ssl.DER_cert_to_PEM_cert(der),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        dates = [line.partition("=")[2] for line in text.splitlines()]
        first, last = (datetime.fromtimestamp(ssl.cert_time_to_seconds(date), UTC) for date in dates)
        return first, last


@pytest.fixture
def timed(tmp_path: Path, start: Callable[..., Server]) -> Iterator[Timed]:
    clock = FakeClock(tmp_path)
    server = start(wrapper=clock.WRAPPER, variables=clock.variables)
    clock.remove(server)
    yield Timed(clock, server)


def client(timed: Timed) -> App:
    """Returns an app that accepts every certificate, because its own clock does not jump."""
    app = App(timed.server)
    app._context = trusting_context()
    return app


def fail_until_refused(app: App) -> None:
    """Fails to sign in until the server refuses. On a busy machine, a wait may end before the next try."""
    for _ in range(FREE):
        assert app.sign_in("Owner", WRONG).status == 401
    # Each further failure doubles the wait.
    for more in range(8):
        answer = app.sign_in("Owner", WRONG)
        if answer.status == 429:
            assert int(answer.field("Retry-After")) <= 2 ** (more + 1)
            return
        assert answer.status == 401
    raise AssertionError("the server never refuses")


@pytest.mark.parametrize("seconds", [HOUR, DAY, YEAR, -HOUR, -DAY, -YEAR])
def test_a_throttle_never_waits_longer_because_of_a_jump(timed: Timed, seconds: int) -> None:
    with client(timed) as app:
        app.sign_up("Owner")
        fail_until_refused(app)
        timed.jump(seconds)
        assert app.sign_in("Owner").status == 200, "the wait did not end with the jump"
        # The count works at the new time.
        fail_until_refused(app)
        timed.jump(0)
        assert app.sign_in("Owner").status == 200


def test_a_session_outlives_no_jump_over_its_end(timed: Timed) -> None:
    with client(timed) as app:
        early = app.sign_up("Owner")
        assert app.is_signed_in(early)
        timed.jump(13 * HOUR)
        assert not app.is_signed_in(early), "the session is older than 12 hours"
        late = app.sign_in("Owner")
        assert late.status == 200
        token = late.text.partition('"token": "')[2].partition('"')[0]
        assert app.is_signed_in(token)
        timed.jump(0)
        assert not app.is_signed_in(token), "the session's last use is more than 12 hours in the future"
        assert not app.is_signed_in(early)
        assert app.sign_in("Owner").status == 200


@pytest.mark.parametrize("days", [100, 500, -100])
def test_a_reload_replaces_certificates_that_a_jump_made_invalid(timed: Timed, days: int) -> None:
    for seconds in (days * DAY, 0):
        timed.jump(seconds)
        timed.reload()
        first, last = timed.certificate()
        assert first <= timed.now <= last, f"{first} to {last} at {timed.now}"
    with timed.server.connect() as wire:
        assert wire.ask("/digits.txt").status == 200

"""When a simulated device asks a site again: iOS 8 as its reference says, and current systems as they are observed."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import NO, USAGE, refused
from support.device import APP, Device, Issuer, Play, failing, file, signed_file
from support.keys import OTHER_APP, association
from support.people import PASSWORD
from support.sites import Answering, Stream, reset

IOS8 = ("--system", "ios8")
REFUSED_BY_THE_SITE = "errSecAuthFailed -25293"

Ask = Callable[[Answering], Device]


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Issuer:
    return Issuer.new(tmp_path_factory.mktemp("schedule"))


@pytest.fixture(scope="module")
def signed(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return signed_file(issuer.signed(tmp_path_factory.mktemp("signed")))


@pytest.fixture
def at(issuer: Issuer, tmp_path: Path) -> Iterator[Ask]:
    """A device and the site that it asks."""
    with ExitStack() as stack:
        yield lambda answering: issuer.device(tmp_path, stack.enter_context(issuer.site(answering)))


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def approval(device: Device) -> tuple[str, int]:
    record = device.record()
    return record["site_approval"], record["retries"]


def test_ios_8_asks_a_site_that_cannot_answer_eight_times_at_three_hour_steps(at: Ask) -> None:
    play = Play(failing(503))
    device = at(play)
    device.install(SITE, options=IOS8)
    first = moment(device.record()["last_checked"])
    for check in range(1, 8):
        record = device.record()
        assert (record["site_approval"], record["retries"], play.checks) == ("unspecified", check, check)
        assert "503" in record["error"]["message"]
        assert moment(record["next_check"]) == first + timedelta(hours=3 * check)
        told = device.json("advance", "3h")["checks"]
        assert [moment(one["time"]) for one in told] == [first + timedelta(hours=3 * check)]
    record = device.record()
    assert (record["retries"], record["next_check"], play.checks) == (8, None, 8)
    assert device.json("advance", "366d")["checks"] == []
    assert play.checks == 8


def test_ios_8_asks_again_when_the_app_calls_and_the_schedule_stays(at: Ask, signed: bytes) -> None:
    play = Play(*[failing(503)] * 9, signed)
    device = at(play)
    device.install(SITE, options=IOS8)
    device("advance", "21h")
    assert (approval(device), play.checks) == (("unspecified", 8), 8)
    assert REFUSED_BY_THE_SITE in device("request", "--app", APP, code=NO).replace("(", "")
    assert (approval(device), play.checks) == (("unspecified", 8), 9)
    device("save", "--app", APP, "--domain", SITE, "--account", "ray", "--password-stdin", given=PASSWORD)
    assert (approval(device), play.checks) == (("approved", 0), 10)
    assert device.passwords() == {"ray": PASSWORD}
    device("request", "--app", APP, "--yes")
    assert play.checks == 10, "an answer is not asked for again"


def test_a_site_that_comes_back_is_believed(at: Ask, signed: bytes) -> None:
    play = Play(failing(503), failing(503), signed)
    device = at(play)
    device.install(SITE, options=IOS8)
    checks = device.json("advance", "6h")["checks"]
    told = [(one["association"]["site_approval"], one["association"]["retries"]) for one in checks]
    assert told == [("unspecified", 2), ("approved", 0)]
    record = device.record()
    assert record["error"] is None
    assert moment(record["next_check"]) - moment(record["last_checked"]) == timedelta(days=5)


def test_ios_8_takes_a_no_for_good_until_the_app_is_installed_again(at: Ask, signed: bytes) -> None:
    play = Play(failing(404), signed)
    device = at(play)
    device.install(SITE, options=IOS8)
    asked = play.checks
    assert approval(device) == ("denied", 0)
    assert device.record()["next_check"] is None
    assert device.json("advance", "366d")["checks"] == []
    assert "-25293" in device("request", "--app", APP, code=NO)
    assert play.checks == asked == 1
    # A year later the certificate would be no good: another device, at the time that it is.
    again = Device(device.home, device.sites, "again.json")
    play.asked.clear()
    again.install(SITE, options=IOS8)
    assert approval(again) == ("denied", 0)
    assert "Reinstalled" in again.install(SITE)
    assert approval(again) == ("approved", 0)


def test_ios_8_wants_the_file_signed(at: Ask) -> None:
    device = at(Play(file()))
    device.install(SITE, options=IOS8)
    assert approval(device)[0] == "denied"
    current = Device(device.home, device.sites, "current.json")
    current.install(SITE)
    assert approval(current)[0] == "approved"


@pytest.mark.parametrize(
    "change", [failing(404), file(association(OTHER_APP))], ids=["the file is gone", "the file names another app"]
)
def test_a_success_is_checked_again_after_five_days(at: Ask, change: bytes) -> None:
    play = Play(file(), change)
    device = at(play)
    device.install(SITE)
    first = device.record()
    assert moment(first["next_check"]) - moment(first["last_checked"]) == timedelta(days=5)
    assert device.json("advance", "4d")["checks"] == []
    assert (approval(device), play.checks) == (("approved", 0), 1)
    device("save", "--app", APP, "--domain", SITE, "--account", "ray", "--password-stdin", "--yes", given=PASSWORD)
    (check,) = device.json("advance", "1d")["checks"]
    assert check["time"] == first["next_check"]
    assert (approval(device), play.checks) == (("denied", 1), 2)
    assert "-25293" in device("request", "--app", APP, "--yes", code=NO)
    assert device.passwords() == {"ray": PASSWORD}, "what the person saved stays"


def test_a_current_device_asks_a_site_that_said_no_every_three_hours(at: Ask) -> None:
    play = Play(*[failing(404)] * 10, file())
    device = at(play)
    device.install(SITE)
    checks = device.json("advance", "1d")["checks"]
    assert len(checks) == 8
    assert {one["association"]["site_approval"] for one in checks} == {"denied"}
    assert approval(device) == ("denied", 9)
    text = device("advance", "6h")
    lines = text.splitlines()
    assert f"webcredentials:{SITE} denied: " in lines[0] and "[" in lines[0]
    assert lines[1].endswith(f"webcredentials:{SITE} approved")
    assert re.fullmatch(r"The device's time is \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.", lines[-1])
    assert approval(device) == ("approved", 0)


def test_what_a_site_said_counts_on_ios_8_until_it_is_given_up(at: Ask, signed: bytes) -> None:
    play = Play(signed, failing(503))
    device = at(play)
    device.install(SITE, options=IOS8)
    device("advance", "5d")
    assert approval(device) == ("approved", 1)
    assert "503" in device.record()["error"]["message"]
    device("advance", "18h")
    assert approval(device) == ("approved", 7)
    device("advance", "3h")
    assert (approval(device), play.checks) == (("unspecified", 8), 9)


def test_on_a_current_device_an_approval_survives_503(at: Ask) -> None:
    device = at(Play(file(), failing(503)))
    device.install(SITE)
    device("advance", "5d")
    assert approval(device) == ("approved", 1)
    assert "503" in device.record()["error"]["message"]


def test_a_site_that_hangs_up_is_asked_again(at: Ask, signed: bytes) -> None:
    left = [2]

    def answer(stream: Stream, path: str) -> None:
        if left[0]:
            left[0] -= 1
            reset(stream)
        else:
            stream.sendall(signed)

    device = at(answer)
    device.install(SITE, options=IOS8)
    assert approval(device) == ("unspecified", 1)
    device("advance", "3h")
    assert approval(device) == ("approved", 0)


def test_the_device_ahead_of_the_certificates_end_refuses_the_site(at: Ask) -> None:
    device = at(Play(file()))
    device.install(SITE)
    assert approval(device) == ("approved", 0)
    device("advance", "91d")
    record = device.record()
    assert record["site_approval"] != "approved", record
    assert "expired" in record["error"]["message"], record
    assert "-25293" in device("request", "--app", APP, "--yes", code=NO)


def test_time_passes_in_steps_of_at_most_366_days(at: Ask) -> None:
    device = at(Play(file()))
    before = moment(device.now())
    refused(device.run("advance", "367d"), USAGE, "366 days", "several steps")
    device("advance", "90m")
    after = moment(device.now())
    assert timedelta(minutes=90) <= after - before < timedelta(minutes=95)


def test_trust_is_not_given_by_another_authority(at: Ask, tmp_path: Path) -> None:
    device = at(Play(file()))
    stranger = Issuer.new(tmp_path)
    device.install(SITE)
    assert approval(device)[0] == "approved"
    other = Device(device.home, ("--trust", str(stranger.root), *device.sites[2:]), "other.json")
    other.install(SITE)
    assert approval(other)[0] != "approved"

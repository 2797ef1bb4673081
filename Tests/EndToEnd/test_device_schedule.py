"""The clock of a simulated device: the intervals between checks, and expiring certificates.

The requests of each system are in test_device_systems.py and test_device_statuses.py.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import NO, USAGE, refused
from support.device import APP, Device, Issuer, Play, failing, file, signed_file
from support.sites import Answering, Stream, reset
from support.systems import moment

IOS8 = ("--system", "ios8")

Ask = Callable[[Answering], Device]


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Issuer:
    return Issuer.new(tmp_path_factory.mktemp("schedule"))


@pytest.fixture(scope="module")
def signed(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return signed_file(issuer.signed(tmp_path_factory.mktemp("signed")))


@pytest.fixture
def at(issuer: Issuer, tmp_path: Path) -> Iterator[Ask]:
    """A device, and the site that receives its requests."""
    with ExitStack() as stack:
        yield lambda answering: issuer.device(tmp_path, stack.enter_context(issuer.site(answering)))


def approval(device: Device) -> tuple[str, int]:
    record = device.record()
    return record["site_approval"], record["retries"]


@pytest.mark.parametrize(("status", "decision"), [(404, "denied"), (503, "unspecified")])
def test_a_current_device_asks_a_site_without_a_file_at_growing_intervals(at: Ask, status: int, decision: str) -> None:
    play = Play(*[failing(status)] * 5, file())
    device = at(play)
    device.install(SITE)
    first = moment(device.record()["last_checked"])
    checks = device.json("advance", "1d")["checks"]
    assert [moment(one["time"]) - first for one in checks] == [timedelta(hours=hours) for hours in (3, 9, 21)]
    assert {one["association"]["site_approval"] for one in checks} == {decision}
    assert approval(device) == (decision, 4)
    text = device("advance", "3d")
    lines = text.splitlines()
    assert f"webcredentials:{SITE} {decision}: " in lines[0] and "[" in lines[0]
    assert lines[1].endswith(f"webcredentials:{SITE} approved")
    assert re.fullmatch(r"The device's time is \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.", lines[-1])
    assert approval(device) == ("approved", 0)


def test_a_site_that_hangs_up_is_asked_again(at: Ask, signed: bytes) -> None:
    left = [1]

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


@pytest.mark.parametrize("system", ["ios8", "ios9", "current"])
@pytest.mark.parametrize("answer", [file(), failing(404), failing(503)], ids=["200", "404", "503"])
def test_the_error_of_a_record_is_the_first_cause(at: Ask, system: str, answer: bytes) -> None:
    device = at(Play(answer))
    device("advance", "91d", "--system", system)
    device.install(SITE)
    record = device.record()
    assert record["site_approval"] != "approved"
    assert "expired" in record["error"]["message"], "the certificate's error must take precedence"


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

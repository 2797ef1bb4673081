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
from support.device import Device, Issuer, Play, failing, file
from support.sites import Answering
from support.systems import moment

Ask = Callable[[Answering], Device]


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Issuer:
    return Issuer.new(tmp_path_factory.mktemp("schedule"))


@pytest.fixture
def at(issuer: Issuer, tmp_path: Path) -> Iterator[Ask]:
    """A device, and the site that receives its requests."""
    with ExitStack() as stack:
        yield lambda answering: issuer.device(tmp_path, stack.enter_context(issuer.site(answering)))


def approval(device: Device) -> tuple[str, int]:
    record = device.record()
    return record["site_approval"], record["retries"]


@pytest.mark.parametrize(("status", "decision"), [(404, "denied"), (503, "unspecified")])
def test_a_current_device_retries_a_site_without_a_file_at_growing_intervals(
    at: Ask, status: int, decision: str
) -> None:
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


@pytest.mark.parametrize("system", ["ios8", "ios9", "current"])
@pytest.mark.parametrize("answer", [file(), failing(404), failing(503)], ids=["200", "404", "503"])
def test_the_error_of_a_record_is_the_first_cause(at: Ask, system: str, answer: bytes) -> None:
    device = at(Play(answer))
    device("advance", "91d", "--system", system)
    device.install(SITE)
    record = device.record()
    assert record["site_approval"] != "approved"
    assert "expired" in record["error"]["message"], "the certificate's error must take precedence"


def test_another_authority_is_not_trusted(at: Ask, tmp_path: Path) -> None:
    device = at(Play(file()))
    stranger = Issuer.new(tmp_path)
    device.install(SITE)
    assert approval(device)[0] == "approved"
    other = Device(device.home, ("--trust", str(stranger.root), *device.sites[2:]), "other.json")
    other.install(SITE)
    assert approval(other)[0] != "approved"

"""The clock of a simulated device as commands use it. `ScheduleTests` has all rules.

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


@pytest.fixture
def at(issuer: Issuer, tmp_path: Path) -> Iterator[Ask]:
    """A device, and the site that receives its requests."""
    with ExitStack() as stack:
        yield lambda answering: issuer.device(tmp_path, stack.enter_context(issuer.site(answering)))


def test_a_current_device_retries_a_site_without_a_file_at_growing_intervals(at: Ask) -> None:
    device = at(Play(*[failing(503)] * 5, file()))
    device.install(SITE)
    first = moment(device.record()["last_checked"])
    checks = device.json("advance", "1d")["checks"]
    assert [moment(one["time"]) - first for one in checks] == [timedelta(hours=hours) for hours in (3, 9, 21)]
    assert {one["association"]["site_approval"] for one in checks} == {"unspecified"}
    lines = device("advance", "3d").splitlines()
    assert f"webcredentials:{SITE} unspecified: " in lines[0] and "[" in lines[0]
    assert lines[1].endswith(f"webcredentials:{SITE} approved")
    assert re.fullmatch(r"The device's time is \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.", lines[-1])
    record = device.record()
    assert (record["site_approval"], record["retries"]) == ("approved", 0)


@pytest.mark.parametrize("system", ["ios8", "ios9", "current"])
def test_the_error_of_a_record_is_the_first_cause(at: Ask, system: str) -> None:
    device = at(Play(failing(404)))
    device("advance", "91d", "--system", system)
    device.install(SITE)
    record = device.record()
    assert record["site_approval"] != "approved"
    assert "expired" in record["error"]["message"], "the certificate's error must take precedence"

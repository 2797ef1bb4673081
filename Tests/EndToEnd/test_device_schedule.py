"""What a simulated device requests from a site and when, for each of the three systems."""

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
from support.sites import Answering, Stream, by_path, reset

IOS8 = ("--system", "ios8")
OLD_SYSTEMS = pytest.mark.parametrize("system", [IOS8, ("--system", "ios9")], ids=["ios8", "ios9"])
WELL_KNOWN = "/.well-known/apple-app-site-association"
ROOT = "/apple-app-site-association"
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


@OLD_SYSTEMS
def test_up_to_ios_13_a_site_that_cannot_answer_is_asked_eight_times_at_three_hour_steps(
    at: Ask, system: tuple[str, str]
) -> None:
    play = Play(failing(503))
    device = at(play)
    device.install(SITE, options=system)
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


@OLD_SYSTEMS
def test_up_to_ios_13_a_call_after_the_last_check_asks_again(at: Ask, signed: bytes, system: tuple[str, str]) -> None:
    play = Play(*[failing(503)] * 9, signed)
    device = at(play)
    device.install(SITE, options=system)
    assert REFUSED_BY_THE_SITE in device("request", "--app", APP, code=NO).replace("(", "")
    assert play.checks == 1
    device("advance", "21h")
    assert (approval(device), play.checks) == (("unspecified", 8), 8)
    assert REFUSED_BY_THE_SITE in device("request", "--app", APP, code=NO).replace("(", "")
    assert (approval(device), play.checks) == (("unspecified", 8), 9)
    device("save", "--app", APP, "--domain", SITE, "--account", "ray", "--password-stdin", given=PASSWORD)
    assert (approval(device), play.checks) == (("approved", 0), 10)
    assert device.passwords() == {"ray": PASSWORD}
    device("request", "--app", APP, "--yes")
    assert play.checks == 10, "an answer is not asked for again"


@OLD_SYSTEMS
def test_up_to_ios_13_an_approval_stays_until_the_app_is_deleted(
    at: Ask, signed: bytes, system: tuple[str, str]
) -> None:
    play = Play(failing(503), failing(503), signed, failing(404))
    device = at(play)
    device.install(SITE, options=system)
    checks = device.json("advance", "6h")["checks"]
    told = [(one["association"]["site_approval"], one["association"]["retries"]) for one in checks]
    assert told == [("unspecified", 2), ("approved", 0)]
    record = device.record()
    assert (record["error"], record["next_check"]) == (None, None)
    assert device.json("advance", "30d")["checks"] == []
    assert (approval(device), play.checks) == (("approved", 0), 3)


@OLD_SYSTEMS
def test_up_to_ios_13_a_no_is_for_good_until_the_app_is_installed_again(
    at: Ask, signed: bytes, system: tuple[str, str]
) -> None:
    play = Play(failing(404), signed)
    device = at(play)
    device.install(SITE, options=system)
    asked = play.checks
    assert approval(device) == ("denied", 0)
    assert device.record()["next_check"] is None
    assert device.json("advance", "366d")["checks"] == []
    assert "-25293" in device("request", "--app", APP, code=NO)
    assert play.checks == asked == 1
    # A year later the certificate would be no good: another device, at the time that it is.
    again = Device(device.home, device.sites, "again.json")
    play.asked.clear()
    again.install(SITE, options=system)
    assert approval(again) == ("denied", 0)
    assert "Reinstalled" in again.install(SITE)
    assert approval(again) == ("approved", 0)


def test_ios_8_wants_the_file_signed(at: Ask) -> None:
    device = at(Play(file()))
    device.install(SITE, options=IOS8)
    assert approval(device)[0] == "denied"
    for system in ("ios9", "current"):
        other = Device(device.home, device.sites, f"{system}.json")
        other.install(SITE, options=("--system", system))
        assert approval(other)[0] == "approved"


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


@pytest.mark.parametrize("answer", [failing(404), failing(503), None], ids=["404", "503", "a signed file"])
def test_on_ios_8_only_the_root_path_counts(at: Ask, signed: bytes, answer: bytes | None) -> None:
    device = at(by_path(well_known=answer or signed, root=failing(503)))
    device.install(SITE, options=IOS8)
    assert approval(device) == ("unspecified", 1)
    assert "503" in device.record()["error"]["message"]


@pytest.mark.parametrize("status", [404, 503])
def test_on_ios_9_the_root_path_counts_without_a_file_at_well_known(at: Ask, status: int) -> None:
    device = at(by_path(well_known=failing(status), root=file()))
    device.install(SITE, options=("--system", "ios9"))
    assert approval(device) == ("approved", 0)


SWCD = r"swcd \(unknown version\) CFNetwork/[0-9.]+ Darwin/[0-9.]+"


@pytest.mark.parametrize(
    ("system", "entry", "well_known", "paths", "agent"),
    [
        pytest.param("ios8", SITE, file(), [ROOT], SWCD, id="ios8"),
        pytest.param("ios8", f"{SITE}?mode=developer", file(), [ROOT], SWCD, id="ios8, a mode"),
        pytest.param("ios9", SITE, file(), [WELL_KNOWN], SWCD, id="ios9, a file"),
        pytest.param("ios9", SITE, failing(404), [WELL_KNOWN, ROOT], SWCD, id="ios9, no file"),
        pytest.param("ios9", SITE, failing(503), [WELL_KNOWN, ROOT], SWCD, id="ios9, a server error"),
        pytest.param("ios9", SITE, file(b"{}x"), [WELL_KNOWN], SWCD, id="ios9, an invalid file"),
        pytest.param("current", SITE, file(), [WELL_KNOWN], r"AASA-Bot/[0-9.]+", id="current"),
        pytest.param("current", SITE, failing(404), [WELL_KNOWN], r"AASA-Bot/[0-9.]+", id="current, no file"),
        pytest.param("current", f"{SITE}?mode=developer", failing(404), [WELL_KNOWN], SWCD, id="current, a mode"),
    ],
)
def test_a_device_requests_the_paths_of_its_system_and_says_who_it_is(
    issuer: Issuer, tmp_path: Path, system: str, entry: str, well_known: bytes, paths: list[str], agent: str
) -> None:
    heads: list[str] = []
    with issuer.site(by_path(well_known=well_known), heads) as site:
        device = issuer.device(tmp_path, site)
        device("developer-mode", "on", "--system", system)
        device.install(entry)
    assert [head.split(" ")[1] for head in heads] == paths
    for head in heads:
        assert re.search(rf"\r\nUser-Agent: {agent}\r\n", head), head


def test_on_a_current_device_an_approval_survives_503(at: Ask) -> None:
    device = at(Play(file(), failing(503)))
    device.install(SITE)
    device("advance", "5d")
    assert approval(device) == ("approved", 1)
    assert "503" in device.record()["error"]["message"]


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
    assert "expired" in record["error"]["message"], "the certificate comes before the status and the content"


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

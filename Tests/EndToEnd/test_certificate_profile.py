"""`certificate profile`: the configuration profile that installs the root on an iPhone, an iPad or a Mac."""

import plistlib
import ssl
import subprocess
import uuid
from pathlib import Path

from support.server import BINARY, run
from support.waiting import LIMIT


def profile(home: Path, folder: str = "certs") -> bytes:
    if not (home / folder).exists():
        assert run(home, "certificate", "authority", "--certificates", folder).code == 0
    done = subprocess.run(
        [BINARY, "certificate", "profile", "--certificates", folder], cwd=home, capture_output=True, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_profile_installs_exactly_the_root(tmp_path: Path) -> None:
    content = plistlib.loads(profile(tmp_path), fmt=plistlib.FMT_XML)
    assert (content["PayloadType"], content["PayloadVersion"]) == ("Configuration", 1)
    (payload,) = content["PayloadContent"]
    assert (payload["PayloadType"], payload["PayloadVersion"]) == ("com.apple.security.root", 1)
    assert payload["PayloadContent"] == ssl.PEM_cert_to_DER_cert((tmp_path / "certs/authority.pem").read_text())
    assert payload["PayloadDisplayName"] == content["PayloadDisplayName"] == "Ultra Motivator Development Authority"
    for part in (content, payload):
        number = uuid.UUID(part["PayloadUUID"])
        assert (number.version, number.variant, str(number).upper()) == (8, uuid.RFC_4122, part["PayloadUUID"])
        assert part["PayloadIdentifier"].startswith("test.ultra-motivator.authority.")
    assert payload["PayloadUUID"] != content["PayloadUUID"]
    assert payload["PayloadIdentifier"] != content["PayloadIdentifier"]


def test_the_profile_of_a_root_is_the_same_in_every_run_and_different_for_another_root(tmp_path: Path) -> None:
    first = profile(tmp_path)
    assert profile(tmp_path) == first
    one, other = plistlib.loads(first), plistlib.loads(profile(tmp_path, "others"))
    for key in ("PayloadIdentifier", "PayloadUUID"):
        assert one[key] != other[key]
        assert one["PayloadContent"][0][key] != other["PayloadContent"][0][key]


def test_a_profile_can_be_written_to_a_file(tmp_path: Path) -> None:
    expected = profile(tmp_path)
    assert run(tmp_path, "certificate", "profile", "--output", "it.mobileconfig").code == 0
    file = tmp_path / "it.mobileconfig"
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (expected, 0o644)

"""sslyze scans a server with `--faults`: the site has no issues, and each TLS fault matches its name."""

import json
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from scanners import sslyze
from support.faulty import FaultyServer
from support.wire import ADDRESS
from target import run

VERSIONS = ("ssl_2_0", "ssl_3_0", "tls_1_0", "tls_1_1", "tls_1_2", "tls_1_3")
SCANS = ("--sslv2", "--sslv3", "--tlsv1", "--tlsv1_1", "--tlsv1_2", "--tlsv1_3", "--certinfo")
LIMIT = 100
Scan = dict[str, Any]


def leaf(scan: Scan) -> Scan:
    """Returns the leaf that the host sends with SNI."""
    return deployment(scan)["received_certificate_chain"][0]


def deployment(scan: Scan) -> Scan:
    return scan["certificate_info"]["result"]["certificate_deployments"][0]


def why(scan: Scan) -> str:
    """Returns sslyze's reason for distrusting the chain with the development CA, or an empty result."""
    results = deployment(scan)["path_validation_results"]
    (result,) = (one for one in results if one["trust_store"]["name"] == "Supplied CA file")
    assert result["was_validation_successful"] == (result["verified_certificate_chain"] is not None)
    return result["validation_error"] or ""


def days(certificate: Scan) -> int:
    """Returns the number of whole days, without the last second."""
    first, last = (datetime.fromisoformat(certificate[f"not_valid_{end}"]) for end in ("before", "after"))
    return (last - first).days


EXPECTED: dict[str, Callable[[Scan], bool]] = {
    "expired": lambda scan: "not valid at validation time" in why(scan),
    "wrong-host": lambda scan: "no matching subjectAltName" in why(scan),
    "incomplete-chain": lambda scan: (
        len(deployment(scan)["received_certificate_chain"]) == 1 and "candidates exhausted" in why(scan)
    ),
    "rsa-1024": lambda scan: leaf(scan)["public_key"]["key_size"] == 1024,
    "tls-1-1": lambda scan: why(scan) == "",
}


@pytest.fixture(scope="module")
def scans(faulty: FaultyServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scan]:
    """The results of a single run of sslyze over all hosts with a handshake."""
    folder = tmp_path_factory.mktemp("sslyze")
    targets = [f"{faulty.host(name)}:{faulty.server.port}{{{ADDRESS}}}" for name in EXPECTED]
    command = [Path(sys.executable).with_name("sslyze"), *SCANS, "--json_out=faults.json"]
    done = run([*command, f"--certinfo_ca_file={faulty.server.authority}", *targets], folder, "faults.txt", LIMIT)
    results = json.loads((folder / "faults.json").read_text())["server_scan_results"]
    found = {one["server_location"]["hostname"].partition(".")[0]: one["scan_result"] for one in results}
    assert all(found.values()), done.stdout
    return found


@pytest.mark.parametrize("name", EXPECTED)
def test_the_scan_finds_the_fault_of_the_name(scans: dict[str, Scan], name: str) -> None:
    scan = scans[name]
    assert scan["certificate_info"]["status"] == "COMPLETED", scan["certificate_info"]
    assert EXPECTED[name](scan), (why(scan), leaf(scan))


@pytest.mark.parametrize("name", EXPECTED)
def test_only_one_host_has_old_versions(scans: dict[str, Scan], name: str) -> None:
    accepted = [
        version for version in VERSIONS if scans[name][f"{version}_cipher_suites"]["result"]["accepted_cipher_suites"]
    ]
    assert accepted == (["tls_1_0", "tls_1_1"] if name == "tls-1-1" else ["tls_1_2", "tls_1_3"])


def test_the_site_stays_clean(faulty: FaultyServer, tmp_path: Path) -> None:
    part = sslyze(faulty.server, tmp_path)
    assert [str(finding) for finding in part.findings] == []
    assert part.note == "compliant"

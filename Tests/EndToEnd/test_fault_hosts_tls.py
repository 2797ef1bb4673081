"""The hosts of `serve --faults` with a broken certificate or connection. Each has only the named fault."""

import re
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from support.faulty import PATHS, WELL_KNOWN, FaultyServer, any_certificate, run_openssl, strict
from support.wire import NAME, Ending

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Chain:
    faulty: FaultyServer
    paths: list[Path]

    def verify(self, host: str) -> set[int]:
        """Returns the numbers of all errors that openssl reports."""
        words: list[str | Path] = ["-verify_hostname", host, "-CAfile", self.faulty.server.authority]
        for path in self.paths[1:]:
            words += ["-untrusted", path]
        done = run_openssl("verify", "-purpose", "sslserver", "-auth_level", "2", *words, self.paths[0])
        errors = {int(number) for number in re.findall(r"^error (\d+) at", done.err, re.MULTILINE)}
        assert bool(errors) == (done.code != 0), done
        return errors

    @property
    def validity(self) -> tuple[datetime, datetime]:
        dates = run_openssl("x509", "-noout", "-dates", "-in", self.paths[0]).out.decode()
        first, last = (
            datetime.fromtimestamp(ssl.cert_time_to_seconds(line.partition("=")[2]), UTC) for line in dates.splitlines()
        )
        return first, last


@pytest.mark.parametrize(
    ("name", "starts", "ends"), [("expired", None, -DAY), ("not-yet-valid", DAY, None), ("too-long", None, None)]
)
def test_the_validity_depends_on_the_name(
    faulty: FaultyServer, tmp_path: Path, name: str, starts: timedelta | None, ends: timedelta | None
) -> None:
    first, last = Chain(faulty, faulty.chain(name, tmp_path)).validity
    now, tolerance = datetime.now(UTC), timedelta(hours=1)
    if starts:
        assert abs(first - now - starts) < tolerance
    if ends:
        assert abs(last - now - ends) < tolerance
    if name == "too-long":
        # The validity period includes both its first and its last second.
        assert last - first + timedelta(seconds=1) == 826 * DAY
    else:
        assert last - first < 398 * DAY


def test_tls_1_1_is_the_highest_version(faulty: FaultyServer, tmp_path: Path) -> None:
    with pytest.raises(ssl.SSLError) as raised, faulty.connect("tls-1-1", strict(faulty.server)):
        pass
    assert raised.value.reason == "TLSV1_ALERT_PROTOCOL_VERSION"
    with faulty.connect("tls-1-1", any_certificate()) as wire:
        assert wire.tls and wire.tls.version() == "TLSv1.1"
    chain = Chain(faulty, faulty.chain("tls-1-1", tmp_path, "-tls1_1"))
    assert chain.verify(faulty.host("tls-1-1")) == set()


def test_the_handshake_stalls(faulty: FaultyServer) -> None:
    assert faulty.silent_handshake("stall-handshake")
    assert not faulty.silent_handshake("unsigned"), "the test cannot detect a handshake"


def test_the_connection_is_reset_after_the_request(faulty: FaultyServer) -> None:
    for path in PATHS:
        received = faulty.fetch("reset", path)
        assert (received.data, received.ending) == (b"", Ending.RESET)


@pytest.mark.parametrize("name", [NAME, "localhost"])
def test_the_hosts_exist_under_each_domain(faulty: FaultyServer, tmp_path: Path, name: str) -> None:
    with faulty.server.connect(f"expired.faults.{name}", any_certificate()) as wire:
        assert wire.ask(WELL_KNOWN, host=f"expired.faults.{name}").status == 200
    with pytest.raises(ssl.SSLCertVerificationError, match="expired"), faulty.server.connect(f"expired.faults.{name}"):
        pass

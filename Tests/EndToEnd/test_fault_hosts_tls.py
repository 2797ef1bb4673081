"""The hosts of `serve --faults` with a broken certificate or connection. Each has only the named fault."""

import json
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from support.faulty import (
    APP,
    HTTP_GROUP,
    PATHS,
    RIGHT,
    TLS_GROUP,
    WELL_KNOWN,
    FaultyServer,
    any_certificate,
    run_openssl,
)
from support.server import Server
from support.wire import NAME, Ending

# The numbers of openssl's verification errors.
NO_ISSUER, NOT_YET_VALID, EXPIRED, SELF_SIGNED, WEAK_KEY, WEAK_DIGEST, OTHER_HOST = 20, 9, 10, 18, 66, 68, 62
DAY = timedelta(days=1)
Text = Callable[[str, str], bool]


@dataclass(frozen=True)
class Leaf:
    """A host with a broken certificate.

    `error` is the only verification error of openssl. `excuse` contains the options that allow exactly this fault.
    `text` examines the leaf's text and the host's name. `python` is the verification error of a strict client.
    """

    name: str
    error: int | None
    excuse: Callable[["Chain"], tuple[str | Path, ...]]
    text: Text
    python: int | None = None


@dataclass(frozen=True)
class Chain:
    faulty: FaultyServer
    paths: list[Path]

    @property
    def intermediate(self) -> Path:
        return self.faulty.server.certificates / "intermediate.pem"

    def verify(self, host: str, *options: str | Path) -> set[int]:
        """Returns the numbers of all errors that openssl reports."""
        words = [str(option) for option in options]
        defaults: list[tuple[str, str | Path]] = [
            ("-verify_hostname", host),
            ("-CAfile", self.faulty.server.authority),
            ("-auth_level", "2"),
        ]
        for option, value in defaults:
            if option not in words:
                words += [option, str(value)]
        for path in self.paths[1:]:
            words += ["-untrusted", str(path)]
        done = run_openssl("verify", "-purpose", "sslserver", *words, self.paths[0])
        errors = {int(number) for number in re.findall(r"^error (\d+) at", done.err, re.MULTILINE)}
        assert bool(errors) == (done.code != 0), done
        return errors

    @property
    def text(self) -> str:
        return run_openssl("x509", "-noout", "-text", "-in", self.paths[0]).out.decode()

    @property
    def validity(self) -> tuple[datetime, datetime]:
        dates = run_openssl("x509", "-noout", "-dates", "-in", self.paths[0]).out.decode()
        first, last = (
            datetime.fromtimestamp(ssl.cert_time_to_seconds(line.partition("=")[2]), UTC) for line in dates.splitlines()
        )
        return first, last


def names(text: str) -> list[str]:
    return re.findall(r"DNS:([^,\s]+)", text)


def has_usual_parts(text: str, host: str) -> bool:
    return names(text) == [host] and "TLS Web Server Authentication" in text and "Public-Key: (256 bit)" in text


LEAVES = [
    Leaf("expired", EXPIRED, lambda _: ("-no_check_time",), has_usual_parts, EXPIRED),
    Leaf("not-yet-valid", NOT_YET_VALID, lambda _: ("-no_check_time",), has_usual_parts, NOT_YET_VALID),
    Leaf(
        "wrong-host",
        OTHER_HOST,
        lambda chain: ("-verify_hostname", names(chain.text)[0]),
        lambda text, host: len(names(text)) == 1 and host not in text,
        OTHER_HOST,
    ),
    Leaf("self-signed", SELF_SIGNED, lambda chain: ("-CAfile", chain.paths[0]), has_usual_parts, SELF_SIGNED),
    Leaf(
        "untrusted-root",
        NO_ISSUER,
        lambda chain: ("-CAfile", chain.paths[-1], "-partial_chain"),
        lambda text, host: has_usual_parts(text, host) and "Issuer: O = Ultra Motivator," not in text,
        NO_ISSUER,
    ),
    Leaf(
        "incomplete-chain",
        NO_ISSUER,
        lambda chain: ("-untrusted", chain.intermediate),
        lambda text, host: has_usual_parts(text, host) and "Authority Information Access" not in text,
        NO_ISSUER,
    ),
    Leaf("no-san", None, lambda _: (), lambda text, host: not names(text) and f"CN = {host}\n" in text, OTHER_HOST),
    Leaf("too-long", None, lambda _: (), has_usual_parts),
    Leaf("no-eku", None, lambda _: (), lambda text, host: names(text) == [host] and "Extended Key Usage" not in text),
    Leaf(
        "rsa-1024",
        WEAK_KEY,
        lambda _: ("-auth_level", "1"),
        lambda text, host: names(text) == [host] and "rsaEncryption" in text and "Public-Key: (1024 bit)" in text,
        WEAK_KEY,
    ),
    Leaf(
        "sha-1",
        WEAK_DIGEST,
        lambda _: ("-auth_level", "0"),
        lambda text, host: has_usual_parts(text, host) and text.count("Signature Algorithm: ecdsa-with-SHA1\n") == 2,
        WEAK_DIGEST,
    ),
]
CONNECTIONS = ("tls-1-1", "stall-handshake", "close-handshake", "reset")


def strict(server: Server) -> ssl.SSLContext:
    """Returns the context of a client that ignores the Common Name and rejects weak keys and digests."""
    context = server.context
    context.hostname_checks_common_name = False
    context.set_ciphers("DEFAULT:@SECLEVEL=2")
    return context


def test_every_host_of_the_group_has_a_case(faulty: FaultyServer) -> None:
    assert sorted([*(leaf.name for leaf in LEAVES), *CONNECTIONS]) == sorted(faulty.names(TLS_GROUP))


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.name)
def test_the_certificate_has_exactly_one_fault(faulty: FaultyServer, tmp_path: Path, leaf: Leaf) -> None:
    chain, host = Chain(faulty, faulty.chain(leaf.name, tmp_path)), faulty.host(leaf.name)
    assert chain.verify(host) == ({leaf.error} if leaf.error else set())
    assert chain.verify(host, *leaf.excuse(chain)) == set()
    assert leaf.text(chain.text, host), chain.text
    assert len(chain.paths) == (1 if leaf.name in ("self-signed", "incomplete-chain") else 2)


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.name)
def test_a_strict_client_reports_the_fault(faulty: FaultyServer, leaf: Leaf) -> None:
    if leaf.python is None:
        with faulty.connect(leaf.name, strict(faulty.server)) as wire:
            assert wire.tls and wire.tls.version() == "TLSv1.3"
        return
    with pytest.raises(ssl.SSLCertVerificationError) as raised, faulty.connect(leaf.name, strict(faulty.server)):
        pass
    assert raised.value.verify_code == leaf.python


@pytest.mark.parametrize("name", [*(leaf.name for leaf in LEAVES), "tls-1-1"])
def test_a_client_that_ignores_the_fault_receives_the_right_file(faulty: FaultyServer, name: str) -> None:
    plain, signed = faulty.both(name, any_certificate())
    assert (plain.status, json.loads(plain.content), plain.field("Content-Type")) == (200, RIGHT, "application/json")
    assert (signed.status, signed.field("Content-Type")) == (200, "application/pkcs7-mime")
    assert APP.encode() in signed.content


@pytest.mark.parametrize(
    ("name", "starts", "ends"), [("expired", None, -DAY), ("not-yet-valid", DAY, None), ("too-long", None, None)]
)
def test_the_validity_is_that_of_the_name(
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


def test_the_connection_closes_during_the_handshake(faulty: FaultyServer) -> None:
    with (
        pytest.raises(ConnectionError, match=Ending.ORDERLY.value.split()[-1]),
        faulty.connect("close-handshake", faulty.server.context),
    ):
        pass


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


def test_the_other_hosts_have_an_intact_certificate(faulty: FaultyServer, tmp_path: Path) -> None:
    for name in ("unsigned", "signed-expired", faulty.names(HTTP_GROUP)[0]):
        chain = Chain(faulty, faulty.chain(name, tmp_path))
        assert chain.verify(faulty.host(name)) == set()


def test_an_unknown_name_is_not_a_host(faulty: FaultyServer) -> None:
    with pytest.raises(ssl.SSLCertVerificationError), faulty.connect("unknown", faulty.server.context):
        pass

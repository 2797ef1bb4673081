"""The hosts of `serve --faults` with a broken file: apart from the named fault, each file is valid."""

import json
from typing import Any

import pytest

from support.faulty import RIGHT, FaultyServer, run_openssl

MAXIMUM = 131_072


def apps(*names: object) -> dict[str, Any]:
    return {"webcredentials": {"apps": list(names)}}


def contents(faulty: FaultyServer, name: str) -> tuple[bytes, bytes]:
    """Returns the unsigned file, and the signed file with its signature. Both responses are otherwise valid."""
    plain, signed = faulty.both(name)
    assert (plain.status, plain.field("Content-Type")) == (200, "application/json")
    assert (signed.status, signed.field("Content-Type")) == (200, "application/pkcs7-mime")
    for received in (plain, signed):
        assert received.field("Content-Length") == str(len(received.content))
    return plain.content, signed.content


def signed_content(faulty: FaultyServer, name: str, message: bytes) -> bytes:
    done = run_openssl(
        *("cms", "-verify", "-binary", "-inform", "DER", "-purpose", "sslserver"),
        *("-verify_hostname", faulty.host(name), "-CAfile", faulty.server.authority),
        given=message,
    )
    assert done.code == 0, done.err
    return done.out


@pytest.mark.parametrize("size", [MAXIMUM, MAXIMUM + 1])
def test_the_file_has_exactly_this_size_at_both_paths(faulty: FaultyServer, size: int) -> None:
    plain, signed = contents(faulty, f"size-{size}")
    assert (len(plain), len(signed)) == (size, size)
    assert json.loads(plain) == json.loads(signed_content(faulty, f"size-{size}", signed)) == RIGHT

"""The hosts of `serve --faults` with a signed file, examined with the system's openssl."""

import json

import pytest

from support.faulty import RIGHT, FaultyServer, run_openssl


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("signed-p256", None),
        ("signed-rsa", None),
        ("signed-attributes", None),
        ("signed-two", None),
        ("signed-wildcard", None),
        ("signed-changed-content", "content verify error"),
        ("signed-wrong-domain", "hostname mismatch"),
        ("signed-expired", "certificate has expired"),
        ("signed-no-intermediate", "unable to get local issuer certificate"),
        ("signed-client-certificate", "unsuitable certificate purpose"),
    ],
)
def test_openssl_finds_the_fault_of_the_name_and_no_other(faulty: FaultyServer, name: str, error: str | None) -> None:
    responses = faulty.both(name)
    for received in responses:
        assert (received.status, received.field("Content-Type")) == (200, "application/pkcs7-mime")
    assert responses[0].content == responses[1].content
    done = run_openssl(
        *(
            "cms",
            "-verify",
            "-binary",
            "-inform",
            "DER",
            "-purpose",
            "sslserver",
            "-verify_hostname",
            faulty.host(name),
        ),
        *("-CAfile", faulty.server.authority),
        given=responses[0].content,
    )
    if error:
        assert done.code != 0 and error in done.err
    else:
        assert (done.code, json.loads(done.out)) == (0, RIGHT), done.err

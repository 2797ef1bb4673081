"""A start that cannot succeed: a single line with the cause and a fix, and a documented exit code."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.keys import association, identity, padded_association
from support.server import TRACE, Server, free_port, run
from support.wire import ADDRESS, NAME

USAGE, BAD_INPUT, NO_INPUT, UNAVAILABLE, CANNOT_CREATE, NOT_PERMITTED, CONFIGURATION = 64, 65, 66, 69, 73, 77, 78
# The remaining options of a valid command line.
QUIET = ("--plain-port", "0", "--admin", f"{ADDRESS}:0")
ANY_PORT = ("--port", "0", *QUIET)


@dataclass(frozen=True)
class Fault:
    """Options that depend on a folder, the exit code, and words in the error line."""

    name: str
    options: Callable[[Path], tuple[str, ...]]
    code: int
    words: tuple[str, ...]


def file(folder: Path, name: str, content: bytes = b"") -> str:
    path = folder / name
    path.write_bytes(content)
    return str(path)


def folder(parent: Path, name: str) -> str:
    (parent / name).mkdir()
    return str(parent / name)


def served(association_file: Path | str) -> tuple[str, ...]:
    return (*ANY_PORT, "--association", str(association_file))


def keyed(certificate: Path, key: Path) -> tuple[str, ...]:
    return (*ANY_PORT, "--certificate", str(certificate), "--key", str(key))


def identity_options(
    where: Path, *, certificate: bytes | None = None, key: bytes | None = None, mode: int = 0o600
) -> tuple[str, ...]:
    """Creates a valid certificate and key, with the given parts replaced."""
    right_certificate, right_key = identity(where, NAME)
    if certificate is not None:
        right_certificate.write_bytes(certificate)
    if key is not None:
        right_key.write_bytes(key)
    right_key.chmod(mode)
    return keyed(right_certificate, right_key)


def another_key(where: Path) -> bytes:
    (where / "other").mkdir()
    return identity(where / "other", NAME)[1].read_bytes()


FAULTS = [
    Fault("an association that is not there", lambda at: served(at / "no.json"), NO_INPUT, ("no.json",)),
    Fault(
        "an association of 131,073 bytes",
        lambda at: ("--strict", *served(file(at, "a.json", padded_association(131_073)))),
        CONFIGURATION,
        ("a.json", "[file-too-large]"),
    ),
    Fault(
        "an association cut short",
        lambda at: ("--strict", *served(file(at, "a.json", association()[:-3]))),
        CONFIGURATION,
        ("line", "column", "[json-cut-off]"),
    ),
    Fault(
        "a domain that is none",
        lambda at: (*ANY_PORT, "--domain", "https://example.test/"),
        USAGE,
        ("https://example.test/",),
    ),
    Fault("a format that does not exist", lambda at: (*ANY_PORT, "--association-format", "xml"), USAGE, ("xml",)),
    Fault(
        "a certificate that is not there", lambda at: keyed(at / "no.pem", identity(at, NAME)[1]), NO_INPUT, ("no.pem",)
    ),
    Fault("a key that does not fit", lambda at: identity_options(at, key=another_key(at)), BAD_INPUT, (f"{NAME}.key",)),
    Fault("a key that others can read", lambda at: identity_options(at, mode=0o644), NOT_PERMITTED, ("chmod 600",)),
    Fault("a certificate without a key", lambda at: identity_options(at)[:-2], USAGE, ("--key",)),
    Fault("a Public that is not there", lambda at: (*ANY_PORT, "--public", str(at / "none")), NO_INPUT, ("none",)),
    Fault(
        "certificates where a file is",
        lambda at: (*ANY_PORT, "--certificates", file(at, "file")),
        CANNOT_CREATE,
        ("file",),
    ),
    Fault("an unknown option", lambda at: ("--prot", "1"), USAGE, ("--prot",)),
    Fault("a port that is no number", lambda at: ("--port", "https", *QUIET), USAGE, ("https",)),
    Fault("an address that is none", lambda at: (*ANY_PORT, "--host", "300.1.1.1"), USAGE, ("300.1.1.1",)),
    Fault("an address of another machine", lambda at: (*ANY_PORT, "--host", "192.0.2.1"), UNAVAILABLE, ("192.0.2.1",)),
]


def refusal(at: Path, options: tuple[str, ...]) -> tuple[int, str]:
    """Returns the exit code and the error line of a start that must fail."""
    outcome = run(at, "serve", *options)
    assert outcome.out == ""
    assert not TRACE.search(outcome.err), outcome.err
    lines = [line for line in outcome.err.splitlines() if line]
    if outcome.code != USAGE:
        assert len(lines) == 1, outcome.err
        assert lines[0].rstrip(".").count(". ") >= 1, f"the line has a cause, but no fix: {lines[0]}"
    return outcome.code, outcome.err


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_start_is_refused(tmp_path: Path, fault: Fault) -> None:
    code, said = refusal(tmp_path, fault.options(tmp_path))
    assert code == fault.code, said
    for word in fault.words:
        assert word in said


@pytest.mark.parametrize("option", ["--port", "--plain-port"])
def test_a_port_in_use_is_named(tmp_path: Path, option: str) -> None:
    with socket.socket() as taken:
        taken.bind((ADDRESS, 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        others = QUIET if option == "--port" else ("--port", "0")
        code, said = refusal(tmp_path, ("--host", ADDRESS, option, port, *others))
    assert code == UNAVAILABLE, said
    assert port in said


def test_two_servers_do_not_share_a_port(server: Server, tmp_path: Path) -> None:
    code, said = refusal(tmp_path, ("--host", ADDRESS, "--port", str(server.port), *QUIET))
    assert code == UNAVAILABLE, said
    assert str(server.port) in said


def test_a_failed_start_does_not_prevent_the_next_start(start: Callable[..., Server], tmp_path: Path) -> None:
    port = free_port()
    code, _ = refusal(tmp_path, ("--port", str(port), *QUIET, "--association", str(tmp_path / "no.json")))
    assert code == NO_INPUT
    assert start(port=port).port == port


def test_an_identity_from_a_file_is_served(start: Callable[..., Server], tmp_path: Path) -> None:
    certificate, key = identity(tmp_path, NAME)
    server = start("--certificate", str(certificate), "--key", str(key))
    done = server.curl("/digits.txt", "--cacert", str(certificate))
    assert done.stdout == b"0123456789" * 10, done.stderr

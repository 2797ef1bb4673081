"""Creates the servers' certificate and their content, which is identical byte for byte."""

import json
import subprocess

from client import CannotMeasure
from servers import APPS, ASSOCIATION, Motivator, Server, Workplace, path_for

BUILT_IN = {
    "TLS": json.dumps({"webcredentials": {"apps": APPS}}).encode(),
    "plain": b"<!doctype html><title>Bench</title>" + b"<p>A page of about the association file's size.</p>\n" * 6,
}
FILES = {"TLS": ASSOCIATION[1:], "plain": "index.html"}
P256 = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def make_certificate(place: Workplace, names: str = "DNS:localhost,IP:127.0.0.1") -> None:
    """Creates an authority and a leaf certificate, both ECDSA P-256. The servers send only the leaf."""
    authority, authority_key = place.folder / "authority.pem", place.folder / "authority-key.pem"
    _openssl("-out", authority, "-keyout", authority_key, "-subj", "/CN=Benchmark Authority")
    _openssl(
        *("-CA", authority, "-CAkey", authority_key, "-out", place.certificate, "-keyout", place.key),
        *("-subj", "/CN=localhost", "-addext", f"subjectAltName={names}"),
        *("-addext", "basicConstraints=critical,CA:false", "-addext", "extendedKeyUsage=serverAuth"),
    )


def make_site(place: Workplace, chosen: list[type[Server]]) -> list[str]:
    """Writes the content to serve, and returns notes on missing content."""
    content, notes = dict(BUILT_IN), []
    place.public.mkdir()
    (place.public / FILES["plain"]).write_bytes(BUILT_IN["plain"])
    if Motivator in chosen:
        content, notes = _ask_motivator(place)
    for scheme, file in FILES.items():
        path = place.site / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content[scheme])
    return notes


def check_equal(place: Workplace, servers: list[Server], scheme: str) -> str:
    """Checks that all servers return 200 with the same content and type. Returns a summary line of the responses."""
    expected = (place.site / FILES[scheme]).read_bytes()
    facts = []
    for server in servers:
        answer = server.answer(scheme)
        # Compares only the length, because motivator's page contains the port of the run.
        if (answer.status, len(answer.content)) != (200, len(expected)):
            raise CannotMeasure(
                f"{server.name} returned {answer.status} with {len(answer.content)} bytes for {server.url(scheme)}"
                f" instead of 200 with {len(expected)} bytes; the servers must do the same work"
            )
        kind = answer.content_type.partition(";")[0]
        facts.append(f"{server.name} {answer.size} {kind} {answer.tls}".strip())
    return f"Response, {scheme} {path_for(scheme)} (head + content): " + "; ".join(facts)


def _ask_motivator(place: Workplace) -> tuple[dict[str, bytes], list[str]]:
    content, notes = dict(BUILT_IN), []
    server = Motivator(place)
    server.start()
    try:
        content["TLS"] = server.answer("TLS").content
        page = server.answer("plain")
    except OSError as error:
        notes.append(f"motivator's plain port is not measured: {error}")
    else:
        if page.status == 200:
            content["plain"] = page.content
        else:
            notes.append(f"motivator's plain port is not measured: it answered {page.status} to {path_for('plain')}")
    finally:
        server.stop()
    return content, notes


def _openssl(*arguments: object) -> None:
    command = ["openssl", "req", "-x509", *P256, "-days", "30", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotMeasure(f"openssl did not create a certificate: {done.stderr.strip()[-400:]}")

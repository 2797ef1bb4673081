"""`certificate lint`: a file or a server against Apple's rules."""

import json
from datetime import timedelta
from pathlib import Path

from support.authorities import SERVERS, SMALL_RSA, Holder, named
from support.checking import NO, NO_INPUT, UNAVAILABLE, USAGE, YES, Done, command
from support.keys import openssl
from support.server import Server, free_port
from support.sites import Site, always, over_tls, response, tls_context
from test_check_certificates import Chains
from test_check_certificates import chains as chains

UNTRUSTED = "tls-untrusted-root"


def lint(home: Path, target: str | Path, *options: str | Path) -> Done:
    return command(home, "certificate", "lint", target, *options)


def codes(done: Done) -> set[str]:
    """Checks the parts of a JSON document, and returns its codes."""
    document = json.loads(done.out)
    assert done.code == (YES if document["ok"] else NO)
    errors = [issue for issue in document["issues"] if issue["severity"] == "error"]
    assert document["ok"] == (not errors)
    for issue in document["issues"]:
        assert issue["message"].endswith(".") and issue["fix"].endswith(".") and issue["source"]["title"]
    return {issue["code"] for issue in errors}


def written(folder: Path, *holders: Holder) -> Path:
    file = folder / "chain.pem"
    file.write_text("".join(holder.pem for holder in holders))
    return file


def test_a_good_chain_passes_whether_or_not_its_root_is_trusted(chains: Chains, tmp_path: Path) -> None:
    file = written(tmp_path, chains.leaf(), chains.intermediate)
    trusted = lint(tmp_path, file, "--trust", chains.root.certificate)
    assert (trusted.code, trusted.text) == (YES, f"{file}: the certificates meet Apple's rules.\n")
    unknown = lint(tmp_path, file, "--verbose")
    assert unknown.code == YES
    assert f"note[{UNTRUSTED}]" in unknown.text
    assert lint(tmp_path, file, "--host", "other.test").code == NO


def test_the_text_has_a_fix_for_each_error(chains: Chains, tmp_path: Path) -> None:
    leaf = chains.leaf(named("*.test"), SERVERS, start=timedelta(days=-1000), days=999, key=SMALL_RSA)
    done = lint(tmp_path, written(tmp_path, leaf, chains.intermediate))
    assert done.code == NO
    for code in ("tls-expired", "tls-valid-too-long", "tls-weak-key", "tls-wildcard-too-wide"):
        assert done.text.count(f"error[{code}]") == 1
    assert done.text.count("Fix: ") == 4
    assert "(4 errors)" in done.text
    assert "\x1b" not in done.text


def test_a_certificate_in_der_form_is_accepted(chains: Chains, tmp_path: Path) -> None:
    der = tmp_path / "leaf.cer"
    der.write_bytes(openssl("x509", "-in", chains.leaf().certificate, "-outform", "DER"))
    assert codes(lint(tmp_path, der, "--json")) == {"tls-incomplete-chain"}


def test_the_rules_for_servers_do_not_apply_to_a_ca_certificate(chains: Chains, tmp_path: Path) -> None:
    for holder in (chains.root, chains.intermediate):
        done = lint(tmp_path, holder.certificate)
        assert done.code == YES, done.text
        assert "the CA certificate meets" in done.text
    weak = chains.maker.authority("Weak", key=SMALL_RSA)
    assert codes(lint(tmp_path, weak.certificate, "--json")) == {"tls-weak-key"}


def test_the_certificates_of_the_development_ca_pass(server: Server, tmp_path: Path) -> None:
    target = f"localhost:{server.port}"
    done = lint(tmp_path, target, "--trust", server.authority)
    assert (done.code, done.text) == (YES, f"{target}: the certificates meet Apple's rules.\n")
    document = json.loads(lint(tmp_path, target, "--json").out)
    assert document["ok"] and document["certificates"][0]["names"] == ["localhost"]
    assert len(document["certificates"]) == 2


def test_a_server_with_the_certificate_of_another_host_fails(chains: Chains, tmp_path: Path) -> None:
    leaf = chains.leaf(named("other.example.test"), SERVERS)
    context = tls_context(leaf, chains.intermediate)
    with Site(over_tls(context, always(response(b"")))) as site:
        done = lint(tmp_path, f"localhost:{site.port}", "--json")
        assert codes(done) == {"tls-wrong-host"}
        steered = ("--connect-to", f"other.example.test:443:127.0.0.1:{site.port}")
        assert codes(lint(tmp_path, "other.example.test:443", *steered, "--json")) == set()


def test_an_unreadable_input_is_an_error_with_a_fix(tmp_path: Path) -> None:
    missing = lint(tmp_path, "folder/none.pem")
    assert missing.code == NO_INPUT
    neither = lint(tmp_path, "example.test")
    assert neither.code == USAGE
    assert "example.test:443" in neither.err
    refused = lint(tmp_path, f"127.0.0.1:{free_port()}")
    assert refused.code == UNAVAILABLE
    assert "refused" in refused.err.lower()
    malformed = lint(tmp_path, "127.0.0.1:port")
    assert malformed.code == USAGE

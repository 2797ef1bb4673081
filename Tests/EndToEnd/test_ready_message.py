"""The ready message of `serve --lan`, for users and for programs."""

import re
import subprocess
from pathlib import Path

from support import qr
from support.keys import openssl
from support.network import LAPTOP, Machine
from support.server import BINARY, CHEAP, Server, environment
from support.stores import BIND
from support.wire import ADDRESS

LAST_LINE = "Stop with Ctrl-C."


def message(home: Path, *wrapper: str | Path, options: tuple[str, ...] = ()) -> str:
    """Returns the users' ready message from a server that listens on the local network."""
    command = [*wrapper, BINARY, "serve", "--lan", "--certificates", "certs", "--database", ":memory:"]
    command += ["--port", "0", "--admin", f"{ADDRESS}:0", "--plain-port", "8080", *CHEAP, *options]
    lines = []
    with subprocess.Popen(
        command, cwd=home, env=environment(home), stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stderr
        for line in process.stderr:
            lines.append(line)
            if line.startswith(LAST_LINE):
                break
        process.terminate()
        process.stderr.read()
    assert process.returncode == 0, "".join(lines)
    return "".join(lines)


def library() -> Path:
    """Returns the path of libqrencode. scripts/setup installs this library."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"libqrencode\.so\.4 .*=> (\S+)", known)
    assert found, "libqrencode4 is not installed; run scripts/setup"
    return Path(found[1]).resolve()


def test_the_message_for_users_has_the_url_and_its_code(laptop: Machine, tmp_path: Path) -> None:
    text = message(tmp_path, *laptop.enter)
    url = f"http://{LAPTOP}:8080/"
    assert re.search(rf"^On a phone on the same network, .*{re.escape(url)}", text, re.MULTILINE)
    assert qr.decode(qr.of_text(text)) == url
    assert "\x1b" not in text, "the output contains escape sequences without a terminal"


def test_the_message_and_the_page_have_the_fingerprint_of_the_ca(laptop: Machine, tmp_path: Path) -> None:
    text = message(tmp_path, *laptop.enter)
    shown = openssl("x509", "-in", tmp_path / "certs/authority.pem", "-noout", "-fingerprint", "-sha256").decode()
    fingerprint = shown.strip().partition("=")[2]
    assert fingerprint in text
    server = Server(tmp_path, "--lan", plain=True, wrapper=laptop.enter)
    assert fingerprint in laptop.get(server.ready["phone"][0]).text
    server.stop()


def test_the_message_with_all_options_has_five_lines_beside_the_code(laptop: Machine, tmp_path: Path) -> None:
    text = message(tmp_path, *laptop.enter, options=("--faults", "--inspector"))
    lines = [line for line in text.splitlines() if re.search("[a-z]", line)]
    assert len(lines) == 5, text
    assert re.search(r"faults: https://\S+/faults, inspector: http://127\.0\.0\.1:\d+/", lines[0])


def test_without_the_library_the_message_names_its_package(laptop: Machine, tmp_path: Path) -> None:
    hiding = ("unshare", "--mount", "--propagation", "private", "sh", "-c", BIND, "sh", "/dev/null", library(), "--")
    text = message(tmp_path, *laptop.enter, *hiding)
    assert f"http://{LAPTOP}:8080/" in text
    assert "(for a QR code, install libqrencode4)" in text
    assert "█" not in text


def test_the_message_for_programs_lists_the_urls_with_ipv4_first(laptop: Machine, tmp_path: Path) -> None:
    laptop.configure("addr add fd00::40/128 dev lo", "addr add 192.168.7.7/32 dev lo")
    server = Server(tmp_path, "--lan", plain=True, wrapper=laptop.enter)
    hosts = (LAPTOP, "192.168.7.7", "[fd00::40]")
    assert server.ready["phone"] == [f"http://{host}:{server.plain_port}/" for host in hosts]
    assert {f"https://{host}:{server.port}" for host in hosts} <= set(server.ready["https"])
    for url in server.ready["phone"]:
        assert laptop.get(url).status == 200
    code = laptop.get(f"{server.ready['phone'][2]}qr.svg")
    assert (code.status, code.field("Content-Type")) == (200, "image/svg+xml")
    assert qr.decode(qr.of_svg(code.text)) == server.ready["phone"][0]
    server.stop()

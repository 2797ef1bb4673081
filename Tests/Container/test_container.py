"""The container's files, compared with each other and with the program, without a container engine.

`Tests/Container/check.py` also replays the image's steps in a minimal Debian, as root.
"""

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from dockerfile import Stage, ignore_patterns, is_sent, read_dockerfile
from support.server import BINARY, ROOT
from support.waiting import LIMIT

STAGES = read_dockerfile(ROOT / "Dockerfile")
BUILD, FINAL = STAGES[0], STAGES[-1]
PATTERNS = ignore_patterns(ROOT / ".dockerignore")


@cache
def program_help(*command: str) -> str:
    done = subprocess.run([BINARY, *command, "--help"], capture_output=True, text=True, timeout=LIMIT, check=True)
    return done.stdout


@cache
def composition() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def service(name: str = "motivator") -> dict[str, Any]:
    return composition()["services"][name]


def without_variables(text: str) -> str:
    """Replaces each `${NAME:-default}` with its default."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def setting(option: str) -> str:
    """Returns the value of a `serve` option in the image's command."""
    words = FINAL.words("CMD")
    return words[words.index(option) + 1]


def seconds(text: str) -> int:
    match = re.fullmatch(r"(\d+)s", text)
    assert match, text
    return int(match[1])


# The image


def test_the_final_image_contains_no_compiler() -> None:
    assert len(STAGES) == 2
    assert re.fullmatch(r"swift:\d+\.\d+(\.\d+)?-bookworm", BUILD.base)
    assert FINAL.base == "debian:bookworm-slim"
    needed = re.search(r"swift-tools-version: (\d+)\.(\d+)", (ROOT / "Package.swift").read_text())
    given = re.search(r"swift:(\d+)\.(\d+)", BUILD.base)
    assert needed
    assert given
    assert [int(part) for part in given.groups()] >= [int(part) for part in needed.groups()]


def test_the_image_builds_with_the_packages_of_the_setup_script() -> None:
    setup = (ROOT / "scripts/setup").read_text()
    wanted = re.search(r"^readonly build_packages=\((.*)\)$", setup, re.MULTILINE)
    assert wanted
    assert BUILD.packages == set(wanted[1].split())


def test_the_program_finds_its_libraries_in_the_image() -> None:
    """Debian provides a package for each library of the program. Swift's libraries are linked statically."""
    assert "--static-swift-stdlib" in " ".join(BUILD.all("RUN"))
    packages = {
        "libssl.so.3": "libssl3",
        "libcrypto.so.3": "libssl3",
        "libsqlite3.so.0": "libsqlite3-0",
        "libz.so.1": "zlib1g",
        "libstdc++.so.6": "libstdc++6",
        # Included in every Debian.
        **dict.fromkeys(("libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1")),
    }
    text = subprocess.run(["readelf", "--dynamic", BINARY], capture_output=True, text=True, check=True).stdout
    libraries = set(re.findall(r"\(NEEDED\).*\[(.+)\]", text))
    assert "libssl.so.3" in libraries
    swift = {name for name in libraries if re.match(r"lib(swift|_?Foundation|dispatch|BlocksRuntime)", name)}
    assert {packages[name] for name in libraries - swift} - {None} <= FINAL.packages
    assert FINAL.packages == set(packages.values()) - {None}


def test_every_copied_source_exists_and_is_in_the_context() -> None:
    sources = [source for stage in STAGES for sources, _ in stage.copies for source in sources]
    assert "Sources" in sources
    for source in sources:
        found = list(ROOT.glob(source))
        assert found, source
        for path in found:
            assert is_sent(str(path.relative_to(ROOT)), PATTERNS), path


def test_every_target_of_the_manifest_is_copied_and_in_the_context() -> None:
    copied = {source for sources, _ in BUILD.copies for source in sources}
    manifest = (ROOT / "Package.swift").read_text()
    kinds = {"target": "Sources", "executableTarget": "Sources", "systemLibrary": "Sources", "testTarget": "Tests"}
    targets = re.findall(rf"\.({'|'.join(kinds)})\(\s*name: \"(\w+)\"", manifest)
    assert len(targets) > 10
    for kind, name in targets:
        folder = ROOT / kinds[kind] / name
        assert kinds[kind] in copied
        for path in folder.rglob("*"):
            if path.is_file() and path.suffix in (".swift", ".h", ".modulemap"):
                assert is_sent(str(path.relative_to(ROOT)), PATTERNS), path


@pytest.mark.parametrize(
    "path",
    [
        *(".git/config", ".build/release/motivator", ".venv/bin/python", "README.md", ".env", "data/motivator.sqlite"),
        *("certs/authority.pem", "certs/authority.key", "certs/README.md", "Sources/x/a.key", "Tests/x/a.pem"),
        *("Public/.env", "Public/data.sqlite-wal", "Public/site.key", "motivator.yaml", "Tests/EndToEnd/conftest.py"),
    ],
)
def test_secrets_and_products_are_not_sent(path: str) -> None:
    assert not is_sent(path, PATTERNS)


def test_the_container_runs_as_its_own_user_with_a_fixed_number() -> None:
    user, group = FINAL.one("USER").split(":")
    assert int(user) >= 1000
    run = FINAL.one("RUN")
    assert f"groupadd --gid {group} " in run
    assert f"useradd --uid {user} --gid {group} " in run
    # The image creates the volumes' folders with the right owner. A new volume inherits this owner.
    folders = re.search(rf"install --directory --owner {user} --group {group} --mode 0700 ([^&]+)", run)
    assert folders
    assert folders[1].split() == FINAL.words("VOLUME")
    names = [name for name, _ in FINAL.steps]
    assert names.index("USER") > max(at for at, name in enumerate(names) if name in ("RUN", "COPY"))


def test_the_image_contains_no_secret() -> None:
    for stage in STAGES:
        assert not stage.all("ENV") + stage.all("ADD")
        assert stage.all("ARG") == ['TRAITS=""']


# The image and the program


def test_the_entry_point_is_the_program() -> None:
    copied = [arguments.split() for arguments in FINAL.all("COPY") if arguments.startswith(f"--from={BUILD.name} ")]
    assert [words[-1] for words in copied] == ["/usr/local/bin/motivator"]
    assert f" {copied[0][1]}" in " ".join(BUILD.all("RUN"))
    assert FINAL.words("ENTRYPOINT") == ["motivator"]
    assert FINAL.words("CMD")[0] == "serve"
    assert re.search(r"^  serve +\S", program_help(), re.MULTILINE)


@pytest.mark.parametrize("option", [word for word in FINAL.words("CMD") if word.startswith("--")])
def test_serve_has_the_option(option: str) -> None:
    assert re.search(rf"^  {option}( |$)", program_help("serve"), re.MULTILINE)


def test_the_health_of_the_container_is_that_of_the_program() -> None:
    assert FINAL.one("HEALTHCHECK").split("CMD ")[1] == '["motivator", "healthcheck"]'


def test_the_program_has_the_health_check() -> None:
    assert re.search(r"^  healthcheck +\S", program_help(), re.MULTILINE)


def test_the_paths_in_the_options_exist() -> None:
    certificates, data = FINAL.words("VOLUME")
    assert setting("--certificates") == certificates
    assert str(Path(setting("--database")).parent) == data
    assert [(["Public"], setting("--public"))] == FINAL.copies
    # The engine's own network cannot reach the container's loopback address.
    assert setting("--host") == "0.0.0.0"


def test_the_ports_match_those_of_the_program() -> None:
    text = re.sub(r"\s+", " ", program_help("serve"))
    found = [re.search(rf"{option} <n> [^-]*\(default: (\d+)\)", text) for option in ("--port", "--plain-port")]
    assert [match[1] for match in found if match] == FINAL.one("EXPOSE").split()


def test_the_stop_signal_drains_the_program() -> None:
    assert FINAL.one("STOPSIGNAL") == "SIGTERM"
    assert "SIGTERM" in program_help("serve")


# The composition


def test_the_ports_are_published_to_this_machine_only() -> None:
    assert service()["ports"] == [f"127.0.0.1:{port}:{port}" for port in FINAL.one("EXPOSE").split()]


def test_the_volumes_match_those_of_the_image() -> None:
    volumes = dict(volume.split(":") for volume in service()["volumes"])
    assert list(volumes.values()) == FINAL.words("VOLUME")
    database = dict(volume.split(":") for volume in service("postgres")["volumes"])
    assert list(composition()["volumes"]) == [*volumes, *database]


def test_the_service_runs_the_command_of_the_image() -> None:
    assert [without_variables(word) for word in service()["command"]] == FINAL.words("CMD")


def test_the_database_runs_only_with_its_profile() -> None:
    assert list(composition()["services"]) == ["motivator", "postgres"]
    assert "profiles" not in service()
    database = service("postgres")
    assert database["profiles"] == ["postgres"]
    assert service()["depends_on"] == {"postgres": {"condition": "service_healthy", "required": False}}
    # The database has no password, so only the server may reach the database.
    assert database["networks"] == ["database"]
    assert composition()["networks"]["database"] == {"internal": True}
    assert "ports" not in database
    user = database["environment"]["POSTGRES_USER"]
    address = re.search(r"MOTIVATOR_DATABASE=postgres://(\w+)@(\w+)/(\w+)", (ROOT / "docker-compose.yml").read_text())
    assert address
    assert address.groups() == (user, "postgres", database["environment"]["POSTGRES_DB"])


def test_the_traits_are_passed_to_the_build() -> None:
    assert service()["build"] == {"context": ".", "args": {"TRAITS": "${MOTIVATOR_TRAITS:-}"}}
    assert '${TRAITS:+--traits "$TRAITS"}' in " ".join(BUILD.all("RUN"))
    assert "${TRAITS:+libpq-dev}" in " ".join(BUILD.all("RUN"))
    assert "${TRAITS:+libpq5}" in FINAL.one("RUN")


def test_the_container_has_only_the_required_rights() -> None:
    one = service()
    assert one["read_only"] is True
    assert one["cap_drop"] == ["ALL"]
    assert one["security_opt"] == ["no-new-privileges:true"]
    known = {"build", "image", "command", "ports", "networks", "depends_on", "volumes"}
    assert set(one) == known | {"read_only", "cap_drop", "security_opt", "stop_grace_period", "restart"}


def test_the_stop_period_covers_the_drain_time() -> None:
    drain = re.search(r"--drain <seconds> [^-]*\(default: (\d+)\)", re.sub(r"\s+", " ", program_help("serve")))
    assert drain
    assert seconds(service()["stop_grace_period"]) > int(drain[1])


def test_the_files_are_parsed_like_a_container_engine_parses_them() -> None:
    """Tests the parsers of the other tests: continued lines, comments, arguments, and the last matching pattern."""
    assert [stage.name for stage in STAGES] == ["build", ""]
    assert isinstance(FINAL, Stage)
    assert FINAL.words("CMD")[-1] == "/srv/public"
    assert BUILD.packages >= {"libssl-dev", "pkg-config"}
    assert not is_sent("a", ["*"])
    assert is_sent("b/c", ["*", "!b"])
    assert not is_sent("b/c/d.key", ["*", "!b", "**/*.key"])
    assert not is_sent("d/e/f", ["d/e"])
    assert is_sent("d/f/e", ["d/e"])

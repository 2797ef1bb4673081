"""The hosts of `serve --faults` with a broken file: apart from the named fault, each file is valid."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from support.faulty import APP, FILE_GROUP, OTHER_APP, RIGHT, ROOT_PATH, WELL_KNOWN, FaultyServer, run_openssl

MAXIMUM = 131_072
PREFIX, _, BUNDLE = APP.partition(".")


@dataclass(frozen=True)
class Invalid:
    """A file that is not JSON. `error` is a part of Python's message. `repair` removes the fault."""

    name: str
    error: str
    repair: Callable[[str], str]


@dataclass(frozen=True)
class Valid:
    """A file that is JSON, with its exact value."""

    name: str
    value: Any


def without_rtf(text: str) -> str:
    body = text.split("\\fs24 ")[1].rstrip().removesuffix("}")
    return body.replace("\\\n", "\n").replace("\\{", "{").replace("\\}", "}")


def nested(text: str) -> str:
    head, _, rest = text.partition(',\n  "unknown": ')
    assert rest == "[" * 600 + "]" * 600 + "\n}\n"
    return head + "\n}"


def apps(*names: object) -> dict[str, Any]:
    return {"webcredentials": {"apps": list(names)}}


INVALID = [
    Invalid("bom", "Unexpected UTF-8 BOM", lambda text: text.removeprefix("\ufeff")),
    Invalid("trailing-comma", "", lambda text: text.replace(",]", "]")),
    Invalid("comment", "Expecting value: line 1 column 1", lambda text: text.partition("\n")[2]),
    Invalid("single-quotes", "double quotes", lambda text: text.replace("'", '"')),
    Invalid("smart-quotes", "double quotes", lambda text: text.replace("“", '"').replace("”", '"')),
    Invalid("rtf", "double quotes", without_rtf),
]
VALID = [
    Valid("top-array", [RIGHT]),
    Valid("top-string", APP),
    Valid("app-missing", apps(OTHER_APP)),
    Valid(
        "app-only-in-applinks",
        {"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/*"}]}]}, **apps(OTHER_APP)},
    ),
    Valid("app-other-prefix", apps(f"A1B2C3D4E5.{BUNDLE}")),
    Valid("app-other-case", apps(f"{PREFIX}.com.example.demoapp")),
    Valid("app-leading-space", apps(f" {APP}")),
    Valid("app-wildcard", apps(f"{PREFIX}.com.example.*")),
    Valid("app-without-prefix", apps(BUNDLE)),
    Valid("apps-string", {"webcredentials": {"apps": APP}}),
    Valid("apps-empty", apps()),
    Valid("service-misspelt", {"webCredentials": RIGHT["webcredentials"]}),
    Valid("service-misplaced", {"applinks": {"details": [], **apps(APP)}}),
    Valid("app-lower-prefix", apps(f"{PREFIX.lower()}.{BUNDLE}")),
    Valid("apps-with-numbers", apps(1, APP, 2.5)),
]
OTHERS = {"size-131072", "size-131073", "empty", "blank", "utf-16", "duplicate-key", "deep-nesting", "assetlinks"}


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


def same_at_both_paths(faulty: FaultyServer, name: str) -> bytes:
    """Returns the file. It is identical at both paths, and has a valid signature at the root path."""
    plain, signed = contents(faulty, name)
    assert signed_content(faulty, name, signed) == plain
    return plain


def test_every_host_of_the_group_has_a_case(faulty: FaultyServer) -> None:
    names = [*(case.name for case in INVALID), *(case.name for case in VALID), *OTHERS]
    assert sorted(names) == sorted(faulty.names(FILE_GROUP))


@pytest.mark.parametrize("case", INVALID, ids=lambda case: case.name)
def test_the_file_is_right_after_one_repair(faulty: FaultyServer, case: Invalid) -> None:
    text = same_at_both_paths(faulty, case.name).decode()
    with pytest.raises(json.JSONDecodeError) as raised:
        json.loads(text)
    assert case.error in str(raised.value)
    assert json.loads(case.repair(text)) == RIGHT


@pytest.mark.parametrize("case", VALID, ids=lambda case: case.name)
def test_the_file_has_this_value(faulty: FaultyServer, case: Valid) -> None:
    assert json.loads(same_at_both_paths(faulty, case.name)) == case.value


@pytest.mark.parametrize("size", [MAXIMUM, MAXIMUM + 1])
def test_the_file_has_exactly_this_size_at_both_paths(faulty: FaultyServer, size: int) -> None:
    plain, signed = contents(faulty, f"size-{size}")
    assert (len(plain), len(signed)) == (size, size)
    assert json.loads(plain) == json.loads(signed_content(faulty, f"size-{size}", signed)) == RIGHT


@pytest.mark.parametrize(("name", "size"), [("empty", 0), ("blank", 7)])
def test_the_file_has_no_text(faulty: FaultyServer, name: str, size: int) -> None:
    content = same_at_both_paths(faulty, name)
    assert (len(content), content.strip()) == (size, b"")


def test_utf_16_has_a_byte_order_mark(faulty: FaultyServer) -> None:
    content = same_at_both_paths(faulty, "utf-16")
    assert content[:2] in (b"\xff\xfe", b"\xfe\xff")
    assert json.loads(content.decode("utf-16")) == RIGHT
    with pytest.raises(UnicodeDecodeError):
        content.decode()


def test_the_key_occurs_twice_with_the_app(faulty: FaultyServer) -> None:
    seen: list[list[tuple[str, Any]]] = []
    json.loads(same_at_both_paths(faulty, "duplicate-key"), object_pairs_hook=lambda pairs: seen.append(pairs) or 0)
    assert [key for key, _ in seen[-1]] == ["webcredentials", "webcredentials"]
    assert len(seen) == 3
    for pairs in seen[:2]:
        assert APP in dict(pairs)["apps"]


def test_an_unknown_key_has_600_nested_arrays(faulty: FaultyServer) -> None:
    assert json.loads(nested(same_at_both_paths(faulty, "deep-nesting").decode())) == RIGHT


def test_the_file_is_androids(faulty: FaultyServer) -> None:
    (statement,) = json.loads(same_at_both_paths(faulty, "assetlinks"))
    assert set(statement) == {"relation", "target"}
    assert set(statement["target"]) == {"namespace", "package_name", "sha256_cert_fingerprints"}
    assert statement["target"]["namespace"] == "android_app"


def test_the_paths_are_those_of_the_list(faulty: FaultyServer) -> None:
    assert faulty.list["path"] == WELL_KNOWN
    assert faulty.fetch("unsigned", "/").status == 404
    assert faulty.fetch("unsigned", ROOT_PATH).status == 200

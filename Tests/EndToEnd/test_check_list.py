"""`association check --targets`: results, interruption and continuation, baselines, and the selection of issues."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from support.authorities import SITE
from support.checking import BAD_INPUT, NO, NO_INPUT, USAGE, YES, association, schema
from support.device import OTHER_SITE, Issuer
from support.keys import association as file
from support.server import BINARY, environment
from support.sites import always, response
from support.waiting import LIMIT, wait_until

GOOD = file().decode()
BROKEN = GOOD.replace("]", ",]", 1)


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.json").write_text(text)


def lines(out: bytes | str) -> list[dict[str, Any]]:
    return sorted((json.loads(line) for line in out.splitlines()), key=lambda one: one["number"])


def listed(folder: Path, *names: str) -> Path:
    path = folder / "list.txt"
    path.write_text("# targets\n" + "".join(f"{name}\n" for name in names))
    return path


def test_each_target_has_one_result(issuer: Issuer, tmp_path: Path) -> None:
    write(tmp_path, good=GOOD, broken=BROKEN)
    targets = listed(
        tmp_path, "good.json", "missing.json", "broken.json", f"{OTHER_SITE}\tD3KQX62K1A.x\twebcredentials", SITE
    )
    with issuer.site(always(response(GOOD.encode()))) as site:
        options = (*issuer.options(site.port), "--assume-public", "--jobs", "3")
        done = association(tmp_path, "check", "--targets", targets, "--format", "ndjson", *options)
        text = association(tmp_path, "check", "--targets", targets, *options)
    assert done.code == text.code == NO
    found = lines(done.out)
    assert [one["number"] for one in found] == [1, 2, 3, 4, 5]
    verdicts = ["associated", "unreadable", "denied", "denied", "associated"]
    assert [one["verdict"] for one in found] == verdicts
    assert [one["exit_code"] for one in found] == [0, 1, 1, 1, 0]
    assert "does not exist" in found[1]["error"]
    assert "Verdicts of 5 targets" in done.err
    shape = schema(tmp_path)
    for one in found:
        shape.validate(one)
    with pytest.raises(jsonschema.ValidationError):
        shape.validate(found[0] | {"verdict": "great"})
    assert "unreadable  missing.json" in text.text and "good.json" not in text.text
    assert "Most frequent codes" in text.text and "json-trailing-comma" in text.text


@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGHUP], [signal.SIGHUP, signal.SIGTERM]])
def test_an_interrupted_check_continues(tmp_path: Path, signals: list[signal.Signals]) -> None:
    """The pipe blocks the check of one target until the signal arrives."""
    write(tmp_path, good=GOOD, broken=BROKEN)
    pipe = tmp_path / "pipe.json"
    targets = listed(tmp_path, *["good.json", "broken.json"] * 5, "pipe.json", *["missing.json", "good.json"] * 5)
    results = tmp_path / "results.ndjson"
    command = ("association", "check", "--targets", targets, "--resume", results, "--jobs", "1")
    os.mkfifo(pipe)
    words = ["env", "--ignore-signal=HUP" if signals[1:] else "--default-signal", BINARY, *command]
    process = subprocess.Popen(
        words, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_until(lambda: results.exists() and results.read_bytes().count(b"\n") == 10, "ten results")
    for number in signals:
        process.send_signal(number)
    out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 128 + signals[-1]
    assert b"Verdicts of 10 targets" in out and b"interrupted after 10 targets" in err
    # A crash can leave an incomplete line.
    with results.open("a") as rest:
        rest.write('{"number":11,"inp')
    pipe.unlink()
    pipe.write_text(GOOD)

    again = association(tmp_path, *command[1:])
    whole = association(tmp_path, "check", "--targets", targets, "--format", "ndjson")
    assert lines(results.read_bytes()) == lines(whole.out)
    assert (again.code, whole.code) == (NO, NO)
    summary = whole.err[whole.err.index("Verdicts") :].rstrip()
    assert summary in again.text
    # Nothing is left to do.
    assert association(tmp_path, *command[1:]).text.strip() == summary
    assert len(lines(results.read_bytes())) == 21

    other = listed(tmp_path, "broken.json", "good.json")
    done = association(tmp_path, *command[1:4], *command[4:])
    assert (done.code, other) == (BAD_INPUT, targets) and "another list" in done.err
    assert len(lines(results.read_bytes())) == 21
    with results.open("ab") as redirected:
        done_again = subprocess.run(
            [BINARY, *command], cwd=tmp_path, env=environment(tmp_path), stdout=redirected, stderr=subprocess.PIPE
        )
    assert done_again.returncode == USAGE and b"Remove the redirection" in done_again.stderr


def test_shards_and_a_baseline(tmp_path: Path) -> None:
    write(tmp_path, a=GOOD, b=BROKEN, c=GOOD)
    targets = listed(tmp_path, "a.json", "b.json", "c.json")
    baseline = tmp_path / "old.ndjson"
    shards = [
        association(tmp_path, "check", "--targets", targets, "--format", "ndjson", "--shard", f"{number}/2")
        for number in (1, 2)
    ]
    assert [one.code for one in shards] == [YES, NO]
    assert [one["number"] for one in lines(shards[0].out)] == [1, 3]
    baseline.write_bytes(b"".join(one.out for one in shards))

    compared = ("check", "--targets", "-", "--format", "ndjson", "--baseline", baseline)
    same = association(tmp_path, *compared, given=b"c.json\nb.json\na.json\n")
    assert (same.code, same.out) == (YES, b"")
    write(tmp_path, a=BROKEN, b=GOOD, d=GOOD)
    changed = association(tmp_path, *compared, given=b"a.json\nb.json\nc.json\nd.json\n")
    assert changed.code == NO
    found = [one["baseline"] for one in lines(changed.out)]
    assert [(one["change"], one["verdict"]) for one in found] == [
        ("worse", "associated"),
        ("better", "denied"),
        ("new", None),
    ]
    assert found[0]["added"] == found[1]["removed"] == ["json-trailing-comma"]


def test_selected_issues_determine_the_exit_code(tmp_path: Path) -> None:
    """One file has the error json-trailing-comma, and one the warning json-byte-order-mark."""
    write(tmp_path, broken=BROKEN, marked="\ufeff" + GOOD)
    cases = [
        (("broken.json",), NO),
        (("broken.json", "--ignore", "json-trailing-comma"), YES),
        (("broken.json", "--only", "json-comment"), YES),
        (("broken.json", "--only", "JSON-trailing-comma"), NO),
        (("marked.json",), YES),
        (("marked.json", "--fail-on", "warning"), NO),
        (("marked.json", "--fail-on", "warning", "--ignore", "json-byte-order-mark"), YES),
    ]
    for words, code in cases:
        assert association(tmp_path, "check", *words).code == code, words
        assert association(tmp_path, "check", "--format", "ndjson", *words).code == code, words
    ignored = ("check", "broken.json", "--ignore", "json-trailing-comma")
    text = association(tmp_path, *ignored).text
    assert "[json-trailing-comma]" not in text and "1 ignored issue is hidden" in text
    assert "ignored error[json-trailing-comma]" in association(tmp_path, *ignored, "--verbose").text
    (issue,) = (one for one in json.loads(association(tmp_path, *ignored, "--json").out)["issues"] if "ignored" in one)
    assert issue["code"] == "json-trailing-comma"


def test_hostile_lists(tmp_path: Path) -> None:
    write(tmp_path, good=GOOD)
    check = ("check", "--targets")
    for name, given, code in [
        ("empty", b"", BAD_INPUT),
        ("comments", b"# nothing\n\n", BAD_INPUT),
        ("UTF-16", "good.json\n".encode("utf-16"), BAD_INPUT),
        ("an endless line", b"x" * 10_000_000, NO),
        ("NUL and invalid bytes", b"\0\nGIF89a\xff\xfe\n\x1b[2J\n", NO),
        ("CRLF", b"\xef\xbb\xbfgood.json\r\n", YES),
    ]:
        done = association(tmp_path, *check, "-", given=given)
        assert done.code == code, (name, done)
        assert b"\x1b" not in done.out and b"\0" not in done.out, name
    assert association(tmp_path, *check, "no-such-list").code == NO_INPUT
    assert association(tmp_path, *check, tmp_path).code == NO_INPUT

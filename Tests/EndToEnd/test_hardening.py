"""The built program's memory protection: its linking, and the view of other processes."""

import os
import re
import subprocess
from pathlib import Path

from support.fixtures import Start
from support.server import BINARY


def readelf(*options: str) -> str:
    done = subprocess.run(["readelf", "--wide", *options, BINARY], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_program_is_position_independent_with_full_relro() -> None:
    # The system loads a program of type DYN at a random address.
    assert re.search(r"^  Type: +DYN ", readelf("--file-header"), re.MULTILINE)
    segments = readelf("--segments")
    assert "GNU_RELRO" in segments
    # RELRO is full only if no symbol is resolved after the start.
    assert re.search(r"\((FLAGS|FLAGS_1)\).*\b(BIND_NOW|NOW)\b", readelf("--dynamic"))


def test_no_segment_is_writable_and_executable() -> None:
    rows = re.findall(r"^  (\S+) +0x.* 0x\S+ +([RWE ]{3}) +0x\S+$", readelf("--segments"), re.MULTILINE)
    flags = dict(rows)
    assert flags["GNU_STACK"] == "RW "
    assert [name for name, letters in rows if "W" in letters and "E" in letters] == []


def test_a_crash_writes_no_core_file(start: Start) -> None:
    server = start()
    limits = Path(f"/proc/{server.process.pid}/limits").read_text()
    assert re.search(r"^Max core file size +0 +0 ", limits, re.MULTILINE), limits


def test_a_process_of_the_same_user_cannot_read_the_memory(start: Start) -> None:
    # Without this capability, root cannot read the memory of every process.
    drop = ("setpriv", "--bounding-set=-sys_ptrace") if os.geteuid() == 0 else ()

    def read(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
        memory = f"/proc/{process.pid}/mem"
        return subprocess.run([*drop, "head", "--bytes=0", memory], capture_output=True, text=True)

    with subprocess.Popen([*drop, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout
        # The echo shows that the program is running. Before the echo, the process is a copy of this process.
        other.stdin.write("ready\n")
        other.stdin.flush()
        assert other.stdout.readline() == "ready\n"
        assert read(other).returncode == 0, "the memory of another process must be readable"
    denied = read(start(wrapper=drop).process)
    assert denied.returncode == 1 and "Permission denied" in denied.stderr, denied

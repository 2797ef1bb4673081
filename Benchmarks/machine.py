"""Reads kernel data: the CPU time and memory of processes, and a description of the machine."""

import os
import platform
import subprocess
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """Returns a process and all its descendants, such as nginx's workers."""
    found = [pid]
    for task in _listed(f"/proc/{pid}/task"):
        for child in _read(f"/proc/{pid}/task/{task}/children").split():
            found += family(int(child))
    return found


def cpu_seconds(pids: list[int]) -> float:
    """Returns the user and system time of the processes since their start, for all threads."""
    return sum(_stat_seconds(pid) for pid in pids)


def rss_kib(pids: list[int]) -> int:
    """Returns the resident memory. Counts a page once for each process that shares it."""
    return sum(_field(f"/proc/{pid}/status", "VmRSS:") for pid in pids)


def pss_kib(pids: list[int]) -> int:
    """Returns the resident memory, with each shared page divided among its processes."""
    return sum(_field(f"/proc/{pid}/smaps_rollup", "Pss:") for pid in pids)


def busy_seconds() -> float:
    """Returns the machine's CPU time, except idle time and I/O wait."""
    user, nice, system, _idle, _iowait, irq, soft, steal = map(int, _read("/proc/stat").split("\n")[0].split()[1:9])
    return (user + nice + system + irq + soft + steal) / TICKS


def description(versions: list[str]) -> list[str]:
    """Returns the facts that a reader needs to judge the results, one per line."""
    model = next(
        (line.split(":")[1].strip() for line in _read("/proc/cpuinfo").split("\n") if "model name" in line), "?"
    )
    release = platform.freedesktop_os_release().get("PRETTY_NAME", "?")
    memory = _field("/proc/meminfo", "MemTotal:") / 1_048_576
    return [
        f"CPU: {model}, {os.cpu_count()} cores, {memory:.0f} GiB",
        f"System: {release}, kernel {platform.release()}",
        *versions,
    ]


def first_line(*command: str) -> str:
    """Returns the first line that a command prints to standard output or standard error."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return next((line.strip() for line in done.stdout.split("\n") if line.strip()), "?")


def _stat_seconds(pid: int) -> float:
    # The program's name is in parentheses and may contain spaces, so only the part after the last parenthesis is split.
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0


def _field(path: str, name: str) -> int:
    return next((int(line.split()[1]) for line in _read(path).split("\n") if line.startswith(name)), 0)


def _listed(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except FileNotFoundError:
        return []


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""

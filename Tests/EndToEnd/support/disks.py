"""Small disks that can be full, read-only or broken. Only root can create them."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.waiting import LIMIT

BLOCK = 64 << 10


def command(*arguments: str | Path) -> str:
    done = subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=LIMIT)
    if done.returncode:
        raise OSError(f"{arguments}: {done.stderr}")
    return done.stdout


def possible_or_skipped(*arguments: str | Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    try:
        command(*arguments)
    except OSError as error:
        pytest.skip(f"cannot mount a disk: {error}")


@contextmanager
def memory_disk(at: Path, size: str = "8m") -> Iterator[None]:
    """Mounts a disk of this size in memory, which only its owner can access."""
    at.mkdir(parents=True, exist_ok=True)
    possible_or_skipped("mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", at)
    try:
        yield
    finally:
        command("umount", "--lazy", at)


@contextmanager
def image_disk(image: Path, at: Path) -> Iterator[Path]:
    """Mounts an ext4 disk that becomes read-only after its first error. Yields a switch that causes an error."""
    at.mkdir(parents=True, exist_ok=True)
    if not image.exists():
        with image.open("wb") as file:
            file.truncate(16 << 20)
        possible_or_skipped("mkfs.ext4", "-q", image)
    possible_or_skipped("mount", "-o", "loop,errors=remount-ro", image, at)
    try:
        at.chmod(0o700)
        device = Path(command("findmnt", "--noheadings", "--output", "SOURCE", at).strip()).name
        switch = Path("/sys/fs/ext4") / device / "trigger_fs_error"
        if not switch.exists():
            pytest.skip("this kernel cannot simulate disk errors")
        yield switch
    finally:
        command("umount", "--lazy", at)


def fill(at: Path) -> Path:
    """Fills a disk with one file."""
    ballast = at / "ballast"
    with ballast.open("wb", buffering=0) as file:
        size = BLOCK
        while size:
            try:
                file.write(b"\0" * size)
            except OSError as error:
                assert error.errno == errno.ENOSPC
                size //= 2
    return ballast

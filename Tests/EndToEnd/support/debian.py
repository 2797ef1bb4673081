"""Creates a minimal Debian root file system with debootstrap, from this machine's apt mirror."""

import subprocess
from pathlib import Path


def mirror(suite: str) -> str:
    """Returns the URL of the mirror for a suite such as `bookworm`, from the configuration of apt."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(COMPONENT) $(CODENAME)", "Created-By: Packages"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        url, component, codename = line.split()
        if (component, codename) == ("main", suite):
            return url
    raise SystemExit(f"apt on this machine has no mirror for {suite}; pass a root file system with --root")


def make_root(suite: str, root: Path, copied: Path | None) -> None:
    """Creates a minimal Debian in `root`, or copies one."""
    if copied:
        subprocess.run(["cp", "--archive", copied, root], check=True)
    else:
        subprocess.run(["debootstrap", "--variant=minbase", suite, root, mirror(suite)], check=True)

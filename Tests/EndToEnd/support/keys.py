"""Creates keys, certificates and signed files with the system's openssl, independently of the project."""

import json
import os
import subprocess
from pathlib import Path

from support.waiting import LIMIT

APPS = ["D3KQX62K1A.com.example.DemoApp", "D3KQX62K1A.com.example.DemoAdminApp"]
OTHER_APP = "A1B2C3D4E5.com.example.Other"


def openssl(*arguments: str | Path, given: bytes = b"") -> bytes:
    done = subprocess.run(
        ["openssl", *map(str, arguments)],
        input=given,
        capture_output=True,
        timeout=LIMIT,
        env={"PATH": os.environ.get("PATH", os.defpath)},
    )
    assert done.returncode == 0, f"openssl {arguments}: {done.stderr.decode()}"
    return done.stdout


def identity(folder: Path, *names: str) -> tuple[Path, Path]:
    """Creates a self-signed certificate for the names. Returns the paths of the certificate and its key."""
    certificate, key = folder / f"{names[0]}.pem", folder / f"{names[0]}.key"
    openssl(
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "30"),
        *("-subj", f"/CN={names[0]}", "-addext", "subjectAltName=" + ",".join(f"DNS:{name}" for name in names)),
        *("-addext", "extendedKeyUsage=serverAuth", "-keyout", key, "-out", certificate),
    )
    key.chmod(0o600)
    return certificate, key


def signed(content: bytes, certificate: Path, key: Path) -> bytes:
    """Signs content as CMS in DER with the content attached, as in Apple's Shared Web Credentials Reference."""
    return openssl(
        *("smime", "-sign", "-binary", "-nodetach", "-outform", "DER", "-signer", certificate, "-inkey", key),
        given=content,
    )


def association(*apps: str) -> bytes:
    return json.dumps({"webcredentials": {"apps": list(apps or APPS)}}, indent=2).encode()


def padded_association(size: int) -> bytes:
    """Returns a valid association file of exactly `size` bytes."""
    content = association()
    return content[:-1] + b" " * (size - len(content)) + b"}"

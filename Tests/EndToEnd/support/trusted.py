"""A site whose certificate the check trusts. The result therefore depends only on its responses."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from support.authorities import SERVERS, SITE, Maker, named
from support.checking import steered
from support.sites import response, tls_context

A, D, R = "associated", "denied", "retry"
OTHER = "other.example.test"
# The issues that any unsigned file, the root and names below .test cause. None of them concerns the response.
BESIDE = {
    "signature-missing",
    "tls-given-root",
    "entitlement-developer-mode",
    "entitlement-private-host",
    "service-not-in-version",
}


@dataclass(frozen=True)
class Trusted:
    context: ssl.SSLContext
    root: Path

    @classmethod
    def make(cls, home: Path) -> Self:
        maker = Maker(home)
        root = maker.authority("Test Root")
        leaf = maker.make(SITE, root, named(SITE, OTHER), SERVERS)
        return cls(tls_context(leaf), root.certificate)


def asked(trusted: Trusted, port: int, *more: str) -> tuple[str | Path, ...]:
    """Returns the arguments that request both sites at this port."""
    steering = (*steered(port, SITE), *steered(port, OTHER))
    return (SITE, *steering, "--trust", trusted.root, "--timeout", "60", *more)


def redirect(status: int, target: str) -> bytes:
    return response(b"", status, "text/html", [f"Location: {target}"])

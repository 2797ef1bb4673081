"""CAs and certificates that each have exactly one fault. The system's openssl creates them for each test run."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from support.keys import openssl

SITE = "site.example.test"
SERVERS = "extendedKeyUsage=serverAuth"
AUTHORITY = ("basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign")
EC = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")
RSA = ("rsa:2048",)
SMALL_RSA = ("rsa:1024",)
CONFIGURATION = """
[ca]
default_ca = it
[it]
new_certs_dir = {folder}
database = {folder}/index.txt
rand_serial = yes
unique_subject = no
policy = any
[any]
commonName = optional
"""


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y%m%d%H%M%SZ")


@dataclass(frozen=True)
class Holder:
    """A certificate with its key and its issuer. The issuer is None if the certificate is self-signed."""

    certificate: Path
    key: Path
    issuer: "Holder | None" = None

    @property
    def pem(self) -> str:
        return self.certificate.read_text()


@dataclass
class Maker:
    """Creates certificates in its own folder."""

    folder: Path
    numbers: count = field(default_factory=count)

    def make(
        self,
        name: str,
        issuer: Holder | None = None,
        *extensions: str,
        key: tuple[str, ...] = EC,
        digest: str = "sha256",
        start: timedelta = timedelta(hours=-1),
        days: float = 90,
    ) -> Holder:
        """Creates a certificate with the Common Name `name`. It is valid for `days`, from `start` relative to now."""
        folder = self.folder / str(next(self.numbers))
        folder.mkdir()
        holder = Holder(folder / "certificate.pem", folder / "key.pem", issuer)
        (folder / "index.txt").touch()
        (folder / "ca.cnf").write_text(CONFIGURATION.format(folder=folder))
        # openssl would read an empty extension file as a file without a section.
        (folder / "extensions").write_text("\n".join(extensions or ("subjectKeyIdentifier=hash",)) + "\n")
        openssl(
            *("req", "-new", "-newkey", *key, "-noenc", "-subj", f"/CN={name}", "-keyout", holder.key),
            *("-out", folder / "request.pem"),
        )
        holder.key.chmod(0o600)
        first = datetime.now(UTC) + start
        signer = (
            ("-cert", issuer.certificate, "-keyfile", issuer.key) if issuer else ("-selfsign", "-keyfile", holder.key)
        )
        openssl(
            *("ca", "-batch", "-notext", "-config", folder / "ca.cnf", "-in", folder / "request.pem", *signer),
            *("-md", digest, "-startdate", stamp(first), "-enddate", stamp(first + timedelta(days=days))),
            *("-extfile", folder / "extensions", "-out", holder.certificate),
        )
        return holder

    def authority(self, name: str, issuer: Holder | None = None, key: tuple[str, ...] = EC) -> Holder:
        return self.make(name, issuer, *AUTHORITY, key=key, days=3650)


def named(*hosts: str) -> str:
    return "subjectAltName=" + ",".join(f"DNS:{host}" for host in hosts)

"""Built apps, IPA files and provisioning profiles, created independently of the project."""

import plistlib
import struct
import zipfile
from pathlib import Path

from support.keys import APPS, identity, openssl

KEY = "com.apple.developer.associated-domains"
SIGNATURE = 4096


def entitlements(*entries: str, app: str = APPS[0]) -> bytes:
    """Returns the property list that `codesign` embeds."""
    return plistlib.dumps({"application-identifier": app, KEY: list(entries)})


def executable(listed: bytes | None) -> bytes:
    """Returns a Mach-O executable of 64 bits. Without a list, the executable is unsigned."""
    command = struct.pack("<II16s", 0x1B, 24, bytes(16))
    if listed is None:
        signature = b""
    else:
        blob = struct.pack(">II", 0xFADE7171, 8 + len(listed)) + listed
        signature = struct.pack(">IIIII", 0xFADE0CC0, 20 + len(blob), 1, 5, 20) + blob
        command += struct.pack("<IIII", 0x1D, 16, SIGNATURE, len(signature))
    header = struct.pack("<IIIIIIII", 0xFEEDFACF, 0x0100000C, 0, 2, 1 if listed is None else 2, len(command), 0, 0)
    return (header + command).ljust(SIGNATURE, b"\0") + signature


def universal(*images: bytes) -> bytes:
    """Returns a universal executable."""
    header, content = struct.pack(">II", 0xCAFEBABE, len(images)), b""
    for image in images:
        header += struct.pack(">IIIII", 0x0100000C, 0, 16384 + len(content), len(image), 14)
        content += image.ljust(-len(image) % 16384 + len(image), b"\0")
    return header.ljust(16384, b"\0") + content


def files(program: bytes, profile: bytes | None = None, name: str = "Demo") -> dict[str, bytes]:
    """Returns the files of an iOS app."""
    made = {"Info.plist": plistlib.dumps({"CFBundleExecutable": name}, fmt=plistlib.FMT_BINARY), "Demo": program}
    return made if profile is None else made | {"embedded.mobileprovision": profile}


def app(folder: Path, content: dict[str, bytes]) -> Path:
    """Creates an `.app` folder."""
    for name, data in content.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


def ipa(path: Path, content: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Creates an IPA file."""
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.mkdir("Payload")
        for name, data in content.items():
            archive.writestr(f"Payload/Demo.app/{name}", data)
    return path


def profile(folder: Path, permitted: dict[str, object]) -> bytes:
    """Returns a provisioning profile: a list in a CMS signature, with the signer's certificate."""
    certificate, key = identity(folder, "signer.example")
    listed = plistlib.dumps({"Name": "Demo", "DeveloperCertificates": [bytes(800)], "Entitlements": permitted})
    return openssl(
        *("cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-signer", certificate, "-inkey", key),
        given=listed,
    )

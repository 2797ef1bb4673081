"""A second, independent implementation of the table of entitlement entries in the specification.

`Entry` determines whether a profile accepts an entry. Where the specification and Apple's documentation are silent, it
raises `Unspecified`, and the differential test skips the entry.
"""

import ipaddress
import re
from enum import IntEnum

from model import Unspecified


class Status(IntEnum):
    """A profile's treatment of an entry."""

    accepted = 0
    warning = 1
    denied = 2


SERVICES = (
    *("webcredentials", "applinks", "appclips", "activitycontinuation"),
    *("messagefilter", "classificationreport", "authsrv"),
)
MODES = ("developer", "managed")
# The table's single column for devices also applies to the older systems.
PROFILES = ("device", "documented", "ios9", "ios8")


class Entry:
    """An entitlement entry with its classification from the specification's table.

    `device` and `documented` are the statuses in the two columns. `canonical` is the entry in the device's form, or
    None if the device ignores the entry.
    """

    def __init__(self, entry: str) -> None:
        self.device = Status.accepted
        self.documented = Status.accepted
        self.canonical: str | None = None
        self.unclear: list[str] = []
        service, colon, rest = entry.partition(":")
        self.service = service.lower()
        self.modes: set[str] = set()
        if " " in entry:
            self.deny()
        if not colon or self.service not in SERVICES:
            self.deny()
            return
        if self.service != service:
            self.tolerate()
        self.read(rest)
        if self.device == Status.denied:
            return
        if self.unclear:
            raise Unspecified(self.unclear[0])

    def statuses(self) -> dict[str, Status]:
        return {name: self.documented if name == "documented" else self.device for name in PROFILES}

    def deny(self) -> None:
        """Applies a row where both columns deny the entry."""
        self.device = self.documented = Status.denied

    def tolerate(self) -> None:
        """Applies a row where only devices accept the entry: an error and a warning."""
        self.documented = Status.denied
        self.device = max(self.device, Status.warning)

    def warn(self) -> None:
        """Applies a row where a device accepts the entry as written, and `documented` has a warning."""
        self.documented = max(self.documented, Status.warning)

    def read(self, rest: str) -> None:
        """Parses the text after the service as the rest of an https URL."""
        if scheme := re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", rest):
            if scheme[1].lower() in ("http", "https"):
                self.deny()
                return
            self.unclear.append("an unusual scheme, or a colon without port before a path")
        rest, has_fragment, fragment = rest.partition("#")
        rest, has_query, query = rest.partition("?")
        authority, has_path, path = rest.partition("/")
        if has_path or has_fragment:
            self.tolerate()
        if has_fragment and not fragment:
            self.unclear.append("an empty fragment")
        if re.search(r"[^\x21-\x7e]|[\"<>\\^`{|}%#\[\]]", path + query + fragment):
            self.unclear.append("an encoded or invalid character in a part that devices ignore")
        if has_query:
            self.read_query(query)
        self.read_authority(authority)

    def read_query(self, query: str) -> None:
        items = query.split("&")
        if "" in items:
            self.unclear.append("an empty query or query item")
        modes = 0
        for item in filter(None, items):
            name, _, value = item.partition("=")
            if name != "mode":
                # Also rejects `Mode`, because devices recognize only the name `mode`.
                self.tolerate()
                continue
            modes += 1
            self.modes = set()
            if not value:
                self.tolerate()
                continue
            words = value.split("+")
            for word in words:
                if word.lower() not in MODES:
                    self.tolerate()
                    continue
                self.modes.add(word.lower())
                if word != word.lower():
                    self.warn()
            known = [word.lower() for word in words if word.lower() in MODES]
            if known not in ([], ["developer"], ["managed"], ["developer", "managed"]):
                # The grammar contains only developer+managed. The table lists neither the other order nor a repetition.
                self.unclear.append("known modes in another order, or repeated")
            self.exactly = words
        # The last mode counts, even if it is empty.
        if modes > 1:
            self.tolerate()

    def read_authority(self, authority: str) -> None:
        if "@" in authority:
            self.deny()
            return
        address = re.fullmatch(r"(\[[^\]]*\])(.*)", authority)
        host, port = (address[1], address[2]) if address else (authority, "")
        if not address:
            host, colon, number = authority.partition(":")
            port = colon + number
        self.read_host(host)
        self.read_port(port)
        if self.device != Status.denied:
            mode = "?mode=" + "+".join(mode for mode in MODES if mode in self.modes) if self.modes else ""
            self.canonical = f"{self.service}:{host.lower()}{port.rstrip(':')}{mode}"

    def read_port(self, port: str) -> None:
        if not port:
            return
        if port == ":":
            self.tolerate()
            return
        digits = port.removeprefix(":")
        if not port.startswith(":") or not re.fullmatch(r"[0-9]+", digits) or not 0 < int(digits) <= 65535:
            self.deny()
            return
        if digits.startswith("0"):
            self.unclear.append("a port with a leading zero")
        if self.service == "webcredentials":
            self.warn()
        else:
            self.tolerate()

    def read_host(self, host: str) -> None:
        wildcard = host.startswith("*.")
        host = host.removeprefix("*.").lower()
        if not host or host.startswith(".") or ".." in host or re.search(r"[*\"<>\\^`{|}\s]", host):
            self.deny()
            return
        if host.startswith("[") and not wildcard:
            self.read_address(host[1:-1], ipaddress.IPv6Address)
            return
        if "[" in host or "]" in host:
            self.deny()
            return
        if host == "localhost":
            if wildcard and "developer" in self.modes:
                self.unclear.append("a wildcard for localhost")
            if self.modes != {"developer"}:
                self.deny()
                return
            if len(self.exactly) > 1:
                self.unclear.append("whether a mode with an unknown word is exactly developer")
            self.tolerate()
            return
        if re.search(r"[^a-z0-9.\-]", host):
            self.unclear.append("a host with unusual characters")
        if "." not in host:
            self.deny()
            return
        labels = host.split(".")
        if re.fullmatch(r"[0-9]+|0x[0-9a-f]*", labels[-1]):
            if wildcard or not re.fullmatch(r"(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}", host):
                self.unclear.append("a host that ends in a number")
            else:
                self.read_address(host, ipaddress.IPv4Address)
            return
        if wildcard and self.service == "appclips":
            self.tolerate()
        if any(not label or label[0] == "-" or label[-1] == "-" or len(label) > 63 for label in labels):
            self.unclear.append("a label that DNS does not allow")
        if len(host) > 253:
            self.unclear.append("a long host")
        if any(label[2:4] == "--" for label in labels):
            self.unclear.append("a label with two hyphens in third place")

    def read_address(self, address: str, kind: type) -> None:
        try:
            kind(address)
        except ValueError:
            # Brackets and colons are invalid in a host that is not an address.
            if kind is ipaddress.IPv6Address:
                self.deny()
            else:
                self.unclear.append("four numbers that are not an address")
            return
        if self.modes:
            self.tolerate()
        else:
            self.deny()

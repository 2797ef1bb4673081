"""Random association files, URLs and entitlement entries that are near the boundaries of the rules."""

import random
import re
from urllib.parse import unquote

from model import BUILT_IN, ISO

APPS = [f"D3KQX62K1A.com.example.{name}" for name in ("A", "B", "C")]
# Excluded because a URL parser may remove dot segments, and the specification does not mention them.
UNDEFINED = r"(^|/)\.{1,2}(/|$)"
# Similar characters and segments: case, encoding, shared prefixes, and the wildcards themselves.
# The specification does not define some characters, so they are excluded: combining characters, letters without a
# one-to-one case mapping, dot segments, and characters that a URL cannot contain unencoded.
SEGMENTS = [
    *("a", "b", "ab", "A", "buy", "Buy", "BUY", "buyer", "bu", "x.html", "42", "7", "f0", "F0", "en", "EN", "de"),
    *("zz", "eng", "GB", "gb", "UK", "US", "ä", "Ä", "%C3%A4", "%C3%84", "%c3%a4", "日本", "😀", "%F0%9F%98%80"),
    *("%2F", "%2f", "a%2Fb", "%2A", "%3F", "%26", "%3D", "%20", "*", "**", "a*b", "$", "$5", "+", "NOT", "~", "a,b"),
]
NAMES = ["a", "b", "A", "ab", "ä", "%61", "q"]
WILDCARDS = ["*", "?", "?*", "*?", "**", "??", "***"]
CUSTOM = {
    "food": ["burrito", "taco", "pizza*"],
    "Food": ["TACO", "a?"],
    "any": ["*"],
    "some": ["?*", "7"],
    "none": [],
    "nested": ["$(digit)", "a"],
    "letters": ["ä", "Ä?", "buy"],
    "path": ["a/b", "buy/*/x"],
}


def text(source: random.Random, names: list[str]) -> str:
    """Returns a segment of a pattern."""
    parts = []
    for _ in range(source.choices((1, 2, 3), (6, 3, 1))[0]):
        kind = source.random()
        if kind < 0.6:
            parts.append(source.choice(SEGMENTS))
        elif kind < 0.8 or not names:
            parts.append(source.choice(WILDCARDS))
        else:
            parts.append(f"$({source.choice(names)})")
    return "".join(parts)


def slash(source: random.Random) -> str:
    return "//" if source.random() < 0.05 else "/"


def path(source: random.Random, names: list[str]) -> str:
    count = source.choices((0, 1, 2, 3), (1, 6, 4, 1))[0]
    result = slash(source).join(text(source, names) for _ in range(count))
    result += source.choices(("", "/*", "/", "/?*", "/**"), (14, 3, 2, 1, 1))[0]
    return result if source.random() < 0.1 else slash(source) + result


def query(source: random.Random, names: list[str]) -> object:
    if source.random() < 0.35:
        return "&".join(item(source, names) for _ in range(source.randrange(3)))
    count = source.choices((0, 1, 2, 3), (1, 6, 3, 1))[0]
    values: dict[str, object] = {name: value(source, names) for name in source.sample(NAMES, count)}
    if values and source.random() < 0.1:
        values[source.choice(list(values))] = source.choice([1, True, None, ["a"]])
    return values


def value(source: random.Random, names: list[str]) -> str:
    return source.choices(("", "*", "?*", text(source, names)), (2, 2, 1, 8))[0]


def item(source: random.Random, names: list[str]) -> str:
    return source.choice(NAMES) + ("=" + value(source, names) if source.random() < 0.85 else "")


def component(source: random.Random, names: list[str], factor: float = 1) -> dict:
    result: dict[str, object] = {}
    chances = {"/": 0.8, "?": 0.4, "#": 0.15, "exclude": 0.3, "caseSensitive": 0.35, "percentEncoded": 0.35}
    for key, chance in chances.items():
        if source.random() < chance * factor:
            result[key] = {"/": path, "?": query, "#": value}.get(key, flag)(source, names)
    if source.random() < 0.05:
        result["comment"] = "*"
    return result


def flag(source: random.Random, _: list[str]) -> bool:
    return source.random() < 0.4


def defaults(source: random.Random, names: list[str], paths: bool) -> dict:
    """Returns the defaults of a detail or of the service.

    Excluded because the specification does not define it: whether other defaults apply to `paths`.
    """
    if paths:
        return {key: flag(source, []) for key in ("caseSensitive", "percentEncoded") if source.random() < 0.3}
    return component(source, names, 0.5) if source.random() < 0.35 else {}


def legacy(source: random.Random) -> str:
    # Excludes variables in the legacy paths, because the specification does not define them.
    return ("NOT " if source.random() < 0.4 else "") + ("*" if source.random() < 0.1 else path(source, []))


def make_file(source: random.Random) -> dict:
    """Returns an association file with an applinks service."""
    custom = {name: CUSTOM[name] for name in source.sample(list(CUSTOM), source.randrange(4))}
    names = [*sorted(BUILT_IN), *custom, *custom] if source.random() < 0.5 else []
    links: dict[str, object] = {"substitutionVariables": custom} if custom else {}
    generation = source.choices(("dictionary", "mixed", "components"), (1, 3, 10))[0]
    if level := defaults(source, names, generation != "components"):
        links["defaults"] = level
    if generation == "dictionary":
        links["apps"] = []
        links["details"] = {
            app: {"paths": [legacy(source) for _ in range(source.randrange(1, 4))]}
            for app in source.sample(APPS, source.randrange(1, 3))
        }
        return {"applinks": links}
    details = []
    for _ in range(source.choices((1, 2, 3), (6, 3, 1))[0]):
        detail: dict[str, object] = {}
        if source.random() < 0.3:
            detail["appID"] = source.choice(APPS)
        if "appID" not in detail or source.random() < 0.3:
            detail["appIDs"] = source.sample(APPS, source.choices((0, 1, 2), (1, 12, 6))[0])
        paths = generation == "mixed" and source.random() < 0.6
        if paths:
            detail["paths"] = [legacy(source) for _ in range(source.randrange(1, 4))]
        else:
            count = source.choices((1, 2, 3, 5), (8, 4, 2, 1))[0]
            detail["components"] = [component(source, names) for _ in range(count)]
            if source.random() < 0.05:
                detail["paths"] = ["*"]
        if level := defaults(source, names, paths):
            detail["defaults"] = level
        details.append(detail)
    links["details"] = details
    return {"applinks": links}


def rules(file: dict) -> list[dict]:
    """Returns the keys of each rule, including its defaults."""
    links = file["applinks"]
    details = list(links["details"].values()) if isinstance(links["details"], dict) else links["details"]
    result = []
    for detail in details:
        components = detail.get("components") or [{"/": entry.removeprefix("NOT ")} for entry in detail["paths"]]
        result += [{**links.get("defaults", {}), **detail.get("defaults", {}), **rule} for rule in components]
    return result


def instance(source: random.Random, pattern: str, custom: dict[str, list[str]]) -> str:
    """Returns a text that the pattern matches, or nearly matches."""

    def word(found: re.Match[str]) -> str:
        if found[0] == "*":
            return source.choice(["", "", source.choice(SEGMENTS), f"{source.choice(SEGMENTS)}/x"])
        if found[0] == "?":
            return source.choice(["", *"aB7ä-/"] + ["a"] * 6)
        name = found[0][2:-1]
        choices = custom.get(name) or ISO.get(name) or list("aAfFgG07") + SEGMENTS
        return re.sub(r"\*", lambda _: source.choice(["", "x"]), source.choice(choices)).replace("?", "a")

    result = re.sub(r"\*|\?|\$\([^()]*\)", word, pattern)
    for _ in range(source.choices((0, 1, 2), (8, 3, 1))[0]):
        result = mutation(source, result)
    return result


def mutation(source: random.Random, given: str) -> str:
    at = source.randrange(len(given) + 1)
    match source.randrange(8):
        case 0 | 1:
            return given.swapcase()
        case 2:
            return given[:at] + given[at + 1 :]
        case 3:
            return given[:at] + source.choice(["/", "//", "*", "a", "%2F", "%2f", "&", "="]) + given[at:]
        case 4:
            return given + "/"
        case 5:
            return given[:at] + given[at : at + 1].swapcase() + given[at + 1 :]
        case 6:
            return given[:at] + "".join(f"%{byte:02X}" for byte in given[at : at + 1].encode()) + given[at + 1 :]
        case _:
            return source.choice(SEGMENTS)


def spelled(part: str, forbidden: str) -> str:
    """Encodes the characters that this part of a URL cannot contain unencoded."""
    part = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", part)
    return re.sub(rf"[{re.escape(forbidden)}\s]", lambda found: f"%{ord(found[0]):02X}", part)


def make_url(source: random.Random, file: dict) -> str:
    """Returns a URL that is close to a rule in the file."""
    custom = file["applinks"].get("substitutionVariables", {})
    rule = source.choice(rules(file))
    where = instance(source, rule["/"], custom) if "/" in rule else path(source, [])
    where = spelled("/" + where.removeprefix("/"), "?#") if where or source.random() < 0.5 else ""
    if re.search(UNDEFINED, unquote(where)):
        return make_url(source, file)
    wanted = rule.get("?", "" if source.random() < 0.8 else item(source, []))
    if isinstance(wanted, dict):
        items = []
        for name, pattern in wanted.items():
            for _ in range(source.choices((0, 1, 2), (2, 6, 3))[0]):
                sign = "=" if source.random() < 0.9 else ""
                items.append(name + sign + instance(source, str(pattern) if sign else "", custom))
        if source.random() < 0.3:
            items.append(item(source, []).replace("?", "a"))
        source.shuffle(items)
        asked = "&".join(items)
    else:
        asked = instance(source, wanted, custom)
    fragment = rule.get("#", "" if source.random() < 0.9 else source.choice(SEGMENTS))
    fragment = instance(source, fragment, custom) if fragment else ""
    url = "https://example.com" + where
    url += "?" + spelled(asked, "#") if asked or source.random() < 0.1 else ""
    return url + ("#" + spelled(fragment, "#") if fragment or source.random() < 0.05 else "")


# Excluded because the specification does not define them: trailing dots, private network names (they depend on the
# mode), and characters that are valid in a URL's host but not in DNS, such as underscores. Also excluded because the
# program has additional warnings: public suffixes, and bundle identifiers in place of a host.
SERVICES = [
    *("webcredentials", "applinks", "appclips", "activitycontinuation"),
    *("messagefilter", "classificationreport", "authsrv"),
]
OTHER_SERVICES = ["WebCredentials", "appLinks", "APPCLIPS", "applink", "weblinks", "", "applinks ", "app-links"]
HOSTS = [
    *("example.com", "www.example.com", "Example.com", "EXAMPLE.COM", "a-b.example.org", "a1.b2.example.net"),
    *("*.example.com", "*.Example.com", "*.www.example.com"),
]
ODD_HOSTS = [
    *("", "*", "*.", "*.com", "*example.com", "*.*.example.com", "www.*.example.com", ".example.com", "*..example.com"),
    *("www..example.com", "..", ".", "example", "EXAMPLE", "localhost", "LocalHost", "*.localhost", "exa mple.com"),
    *(" example.com", "example.com ", "https://example.com", "HTTP://example.com", "user@example.com"),
    *("user:word@example.com", "@example.com", "exa<mple.com", 'exa"mple.com', "exa^mple.com", "exa|mple.com"),
    *("192.0.2.1", "198.51.100.77", "203.0.113.255", "[2001:db8::1]", "[2001:DB8::2]", "2001:db8::1", "[::g]"),
    *("[2001:db8::1", "exa\\mple.com", "{example.com}", "`example.com"),
]
PORTS = [
    ":",
    ":0",
    ":1",
    ":443",
    ":8443",
    ":65535",
    ":65536",
    ":99999999999999999999",
    ":https",
    ":8443x",
    "::",
    ":1:2",
]
PATHS = ["/", "/a", "/a/b", "//", "/login.html", "/:8443", "/user@host", "/*"]
MODES = ["developer", "managed", "Developer", "MANAGED", "debug", "dev", "developers", "x"]
ITEMS = ["a=b", "a", "Mode=developer", "MODE=managed", "mode", "mode=", "modes=developer", "=developer", "a=mode"]


def make_entry(source: random.Random) -> str:
    """Returns an entitlement entry, with a mistake in about half of the cases."""
    service = source.choice(SERVICES) if source.random() < 0.92 else source.choice(OTHER_SERVICES)
    host = source.choice(HOSTS) if source.random() < 0.7 else source.choice(ODD_HOSTS)
    if source.random() < 0.5 and host in HOSTS:
        # Makes the entry unique, because the program removes duplicates.
        host = host.replace("xample", f"{source.choice('xX')}{source.randrange(1000)}ample")
    entry = service + (":" if source.random() < 0.98 else source.choice(["", " ", "::", "://"])) + host
    entry += source.choice(PORTS) if source.random() < 0.2 else ""
    entry += source.choice(PATHS) if source.random() < 0.12 else ""
    if source.random() < 0.5:
        entry += "?" + "&".join(entry_item(source) for _ in range(source.choices((1, 2, 3), (8, 2, 1))[0]))
    entry += source.choice(["#a", "#mode=developer"]) if source.random() < 0.04 else ""
    if source.random() < 0.1:
        at = source.randrange(len(entry) + 1)
        inserted = source.choice([*":/?#@*. &+=<AaZ09-", "..", "//"])
        entry = entry[:at] + inserted + entry[at + source.randrange(2) :]
    return entry


def entry_item(source: random.Random) -> str:
    if source.random() < 0.2:
        return source.choice(ITEMS)
    join = source.choices(("+", ",", "|", ";", "++", "-"), (20, 1, 1, 1, 1, 1))[0]
    return "mode=" + join.join(source.choice(MODES[:2] + MODES) for _ in range(source.choices((1, 2, 3), (8, 4, 1))[0]))

"""A second, independent implementation of the rules that match URLs against an association file.

The model follows only the specification, and favors short code over speed. Where the specification and Apple's
documentation are silent, the model raises `Unspecified`, and the differential test skips the case.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_to_bytes


class Unspecified(Exception):
    """Neither the specification nor Apple's documentation defines the result."""


ALPHABET = "abcdefghijklmnopqrstuvwxyz"
CLASSES = {
    "alpha": ALPHABET + ALPHABET.upper(),
    "upper": ALPHABET.upper(),
    "lower": ALPHABET,
    "alnum": ALPHABET + ALPHABET.upper() + "0123456789",
    "digit": "0123456789",
    "xdigit": "0123456789abcdefABCDEF",
}


def pairs(codes: str) -> list[str]:
    return [codes[at : at + 2] for at in range(0, len(codes), 2)]


# ISO 639-1: the codes have two letters each, without a separator.
LANGUAGES = pairs(
    "aaabaeafakamanarasavayazbabebgbibmbnbobrbscacechcocrcscucvcydadedvdzeeeleneoeseteufafffifjfofrfygagdglgngugvha"
    "hehihohrhthuhyhziaidieigiiikioisitiujajvkakgkikjkkklkmknkokrkskukvkwkylalblglilnloltlulvmgmhmimkmlmnmrmsmtmyna"
    "nbndnengnlnnnonrnvnyocojomorospapiplpsptqurmrnrorurwsascsdsesgsiskslsmsnsosqsrssstsusvswtatetgthtitktltntotrts"
    "tttwtyugukuruzvevivowawoxhyiyozazhzu"
)
# ISO 3166-1 alpha-2: the codes have two letters each, without a separator.
REGIONS = pairs(
    "ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCY"
    "CZDEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISIT"
    "JEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNI"
    "NLNONPNRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTK"
    "TLTMTNTOTRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSYEYTZAZMZW"
)
# The specification says "the ISO codes" without naming an edition. The result is therefore unspecified for withdrawn
# and reserved codes, and for codes of three characters.
UNCERTAIN = {
    "lang": [*pairs("bhiniwjijwmosh"), "$(alpha)$(alpha)$(alpha)"],
    "region": [
        *pairs("AAACANAPBUCPCQCSDDDGEAEUEWEZFLFXIBICJALFNHNQNTPCPIPUPZRARBRCRHRIRLRMRNRPSFSUTATPUNVDWGWKWLWOWV"),
        *("YD", "YU", "YV", "ZR", "ZZ", "Q$(upper)", "X$(upper)", "$(alnum)$(alnum)$(alnum)"),
    ],
}
ISO = {"lang": LANGUAGES, "region": REGIONS}
BUILT_IN = {*CLASSES, *ISO}


@dataclass(frozen=True)
class Text:
    """A text. For each of its characters, a bit set contains the character's offsets."""

    length: int
    offsets: dict[str, int]


@lru_cache(4096)
def indexed(text: str) -> Text:
    offsets: dict[str, int] = {}
    for number, character in enumerate(text):
        offsets[character] = offsets.get(character, 0) | 1 << number
    return Text(len(text), offsets)


class Variables:
    """The values of the substitution variables of a file."""

    def __init__(self, custom: dict[str, list[str]], generous: bool) -> None:
        self.custom = custom
        self.generous = generous

    def values(self, name: str) -> list[str]:
        """Returns alternative patterns for a variable that is not a character class."""
        if name in ISO:
            return ISO[name] + (UNCERTAIN[name] if self.generous else [])
        if name not in self.custom:
            raise Unspecified("an unknown variable")
        return self.custom[name]


class Pattern:
    """A pattern as a list of steps. A step moves a set of offsets, stored as the bits of an integer."""

    def __init__(self, text: str, variables: Variables, folds: bool, substitutes: bool = True) -> None:
        self.steps: list[tuple[str, object]] = []
        at = 0
        while at < len(text):
            variable = re.compile(r"\$\(([^()]+)\)").match(text, at) if substitutes else None
            if variable:
                self.steps.append(self.substituted(variable[1], variables, folds))
                at = variable.end()
                continue
            if substitutes and text.startswith("$(", at):
                raise Unspecified("an unfinished variable")
            kind = {"*": "run", "?": "one"}.get(text[at], "literal")
            self.steps.append((kind, text[at].lower() if folds else text[at]))
            at += 1

    @staticmethod
    def substituted(name: str, variables: Variables, folds: bool) -> tuple[str, object]:
        if name in CLASSES:
            return "class", set(CLASSES[name].lower() if folds else CLASSES[name])
        # The values of a custom variable cannot contain variables. The uncertain ISO codes use variables for brevity.
        substitutes = name in ISO
        return "either", [Pattern(value, variables, folds, substitutes) for value in variables.values(name)]

    def advance(self, reached: int, text: Text) -> int:
        for kind, value in self.steps:
            if not reached:
                return 0
            match kind:
                case "literal":
                    reached = (reached & text.offsets.get(value, 0)) << 1
                case "one":
                    reached = (reached & ((1 << text.length) - 1)) << 1
                case "run":
                    lowest = reached & -reached
                    reached = (1 << text.length + 1) - lowest
                case "class":
                    characters = 0
                    for character in value:
                        characters |= text.offsets.get(character, 0)
                    reached = (reached & characters) << 1
                case "either":
                    result = 0
                    for pattern in value:
                        result |= pattern.advance(reached, text)
                    reached = result
        return reached

    def matches(self, text: str) -> bool:
        return bool(self.advance(1, indexed(text)) >> len(text) & 1)


def normal_path(path: str) -> str:
    """Returns the normalized path: collapsed runs, a leading slash, and no trailing slash."""
    path = re.sub(r"\*+", "*", path)
    path = re.sub(r"/+", "/", "/" + path)
    return path.rstrip("/") or "/"


@dataclass(frozen=True)
class Location:
    """The parts of a URL that rules match."""

    path: str
    query: str
    fragment: str

    @staticmethod
    def of(url: str) -> "Location":
        # A URL has only ASCII characters. A URL parser encodes other characters as UTF-8.
        url = re.sub(r"[^\x00-\x7f]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), url)
        url, _, fragment = url.partition("#")
        url, _, query = url.partition("?")
        return Location(url.removeprefix("https://").partition("/")[2], query, fragment)


def decoded(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError as error:
        raise Unspecified("decoding gives invalid UTF-8") from error


class Rule:
    """A component, or an entry of the legacy `paths`, with its defaults."""

    def __init__(self, component: object, defaults: list[dict], variables: Variables, legacy: bool = False) -> None:
        self.variables = variables
        levels = list(defaults)
        if legacy:
            assert isinstance(component, str)
            if any(key in level for level in defaults for key in ("/", "?", "#", "exclude")):
                raise Unspecified("whether these defaults apply to the legacy paths")
            if "$(" in component:
                raise Unspecified("a variable in the legacy paths")
            excludes = component.startswith("NOT ")
            levels.insert(0, {"/": component.removeprefix("NOT "), "exclude": excludes})
            if excludes:
                levels[0]["caseSensitive"] = True
        else:
            assert isinstance(component, dict)
            levels.insert(0, component)
        self.keys: dict[str, object] = {}
        for level in reversed(levels):
            self.keys.update(level)
        query = self.keys.get("?")
        self.hidden = False
        if isinstance(query, dict) and any(not isinstance(value, str) for value in query.values()):
            # The specification does not define whether a default replaces a void dictionary.
            self.hidden = sum("?" in level for level in levels) > 1
            del self.keys["?"]
        self.excludes = bool(self.keys.get("exclude", False))
        self.folds = not self.keys.get("caseSensitive", True)
        self.decodes = not self.keys.get("percentEncoded", True)
        self.patterns: dict[str, Pattern] = {}

    def pattern(self, text: str) -> Pattern:
        if text not in self.patterns:
            self.patterns[text] = Pattern(text, self.variables, self.folds)
        return self.patterns[text]

    def accepts(self, pattern: str, text: str) -> bool:
        return self.pattern(pattern).matches(text.lower() if self.folds else text)

    def matches(self, location: Location) -> bool:
        if self.hidden:
            raise Unspecified("a default for a void query dictionary")
        read = decoded if self.decodes else str
        path, query, fragment = self.keys.get("/", "*"), self.keys.get("?", "*"), self.keys.get("#", "*")
        # Compares every key, to detect an unspecified key regardless of the other keys.
        return all(
            [
                self.accepts_path(path, normal_path(read(location.path))),
                self.accepts_items(query, location.query, read)
                if isinstance(query, dict)
                else self.accepts(query, read(location.query)),
                self.accepts(fragment, read(location.fragment)),
            ]
        )

    def accepts_path(self, pattern: str, path: str) -> bool:
        """Compares a path. Ignores a trailing slash, so `/buy/*` also matches `/buy`."""
        pattern = normal_path(pattern)
        if self.accepts(pattern, path):
            return True
        return pattern.endswith("/*") and self.accepts(pattern.removesuffix("/*") or "/", path)

    def accepts_items(self, wanted: dict, query: str, read: type[str] | object) -> bool:
        # Splits items before decoding, so that an encoded "&" is part of a value. `caseSensitive` applies only to
        # patterns, not to names.
        items = [item.partition("=") for item in query.split("&")]
        for name, pattern in wanted.items():
            values = [read(value) for key, _, value in items if read(key) == name] or [""]
            if not all([self.accepts(pattern, value) for value in values]):
                return False
        return True


class Links:
    """The applinks service of a file."""

    def __init__(self, file: dict, generous: bool = False) -> None:
        links = file["applinks"]
        variables = Variables(links.get("substitutionVariables", {}), generous)
        if BUILT_IN & variables.custom.keys():
            raise Unspecified("a custom variable with the name of a built-in one")
        details = links["details"]
        if isinstance(details, dict):
            details = [{"appID": app, **detail} for app, detail in details.items()]
        self.details: list[tuple[list[str], list[Rule]]] = []
        for detail in details:
            apps = detail["appIDs"] if "appIDs" in detail else [detail["appID"]]
            defaults = [detail.get("defaults", {}), links.get("defaults", {})]
            if "components" in detail:
                rules = [Rule(component, defaults, variables) for component in detail["components"]]
            else:
                rules = [Rule(path, defaults, variables, legacy=True) for path in detail["paths"]]
            self.details.append((apps, rules))

    def decide(self, url: str) -> dict[str, str]:
        """Returns the result of each app, in the order of the decisive details. Absent apps are unmatched."""
        location = Location.of(url)
        results: dict[str, str] = {}
        for apps, rules in self.details:
            deciding = next((rule for rule in rules if rule.matches(location)), None)
            if deciding:
                for app in apps:
                    results.setdefault(app, "blocked" if deciding.excludes else "matched")
        return results


class Matcher:
    """Decides URLs against a file."""

    def __init__(self, file: dict) -> None:
        self.certain = Links(file)
        text = repr(file)
        self.possible = Links(file, generous=True) if "$(lang)" in text or "$(region)" in text else self.certain

    def decide(self, url: str) -> dict[str, str]:
        results = self.certain.decide(url)
        if self.possible is not self.certain and self.possible.decide(url) != results:
            raise Unspecified("a language or region code that is not in every edition of the standard")
        return results

"""Parsers of the Dockerfile and of .dockerignore."""

import fnmatch
import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Stage:
    """The instructions of a stage, in order. Each has its arguments as a single string."""

    base: str
    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def all(self, instruction: str) -> list[str]:
        return [arguments for name, arguments in self.steps if name == instruction]

    def one(self, instruction: str) -> str:
        found = self.all(instruction)
        assert len(found) == 1, f"{instruction} occurs {len(found)} times in the stage from {self.base}"
        return found[0]

    def words(self, instruction: str) -> list[str]:
        """Returns the words of an instruction in the form of a JSON array."""
        words = json.loads(self.one(instruction))
        assert all(isinstance(word, str) for word in words), words
        return words

    @property
    def copies(self) -> list[tuple[list[str], str]]:
        """Returns the sources and the target of each copy from the build context."""
        words = [shlex.split(arguments) for arguments in self.all("COPY")]
        return [(parts[:-1], parts[-1]) for parts in words if not parts[0].startswith("--from")]

    @property
    def packages(self) -> set[str]:
        """Returns the Debian packages that RUN installs without traits."""
        found = re.findall(r"apt-get install ([^&]+)", " ".join(self.all("RUN")))
        return {word for part in found for word in part.split() if not word.startswith(("-", "$"))}


def read_dockerfile(path: Path) -> list[Stage]:
    """Returns the stages. `${NAME}` is replaced with the argument defaults before the first FROM."""
    text = "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("#"))
    arguments: dict[str, str] = {}
    stages: list[Stage] = []
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip():
            continue
        instruction, rest = line.split(maxsplit=1)
        rest = re.sub(r"\$\{(\w+)\}", lambda match: arguments[match[1]], rest) if instruction == "FROM" else rest
        if instruction == "FROM":
            base, _, name = rest.partition(" AS ")
            stages.append(Stage(base.strip(), name.strip()))
        elif stages:
            stages[-1].steps.append((instruction, " ".join(rest.split())))
        else:
            assert instruction == "ARG", line
            name, _, value = rest.partition("=")
            arguments[name] = value
    return stages


def is_sent(path: str, patterns: list[str]) -> bool:
    """Returns whether the build context contains a path.

    The last matching pattern in .dockerignore decides. A pattern also matches if it matches a parent folder.
    """
    sent = True
    parts = path.split("/")
    above = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    for pattern in patterns:
        fits = any(_fits(one, pattern.removeprefix("!")) for one in above)
        if fits:
            sent = pattern.startswith("!")
    return sent


def _fits(path: str, pattern: str) -> bool:
    if pattern.startswith("**/"):
        return fnmatch.fnmatchcase(path.rsplit("/", 1)[-1], pattern.removeprefix("**/"))
    return len(path.split("/")) == len(pattern.split("/")) and fnmatch.fnmatchcase(path, pattern)


def ignore_patterns(path: Path) -> list[str]:
    lines = (line.strip() for line in path.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]

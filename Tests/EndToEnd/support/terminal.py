"""Runs motivator like a user at a terminal, and answers the simulated device's prompts."""

import os
import pty
import re
import shlex
import subprocess
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from support.server import BINARY, environment
from support.waiting import LIMIT

# In a terminal's canonical mode, the first character sends the typed text, and the second character ends the input.
END_OF_INPUT = "\x04\x04"
CHOICE = re.compile(r" +\d+  (.*)")
QUESTION = re.compile(r"(.*) \((yes, .*)\)")
NUMBER = re.compile(r"Enter a number from 1 to \d+, .*")


class UnexpectedOutcome(Exception):
    """A command whose exit code or prompts differ from the expected ones."""


@dataclass(frozen=True)
class Prompt:
    """A prompt, its choices, and the choice that the user selects, or -1 if the user cancels."""

    text: str
    choices: tuple[str, ...]
    selected: int
    is_picker: bool


@dataclass(frozen=True)
class Outcome:
    """The content of the terminal after a command: the command, its prompts, and its output."""

    command: str
    prompts: tuple[Prompt, ...]
    text: str

    @property
    def summary(self) -> str:
        """The text of the first prompt, or else the first line of the output."""
        return self.prompts[0].text if self.prompts else self.text.partition("\n")[0]


class Terminal:
    """A terminal in the folder `home`. Each command gets the options. `Outcome.command` omits them."""

    def __init__(self, home: Path, *options: str | Path) -> None:
        self.home = home
        self.options = options

    def run(
        self, *words: str, answers: Iterable[str] = (), password: str | None = None, json: bool = False, code: int = 0
    ) -> Outcome:
        """Runs a command that must exit with `code` after exactly one prompt per answer.

        The answer to a picker is an account, or empty to cancel. `Outcome.command` omits `--json`.
        """
        command, remaining = shlex.join(["motivator", *words]), list(answers)
        keyboard, terminal = pty.openpty()
        process = subprocess.Popen(
            [BINARY, *words, *self.options, *(["--json"] if json else [])],
            cwd=self.home,
            env=environment(self.home),
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        watchdog = threading.Timer(LIMIT, process.kill)
        watchdog.start()
        try:
            if password is not None:
                os.write(keyboard, f"{password}{END_OF_INPUT}".encode())
            prompts, rest = converse(process, keyboard, remaining)
            assert process.stdout
            text = process.stdout.read() + rest
            process.wait()
        finally:
            watchdog.cancel()
            process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()
            os.close(keyboard)
            os.close(terminal)
        if process.returncode != code:
            raise UnexpectedOutcome(f"{command} exited with {process.returncode}, not {code}:\n{text}")
        if remaining:
            raise UnexpectedOutcome(f"{command} has no prompt for the answer {remaining[0]}:\n{text}")
        return Outcome(command, tuple(prompts), text)


def converse(process: subprocess.Popen[str], keyboard: int, answers: list[str]) -> tuple[list[Prompt], str]:
    """Answers the prompts on standard error until it ends, and removes the used answers.

    Returns the prompts, and the lines that do not belong to a prompt.
    """
    assert process.stderr
    prompts: list[Prompt] = []
    lines: list[str] = []
    choices: list[str] = []
    for line in process.stderr:
        line = line.rstrip("\n")
        if choice := CHOICE.fullmatch(line):
            choices.append(choice[1])
        elif (question := QUESTION.fullmatch(line)) or NUMBER.fullmatch(line):
            if not answers:
                raise UnexpectedOutcome(f"unexpected prompt: {line}")
            answer = answers.pop(0)
            text = question[1] if question else lines.pop()
            offered = question[2].split(", ") if question else choices
            prompts.append(selected(text, offered, answer, is_picker=question is None))
            typed = answer if question or not answer else str(prompts[-1].selected + 1)
            os.write(keyboard, f"{typed}\n".encode())
            choices = []
        else:
            lines.append(line)
    return prompts, "".join(f"{line}\n" for line in lines)


def selected(text: str, choices: list[str], answer: str, is_picker: bool) -> Prompt:
    if is_picker and not answer:
        return Prompt(text, tuple(choices), -1, is_picker)
    wanted = f'"{answer}" at ' if is_picker else answer
    found = [index for index, choice in enumerate(choices) if choice.startswith(wanted)]
    if len(found) != 1:
        raise UnexpectedOutcome(f'"{text}" does not offer {answer}: {choices}')
    return Prompt(text, tuple(choices), found[0], is_picker)

"""Gives the hosts of `serve --faults` to other programs, and shows which faults each program detects.

scripts/fault-clients starts this program. It prints a table, or writes it to docs/faults.md.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import requests
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver import Chrome
from urllib3.util import connection

from findings import HERE
from support.browser import chromium
from support.checking import association
from support.faulty import APP, GROUPS, FaultyServer
from support.server import Server
from support.wire import ADDRESS, NAME

DOCUMENT = HERE.parents[1] / "docs/faults.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
# A program that exceeds this limit counts as reporting a failure. `slow-content` needs 3 s.
LIMIT = 6
ACCEPTED = "ok"


def has_app(content: bytes) -> str:
    """Returns "ok", or the reason why a plain JSON parser does not find the app."""
    try:
        listed = json.loads(content)["webcredentials"]["apps"]
    except UnicodeDecodeError:
        return "not UTF-8"
    except ValueError:
        return "not JSON"
    except RecursionError:
        return "nested too deep"
    except (KeyError, TypeError):
        return "no webcredentials"
    return ACCEPTED if APP in listed else "app not listed"


@dataclass(frozen=True)
class Hosts:
    """The hosts of a server, and the address for programs."""

    faulty: FaultyServer

    @property
    def path(self) -> str:
        return self.faulty.list["path"]

    def url(self, name: str) -> str:
        return f"https://{self.faulty.host(name)}:{self.faulty.server.port}{self.path}"

    def curl(self, name: str) -> str:
        """Runs curl --fail, which neither follows redirects nor parses the file."""
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--fail", "--noproxy", "*", "--max-time", str(LIMIT)]
            + ["--cacert", self.faulty.server.authority, "--connect-to", f"::{ADDRESS}:{self.faulty.server.port}"]
            + ["--output", "/dev/null", self.url(name)],
            capture_output=True,
            text=True,
        )
        return ACCEPTED if done.returncode == 0 else f"exit code {done.returncode}"

    def python(self, name: str) -> str:
        """Uses requests with its defaults, then a JSON parser that looks for the app."""
        try:
            response = requests.get(self.url(name), timeout=LIMIT, verify=str(self.faulty.server.authority))
            response.raise_for_status()
        except requests.RequestException as error:
            return type(error).__name__
        return has_app(response.content)

    def device(self, home: Path) -> dict[str, str]:
        """The results of `association check --faults`."""
        server = self.faulty.server
        done = association(
            home,
            "check",
            "--faults",
            f"localhost:{server.port}",
            "--trust",
            server.authority,
            "--json",
            *("--timeout", str(LIMIT)),
            limit=200,
        )
        return {host["name"]: host["actual"]["device"] for host in json.loads(done.out)["hosts"]}


# Fetches the file from a page of the same host, and looks for the app.
FETCH = """
const [path, app, limit, done] = arguments;
fetch(path, {signal: AbortSignal.timeout(limit)}).then(async response => {
    if (!response.ok) return done("status " + response.status);
    const value = await response.json();
    const listed = value?.webcredentials?.apps;
    done(listed === undefined ? "no webcredentials" : listed.includes(app) ? "ok" : "app not listed");
}).catch(error => done({SyntaxError: "not JSON", TimeoutError: "timeout"}[error.name] ?? error.message));
"""


def browser(driver: Chrome, hosts: Hosts, name: str) -> str:
    """Opens a page of the host. A script on the page fetches the file."""
    try:
        driver.get(f"https://{hosts.faulty.host(name)}:{hosts.faulty.server.port}/connected.svg")
        if driver.execute_script("return document.documentElement.tagName") != "svg":
            return "error page"
        return driver.execute_async_script(FETCH, hosts.path, APP, LIMIT * 1000)
    except TimeoutException:
        return "timeout"
    except WebDriverException as error:
        found = (error.msg or "").partition("net::")[2].split()
        return found[0] if found else "failed"


def resolve_to_this_machine() -> None:
    """Makes requests resolve every name to this machine, like the options of the other programs."""
    connect = connection.create_connection
    connection.create_connection = lambda address, *rest, **more: connect((ADDRESS, address[1]), *rest, **more)


def run(hosts: Hosts, home: Path) -> tuple[dict[str, dict[str, str]], str]:
    """Returns the results of each program by host, and the version of Chromium."""
    names = hosts.faulty.names(*GROUPS)
    resolve_to_this_machine()
    results: dict[str, dict[str, str]] = {"check": hosts.device(home)}
    programs: dict[str, Callable[[str], str]] = {"curl": hosts.curl, "requests": hosts.python}
    for program, fetch in programs.items():
        reset(hosts)
        with ThreadPoolExecutor(4) as pool:
            results[program] = dict(zip(names, pool.map(fetch, names), strict=True))
    reset(hosts)
    server = hosts.faulty.server
    with chromium(home / "browser", server.authority, (NAME, f"*{hosts.faulty.list['suffix']}")) as driver:
        driver.set_page_load_timeout(LIMIT)
        driver.set_script_timeout(2 * LIMIT)
        # The page does not allow connections from scripts.
        driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
        results["Chromium"] = {name: browser(driver, hosts, name) for name in names}
        shown = driver.capabilities["browserVersion"]
    return results, shown


def reset(hosts: Hosts) -> None:
    with hosts.faulty.server.connect() as wire:
        wire.ask("/faults/reset", method="POST")


def first_line(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].split()[1]


def is_noticed(device: str, result: str) -> bool:
    return (result == ACCEPTED) == (device == "associated")


def report(hosts: list[dict[str, Any]], results: dict[str, dict[str, str]], versions: dict[str, str]) -> str:
    """Returns the summary, and the hosts where a program's result differs from a device's result."""
    settled = [host for host in hosts if host["verdicts"]["device"] != "unproven"]
    programs = [name for name in results if name != "check"]
    lines = [
        f"Measured on {datetime.now(UTC):%Y-%m-%d} with "
        + ", ".join(f"{name} {number}" for name, number in versions.items())
        + ".",
        f"{len(settled)} hosts have a settled verdict for `device`.",
        "",
        "| program | " + " | ".join(GROUPS) + " | all |",
        "|---|" + "--:|" * (len(GROUPS) + 1),
    ]

    def share(program: str, groups: tuple[str, ...]) -> str:
        chosen = [host for host in settled if host["group"] in groups]
        right = sum(agrees(program, host) for host in chosen)
        return f"{right} of {len(chosen)}"

    def agrees(program: str, host: dict[str, Any]) -> bool:
        verdict, result = host["verdicts"]["device"], results[program][host["name"]]
        return result == verdict if program == "check" else is_noticed(verdict, result)

    names = {"check": "`association check`"}
    for program in results:
        cells = [share(program, (group,)) for group in GROUPS] + [share(program, GROUPS)]
        lines.append(f"| {names.get(program, program)} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "For each group, the table counts the hosts for which the program agrees with the device. For the following",
        "hosts, at least one program disagrees. Its result is bold:",
        "",
        "| host | device | " + " | ".join(programs) + " |",
        "|---|---|" + "---|" * len(programs),
    ]
    for host in settled:
        if not all(agrees(program, host) for program in results):
            cells = [
                f"**{results[one][host['name']]}**" if not agrees(one, host) else results[one][host["name"]]
                for one in programs
            ]
            lines.append(f"| {host['name']} | {host['verdicts']['device']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/fault-clients", description=__doc__.splitlines()[0])
    parser.add_argument("--write-docs", action="store_true", help="write the results to docs/faults.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="motivator-faults-") as folder:
        home = Path(folder)
        server = Server(home, "--faults")
        try:
            faulty = FaultyServer.of(server)
            results, chromium_version = run(Hosts(faulty), home)
        finally:
            server.stop()
    versions = {"curl": first_line("curl", "--version"), "requests": version("requests")}
    versions |= {"Python": sys.version.split()[0], "Chromium": chromium_version}
    text = report(faulty.hosts, results, versions)
    if not options.write_docs:
        print(text)
        return 0
    head, _, rest = DOCUMENT.read_text().partition(BEGIN + "\n")
    DOCUMENT.write_text(f"{head}{BEGIN}\n{text}{END}{rest.partition(END)[2]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

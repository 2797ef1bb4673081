"""Tools that send their own requests: schemathesis, wapiti and slowhttptest."""

import json
import re
import sys
from pathlib import Path

from findings import Part
from support.people import App
from support.server import ROOT, Server
from support.wire import ADDRESS
from target import Watcher, run

SCHEMATHESIS_RULES = ROOT / "Tests/EndToEnd/support/schemathesis.toml"
WAPITI = ROOT / ".venv-probe/wapiti/bin/wapiti"
# Omitted: modules that need an external listener that wapiti's authors run (log4shell, spring4shell, ssrf, xxe), guess
# thousands of paths or passwords (brute_login_form, buster, nikto), or identify products (cms, htp, wapp, and others).
WAPITI_MODULES = (
    *("backup", "cookieflags", "crlf", "csp", "csrf", "exec", "file", "htaccess", "http_headers", "https_redirect"),
    *("ldap", "methods", "permanentxss", "redirect", "shellshock", "sql", "timesql", "upload", "xss"),
)
WAPITI_SCAN, WAPITI_ATTACK = 30, 15
SLOW_SECONDS, SLOW_CONNECTIONS, SLOW_RATE = 30, 1000, 250
# The maximum latency of the well-behaved client in seconds. A higher latency counts as a denial of service.
SLOW_LATENCY = 1.0
MEMORY_GROWTH = 150 << 10


def schemathesis(server: Server, folder: Path) -> Part:
    """Tests the operations of /openapi.json with a session, at a limited rate. Omits sign-out to keep the session."""
    part = Part("schemathesis", "/openapi.json, 50 requests/s")
    with App(server) as app:
        token = app.sign_up("schemathesis")
    origin = f"https://{ADDRESS}:{server.port}"
    done = run(
        [Path(sys.executable).with_name("schemathesis"), "--config-file", SCHEMATHESIS_RULES, "run"]
        + [f"{origin}/openapi.json", "--origin", origin, "--tls-verify", str(server.authority), "--seed", "20141017"]
        + ["--max-examples", "25", "--rate-limit", "50/s", "--request-timeout", "20", "--no-color"]
        + ["--header", f"Authorization: Bearer {token}", "--exclude-path", "/api/signout"],
        folder,
        "schemathesis.txt",
        400,
    )
    tested = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    part.note = tested[0] if tested else ""
    if done.returncode:
        failures = re.findall(r"^_+ (.+?) _+\n((?:.*\n){1,12})", done.stdout, re.MULTILINE)
        for operation, text in failures:
            part.add(operation, text[:300])
        if not failures:
            part.add("run", f"exit code {done.returncode}, see schemathesis.txt")
    if not tested:
        part.add("run", "no test ran")
    return part


def wapiti(server: Server, folder: Path) -> Part:
    """Crawls the pages and the API, and then attacks every form and parameter. Each module has a time limit."""
    part = Part("wapiti", f"{len(WAPITI_MODULES)} modules, {WAPITI_ATTACK} s each")
    with server.connect() as wire:
        (folder / "openapi.json").write_bytes(wire.ask("/openapi.json").content)
    report = folder / "wapiti.json"
    done = run(
        [WAPITI, "-u", f"https://localhost:{server.port}/", "--swagger", folder / "openapi.json", "--scope", "domain"]
        + ["-m", ",".join(WAPITI_MODULES), "--max-scan-time", str(WAPITI_SCAN)]
        + ["--max-attack-time", str(WAPITI_ATTACK), "--tasks", "4", "--flush-session", "--no-bugreport"]
        + ["--store-session", folder / "wapiti", "-f", "json", "-o", report],
        folder,
        "wapiti.txt",
        WAPITI_SCAN + WAPITI_ATTACK * len(WAPITI_MODULES) + 60,
    )
    if not report.exists():
        part.add("run", f"no report (exit code {done.returncode}), see wapiti.txt")
        return part
    found = json.loads(report.read_text())
    part.note = f"{found['infos']['crawled_pages_nbr']} pages and forms"
    for group in ("vulnerabilities", "anomalies"):
        for kind, entries in found[group].items():
            for entry in entries:
                part.add(f"{entry['method']} {entry['path']}", f"{kind}: {entry['info']}")
    part.findings = list(dict.fromkeys(part.findings))
    return part


def highest_resident(server: Server) -> int:
    """Returns the peak resident memory of the process in KiB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    found = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return int(found[1]) if found else 0


SLOW_MODES = {
    "head (-H)": ("-H", "/", ("-i", "5", "-x", "24")),
    "content (-B)": ("-B", "/api/signin", ("-i", "5", "-s", "8192", "-x", "10", "-f", "application/json")),
    "range (-R)": ("-R", "/openapi.json", ("-a", "5", "-b", "1500")),
    "read (-X)": ("-X", "/openapi.json", ("-k", "3", "-n", "5", "-w", "10", "-y", "20", "-z", "32")),
}


def slow(server: Server, folder: Path, mode: str) -> Part:
    """Runs a mode of slowhttptest, together with a well-behaved client from another address."""
    flag, path, options = SLOW_MODES[mode]
    part = Part("slowhttptest", f"{mode}, {SLOW_CONNECTIONS:,} connections, {SLOW_SECONDS} s")
    prefix = f"slowhttptest{flag}"
    before = server.resident
    with Watcher(server) as watcher:
        done = run(
            ["slowhttptest", flag, "-c", str(SLOW_CONNECTIONS), "-r", str(SLOW_RATE), "-l", str(SLOW_SECONDS)]
            + ["-p", "3", "-g", "-o", prefix, *options, "-u", f"https://localhost:{server.port}{path}"],
            folder,
            f"{prefix}.txt",
            3 * SLOW_SECONDS,
        )
    growth = highest_resident(server) - before
    part.note = f"{watcher.summary}; memory +{growth >> 10} MiB"
    if done.returncode == 124 or "Exit status" not in done.stdout:
        part.add(mode, f"slowhttptest did not finish (exit code {done.returncode})")
    if watcher.failures:
        part.add(mode, f"{len(watcher.failures)} requests of the well-behaved client failed: {watcher.failures[0]}")
    if max(watcher.latencies, default=0.0) > SLOW_LATENCY:
        part.add(mode, f"the well-behaved client waited over {SLOW_LATENCY:.0f} s")
    if growth > MEMORY_GROWTH:
        part.add(mode, f"memory grew by {growth >> 10} MiB")
    return part

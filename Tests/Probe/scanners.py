"""TLS scanners: sslyze, testssl.sh and sslscan."""

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from findings import Part
from support.server import Server
from support.wire import ADDRESS, NAME
from target import run

NOT_FINDINGS = ("OK", "INFO", "DEBUG")
VULNERABILITIES = {
    "heartbleed": "is_vulnerable_to_heartbleed",
    "openssl_ccs_injection": "is_vulnerable_to_ccs_injection",
    "session_renegotiation": "is_vulnerable_to_client_renegotiation_dos",
    "tls_compression": "supports_compression",
}


def sslyze(server: Server, folder: Path) -> Part:
    """Runs every scan of sslyze, and compares the results with Mozilla's intermediate configuration."""
    part = Part("sslyze", "all scans, Mozilla intermediate")
    done = run(
        [
            Path(sys.executable).with_name("sslyze"),
            "--mozilla_config=intermediate",
            "--early_data",
            "--json_out=sslyze.json",
        ]
        + [f"--certinfo_ca_file={server.authority}", f"{NAME}:{server.port}{{{ADDRESS}}}"],
        folder,
        "sslyze.txt",
        120,
    )
    scans = json.loads((folder / "sslyze.json").read_text())["server_scan_results"]
    compliant = f"{NAME}:{server.port}: OK - Compliant." in done.stdout
    if not compliant:
        _, _, section = done.stdout.partition("COMPLIANCE AGAINST TLS CONFIGURATION")
        lines = [line.strip() for line in section.splitlines() if line.strip().startswith("*")]
        for line in lines or [f"not compliant (exit code {done.returncode}), see sslyze.txt"]:
            part.add("Mozilla intermediate", line.removeprefix("* "))
    for scan in scans:
        for name, attempt in (scan["scan_result"] or {}).items():
            if attempt["status"] == "NOT_SCHEDULED":
                continue
            if attempt["status"] != "COMPLETED":
                part.add(name, f"the scan did not complete: {attempt['status']} {attempt['error_reason']}")
                continue
            key = VULNERABILITIES.get(name)
            if key and attempt["result"][key]:
                part.add(name, key)
    if not scans:
        part.add("scan", "sslyze could not connect")
    part.note = "compliant" if compliant else "not compliant"
    return part


def testssl(server: Server, folder: Path) -> Part:
    """Reports testssl.sh's warnings, and its findings with severity LOW or higher."""
    part = Part("testssl.sh", "all checks")
    report = folder / "testssl.json"
    done = run(
        ["testssl", "--quiet", "--color", "0", "--warnings", "off", "--nodns", "none", "--ip", ADDRESS]
        + ["--add-ca", server.authority, "--jsonfile", report, f"https://{NAME}:{server.port}"],
        folder,
        "testssl.txt",
        400,
    )
    if done.returncode == 124 or not report.exists():
        part.add("run", f"testssl.sh did not finish (exit code {done.returncode})")
        return part
    checks = json.loads(report.read_text())
    for check in checks:
        if check["severity"] not in NOT_FINDINGS:
            part.add(check["id"], f"{check['severity']} {check['finding']}")
    part.note = f"{len(checks)} results"
    return part


def sslscan(server: Server, folder: Path) -> Part:
    """Reports old protocols, weak ciphers, compression, renegotiation and Heartbleed."""
    part = Part("sslscan", "all checks")
    report = folder / "sslscan.xml"
    run(
        ["sslscan", "--no-color", "--show-certificate", f"--sni-name={NAME}", f"--xml={report}"]
        + [f"{ADDRESS}:{server.port}"],
        folder,
        "sslscan.txt",
        120,
    )
    scan = ElementTree.parse(report).getroot().find("ssltest")
    if scan is None:
        part.add("run", "sslscan could not connect")
        return part
    for protocol in scan.iter("protocol"):
        name = f"{protocol.get('type')} {protocol.get('version')}"
        if (protocol.get("enabled") == "1") != (name in ("tls 1.2", "tls 1.3")):
            part.add("protocol", f"{name} enabled={protocol.get('enabled')}")
    ciphers = list(scan.iter("cipher"))
    for cipher in ciphers:
        if cipher.get("strength") not in ("acceptable", "strong"):
            part.add("cipher", f"{cipher.get('sslversion')} {cipher.get('cipher')} is {cipher.get('strength')}")
    for test, attribute in (("heartbleed", "vulnerable"), ("compression", "supported"), ("renegotiation", "supported")):
        for result in scan.iter(test):
            if result.get(attribute) != "0":
                part.add(test, f"{attribute}={result.get(attribute)} {result.get('sslversion', '')}")
    if scan.findtext("certificates/certificate[@type='short']/expired") != "false":
        part.add("certificate", "expired, or no certificate was reported")
    part.note = f"{len(ciphers)} cipher suites"
    return part

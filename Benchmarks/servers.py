"""The servers to measure: how to start and stop each. All serve the same content with the same certificate."""

import ctypes
import os
import resource
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import machine
from client import HOST, Answer, CannotMeasure, fetch, fetch_when_up

ASSOCIATION = "/.well-known/apple-app-site-association"
PAGE = "/"
ROOT = Path(__file__).resolve().parent.parent
APPS = [
    f"D3KQX62K1A.com.example.{name}App" for name in ("Demo", "DemoAdmin", "Notes", "Mail", "Shop", "Maps", "Photos")
]
LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Workplace:
    """The temporary folder that contains the servers' input."""

    folder: Path
    # Whether motivator and nginx write access logs, as they do by default.
    logs: bool = True

    @property
    def certificate(self) -> Path:
        return self.folder / "certificate.pem"

    @property
    def key(self) -> Path:
        return self.folder / "key.pem"

    @property
    def public(self) -> Path:
        return self.folder / "public"

    @property
    def site(self) -> Path:
        """The content of nginx and Hummingbird. Identical to motivator's content if motivator is measured."""
        return self.folder / "site"


class Server:
    """A server process with a TLS port and a plain port. Subclasses define the command to start it."""

    name = "?"
    schemes: tuple[str, ...] = ("plain", "TLS")

    def __init__(self, place: Workplace, connections: int = 2048) -> None:
        """`connections` is the maximum per process of nginx, which reserves memory for them, h2o and lighttpd."""
        self.place = place
        self.connections = connections
        self.port, self.plain_port = free_ports(2)
        self.process: subprocess.Popen[bytes] | None = None
        self.log = tempfile.TemporaryFile(dir=place.folder)  # noqa: SIM115

    def command(self) -> list[str]:
        raise NotImplementedError

    def version(self) -> str:
        raise NotImplementedError

    def start(self) -> float:
        """Starts the server and returns the seconds until its first response, over TLS if possible."""
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            self.command(),
            cwd=self.place.folder,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            # lighttpd sends the signal that ends it to its process group.
            process_group=0,
            preexec_fn=_prepare_process,  # noqa: PLW1509 - the harness has one thread
        )
        try:
            scheme = self.schemes[-1]
            fetch_when_up(*self.target(scheme), self.must_run, tls=scheme == "TLS")
        except CannotMeasure:
            self.stop()
            raise
        return time.perf_counter() - begin

    def stop(self) -> None:
        if self.process is None:
            return
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            self.process.send_signal(number)
            try:
                self.process.wait(timeout=2)
                break
            except subprocess.TimeoutExpired:
                continue
        self.process = None

    def must_run(self) -> None:
        if self.process is None or self.process.poll() is not None:
            self.log.seek(0)
            said = self.log.read().decode(errors="replace").strip()[-600:]
            raise CannotMeasure(f"{self.name} exited unexpectedly; its output: {said or 'none'}")

    def pids(self) -> list[int]:
        self.must_run()
        return machine.family(self.process.pid) if self.process else []

    def target(self, scheme: str) -> tuple[int, str]:
        """Returns the measured port and path."""
        return self.port if scheme == "TLS" else self.plain_port, path_for(scheme)

    def url(self, scheme: str) -> str:
        port, path = self.target(scheme)
        return f"{'https' if scheme == 'TLS' else 'http'}://{HOST}:{port}{path}"

    def answer(self, scheme: str) -> Answer:
        return fetch(*self.target(scheme), tls=scheme == "TLS")


class Motivator(Server):
    name = "motivator"
    binary = ROOT / ".build/release/motivator"
    admin = "off"
    extra: tuple[str, ...] = ()

    @property
    def database(self) -> Path:
        return self.place.folder / "accounts.sqlite"

    def command(self) -> list[str]:
        place = self.place
        return [
            *(str(self.binary), "serve", "--host", HOST, "--port", str(self.port)),
            *("--plain-port", str(self.plain_port), "--public", str(place.public)),
            *("--certificates", str(place.folder / "certificates")),
            *("--certificate", str(place.certificate), "--key", str(place.key)),
            *("--json", "--admin", self.admin, "--database", str(self.database), *self.extra),
            *(() if place.logs else ("--log-level", "error")),
            *(word for app in APPS for word in ("--app", app)),
        ]

    def version(self) -> str:
        commit = machine.first_line("git", "-C", str(ROOT), "describe", "--always", "--dirty")
        return f"motivator: commit {commit}, release build"


class Nginx(Server):
    name = "nginx"
    tool = "nginx"

    def command(self) -> list[str]:
        configuration = self.place.folder / f"nginx-{self.port}.conf"
        text = (ROOT / "Benchmarks/nginx.conf").read_text()
        for word, value in self.settings().items():
            text = text.replace(f"@{word}@", str(value))
        configuration.write_text(text)
        return ["nginx", "-p", str(self.place.folder), "-c", str(configuration)]

    def settings(self) -> dict[str, object]:
        # If root starts nginx, its workers change to a user that cannot read the temporary folder.
        return {
            "user": "user root;" if os.geteuid() == 0 else "",
            "host": HOST,
            "port": self.port,
            "plain_port": self.plain_port,
            "connections": self.connections,
            "folder": self.place.folder,
            "log": self.place.folder / f"nginx-{self.port}.log" if self.place.logs else "off",
        }

    def version(self) -> str:
        lines = subprocess.run(["nginx", "-V"], capture_output=True, text=True, check=False).stderr.split("\n")
        facts = [line.removeprefix("nginx version: ") for line in lines if "version" in line or "OpenSSL" in line]
        return ", ".join(facts)


class Hummingbird(Server):
    name = "Hummingbird"
    binary = ROOT / "Benchmarks/.build/release/hummingbird-server"

    def command(self) -> list[str]:
        place = self.place
        return [
            *(str(self.binary), "--host", HOST, "--port", str(self.port), "--plain-port", str(self.plain_port)),
            *("--certificate", str(place.certificate), "--key", str(place.key)),
            *("--association", str(place.site / ASSOCIATION[1:]), "--page", str(place.site / "index.html")),
        ]

    def version(self) -> str:
        manifest = ROOT / "Benchmarks/.build/checkouts/hummingbird"
        tag = machine.first_line("git", "-C", str(manifest), "describe", "--tags", "--always")
        return f"Hummingbird: {tag}, release build, TLS by swift-nio-ssl (BoringSSL)"


class FlyingFox(Server):
    name = "FlyingFox"
    schemes = ("plain",)
    binary = ROOT / "Benchmarks/.build/release/flyingfox-server"

    def command(self) -> list[str]:
        return [str(self.binary), HOST, str(self.plain_port), str(self.place.site / "index.html")]

    def version(self) -> str:
        manifest = ROOT / "Benchmarks/.build/checkouts/FlyingFox"
        return f"FlyingFox: {machine.first_line('git', '-C', str(manifest), 'describe', '--tags')}, release build"


class Node(Server):
    name = "Node"
    tool = "node"

    def command(self) -> list[str]:
        place = self.place
        files = place.certificate, place.key, place.site / ASSOCIATION[1:], place.site / "index.html"
        script = ROOT / "Benchmarks/node-server.js"
        return ["node", str(script), HOST, str(self.port), str(self.plain_port), *map(str, files)]

    def version(self) -> str:
        return f"Node: {machine.first_line('node', '--version')}, one process per core"


class H2O(Server):
    name = "h2o"
    tool = "h2o"

    def command(self) -> list[str]:
        place = self.place
        listen = f"host: {HOST}, port"
        secrets = f"certificate-file: {place.certificate}, key-file: {place.key}"
        configuration = place.folder / f"h2o-{self.port}.conf"
        configuration.write_text(
            f"{'user: root' if os.geteuid() == 0 else ''}\n"
            # By default, h2o accepts 1,024 connections, and closes one that sends no request for 10 s. The load opens
            # its last connections later than that.
            f"num-threads: {os.cpu_count()}\nmax-connections: {2 * self.connections}\n"
            "http1-request-timeout: 65\n"
            f"listen: {{{listen}: {self.plain_port}}}\n"
            f"listen: {{{listen}: {self.port}, ssl: {{{secrets}, minimum-version: TLSv1.2}}}}\n"
            f"{f'access-log: {place.folder}/h2o-{self.port}.log' if place.logs else ''}\n"
            f'hosts: {{default: {{paths: {{"/": {{file.dir: {place.site}}}}}}}}}\n'
            "file.mime.settypes: {text/html: [.html], application/json: [.json]}\n"
            "file.mime.setdefaulttype: application/json\n"
        )
        return ["h2o", "-c", str(configuration)]

    def version(self) -> str:
        return machine.first_line("h2o", "--version")


class Lighttpd(Server):
    name = "lighttpd"
    tool = "lighttpd"

    def command(self) -> list[str]:
        place = self.place
        configuration = place.folder / f"lighttpd-{self.port}.conf"
        modules, log = '("mod_openssl")', ""
        if place.logs:
            modules = '("mod_openssl", "mod_accesslog")'
            log = f'accesslog.filename = "{place.folder}/lighttpd-{self.port}.log"\n'
        configuration.write_text(
            f"server.modules = {modules}\n{log}"
            f'server.bind = "{HOST}"\nserver.port = {self.plain_port}\n'
            f'server.document-root = "{place.site}"\nindex-file.names = ("index.html")\n'
            'mimetype.assign = (".html" => "text/html", "" => "application/json")\n'
            f"server.max-worker = {os.cpu_count()}\n"
            f"server.max-fds = {4 * self.connections}\nserver.max-connections = {2 * self.connections}\n"
            "server.max-keep-alive-requests = 10000\nserver.max-keep-alive-idle = 65\n"
            f'$SERVER["socket"] == "{HOST}:{self.port}" {{\n'
            f'ssl.engine = "enable"\nssl.pemfile = "{place.certificate}"\nssl.privkey = "{place.key}"\n}}\n'
        )
        return ["lighttpd", "-D", "-f", str(configuration)]

    def version(self) -> str:
        return machine.first_line("lighttpd", "-v")


class Caddy(Server):
    name = "Caddy"
    tool = "caddy"

    def command(self) -> list[str]:
        place = self.place
        configuration = place.folder / f"Caddyfile-{self.port}"
        log = f"log {{\noutput file {place.folder}/caddy-{self.port}.log\n}}" if place.logs else ""
        files = f"bind {HOST}\nroot * {place.site}\nfile_server\n{log}\n"
        configuration.write_text(
            "{\nadmin off\nauto_https off\n}\n"
            f"http://:{self.plain_port} {{\n{files}}}\n"
            f"https://:{self.port} {{\n{files}tls {place.certificate} {place.key}\n"
            f"header {ASSOCIATION} Content-Type application/json\n}}\n"
        )
        return ["caddy", "run", "--adapter", "caddyfile", "--config", str(configuration)]

    def version(self) -> str:
        return f"Caddy: {machine.first_line('caddy', 'version')}"


# The first five are measured by default.
ALL: list[type[Server]] = [Motivator, Nginx, H2O, Lighttpd, Caddy, Hummingbird, FlyingFox, Node]


def path_for(scheme: str) -> str:
    """Returns the measured path. Plain HTTP serves a page of the same size instead of the association file."""
    return ASSOCIATION if scheme == "TLS" else PAGE


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _prepare_process() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # The server exits when the harness exits for any reason.
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)

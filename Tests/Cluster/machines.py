"""The parts of a cluster: two PostgreSQL servers, nodes, and HAProxy. Each server has its own network namespace."""

import shutil
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from support import waiting
from support.network import Machine, machine
from support.postgresql import BINARY, run
from support.server import ROOT, UNLIMITED, Server
from support.wire import ADDRESS, NAME, Wire

NETWORK = "10.30.0"
BALANCER = f"{NETWORK}.1"
PORT = 8443
ADMIN_PORT = 8081


def wait_until(holds: Callable[[], bool], what: str) -> float:
    """Waits until a condition holds, and returns the elapsed seconds."""
    began = time.monotonic()
    waiting.wait_until(holds, what)
    return time.monotonic() - began


@contextmanager
def network(names: list[str]) -> Iterator[list[Machine]]:
    """Creates machines that are connected to each other and to this process. The process has the address `BALANCER`."""
    for line in ("link set lo up", "link add lan type bridge", f"addr add {BALANCER}/24 dev lan", "link set lan up"):
        run("ip", *line.split())
    with ExitStack() as stack:
        machines = []
        for number, name in enumerate(names):
            one = stack.enter_context(machine(name))
            run("ip", *f"link add name {name} type veth peer name lan netns {one.pid}".split())
            run("ip", *f"link set {name} master lan up".split())
            one.configure(f"addr add {address(number)}/24 dev lan", "link set lan up")
            machines.append(one)
        yield machines


def address(number: int) -> str:
    """Returns the address of a machine."""
    return f"{NETWORK}.{10 + number}"


@dataclass
class DatabaseServer:
    """A PostgreSQL server on its own machine."""

    name: str
    machine: Machine
    address: str
    folder: Path
    settings: tuple[str, ...] = ()
    port: int = 0

    @property
    def url(self) -> str:
        return f"postgres://motivator@{self.address}:{self.port}/postgres?connect_timeout=2"

    def do(self, action: str, *words: str) -> str:
        return run(*self.machine.enter, ROOT / "scripts/postgres", action, self.folder, *words)

    def start(self) -> None:
        self.port = urlsplit(self.do("start", f"listen_addresses={self.address}", *self.settings)).port or 0

    def query(self, sql: str) -> str:
        return run("psql", "--no-psqlrc", "--tuples-only", "--no-align", "--command", sql, self.url)


class Databases:
    """A primary server and its synchronous standby."""

    def __init__(self, one: DatabaseServer, other: DatabaseServer) -> None:
        self.primary, self.standby = one, other
        one.start()
        self.attach_standby()
        hosts = ",".join(f"{server.address}:{server.port}" for server in (one, other))
        # The network is private to this test, so connections need no TLS.
        self.url = f"postgres://motivator@{hosts}/postgres?sslmode=disable"

    def attach_standby(self) -> None:
        """Copies the primary to the standby. The primary then confirms only changes that the standby has, too."""
        shutil.rmtree(self.standby.folder, ignore_errors=True)
        self.standby.do("copy", self.primary.url)
        # After a promotion, there is no standby to wait for.
        with (self.standby.folder / "data/postgresql.auto.conf").open("a") as settings:
            settings.write("synchronous_standby_names = ''\n")
        self.standby.start()
        self.primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.query("SELECT pg_reload_conf()")
        state = "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'"
        wait_until(lambda: self.primary.query(state) == "sync", "the standby follows the primary")

    def cut_off_primary(self) -> None:
        """Disconnects the primary from the network. Its clients get no response."""
        self.primary.machine.configure("link set lan down")

    def kill_primary(self) -> None:
        self.primary.do("kill")
        self.primary.machine.configure("link set lan up")

    def promote_standby(self) -> None:
        assert self.standby.query("SELECT pg_promote()") == "t"
        self.primary, self.standby = self.standby, self.primary


@dataclass(frozen=True)
class Entrance:
    """A port of HAProxy that leads to all nodes or to one node."""

    port: int
    context: ssl.SSLContext

    def connect(
        self, name: str | None = NAME, context: ssl.SSLContext | None = None, source: str | None = None
    ) -> Wire:
        return Wire(self.port, context or self.context, name, source)


@dataclass
class Node:
    """A server on its own machine. A test can kill the server and start it again."""

    name: str
    machine: Machine
    address: str
    home: Path
    options: tuple[str, ...]
    server: Server = field(init=False)

    def start(self) -> None:
        self.server = Server(
            *(self.home, "--host", self.address, "--admin", f"{self.address}:{ADMIN_PORT}", *self.options),
            port=PORT,
            certificates=self.home.parent / "certs",
            wrapper=self.machine.enter,
            binary=BINARY,
        )

    def kill(self) -> None:
        self.server.kill()

    def is_ready(self) -> bool:
        command = ("curl", "--silent", "--output", "/dev/null", "--max-time", "5", "--write-out", "%{http_code}")
        done = self.machine.run(*command, f"http://{self.address}:{ADMIN_PORT}/readyz")
        return done.stdout == b"200"


@contextmanager
def nodes(machines: list[tuple[str, str, Machine]], folder: Path, database: str, *extra: str) -> Iterator[list[Node]]:
    """Starts nodes with these names and addresses. All share the certificates, the ticket secret and the database."""
    secret = folder / "ticket-secret"
    secret.touch(mode=0o600)
    secret.write_text("0123456789abcdef" * 4 + "\n")
    options = ("--database", database, "--ticket-secret", str(secret), "--trusted-proxy", BALANCER)
    options += (*UNLIMITED, *extra)
    with ExitStack() as stack:
        started = []
        for name, host, one in machines:
            (folder / name).mkdir()
            node = Node(name, one, host, folder / name, options)
            node.start()
            stack.callback(lambda node=node: node.server.stop())
            started.append(node)
        yield started


BALANCER_CONFIGURATION = """
defaults
    mode tcp
    retries 3
    option redispatch
    timeout connect 1s
    timeout client 60s
    timeout server 60s
    timeout check 1s
    option httpchk
    http-check send meth GET uri /healthz hdr Host 127.0.0.1
    default-server check port {admin} inter 200ms fall 2 rise 1 send-proxy-v2
"""


@contextmanager
def balancer(nodes: list[Node], folder: Path) -> Iterator[list[Entrance]]:
    """Runs HAProxy. Returns the entrance for all nodes, then an entrance for each node."""
    lines = [BALANCER_CONFIGURATION.format(admin=ADMIN_PORT)]
    for number, group in enumerate([nodes, *([node] for node in nodes)]):
        lines += [f"listen entrance{number}", f"    bind {ADDRESS}:{PORT + number}"]
        lines += [f"    server {node.name} {node.address}:{PORT}" for node in group]
    configuration = folder / "haproxy.cfg"
    configuration.write_text("\n".join([*lines, ""]))
    context = nodes[0].server.context
    with (folder / "haproxy.log").open("w") as log:
        process = subprocess.Popen(["haproxy", "-db", "-f", configuration], stdout=log, stderr=log)
    entrances = [Entrance(PORT + number, context) for number in range(len(nodes) + 1)]
    try:
        for entrance in entrances:
            wait_until(lambda entrance=entrance: serves(entrance), f"port {entrance.port} serves")
        assert process.poll() is None
        yield entrances
    finally:
        process.kill()
        process.wait()


def serves(entrance: Entrance) -> bool:
    """Returns whether a request for the association file succeeds."""
    try:
        with entrance.connect() as wire:
            return wire.ask("/.well-known/apple-app-site-association").status == 200
    except (OSError, AssertionError):
        return False

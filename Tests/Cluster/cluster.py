"""Runs a cluster, and kills its servers and databases. No acknowledged change may be lost. See scripts/cluster."""

import argparse
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from machines import (
    ADMIN_PORT,
    Databases,
    DatabaseServer,
    Entrance,
    Node,
    address,
    balancer,
    network,
    nodes,
    serves,
    wait_until,
)
from support.answers import Answer
from support.people import OTHER, PASSWORD, App, strings
from support.wire import ADDRESS, NAME, request

ASSOCIATION = "/.well-known/apple-app-site-association"
NODES = 3
USERS = 3
# The time limits until a restarted node serves, until accounts work after a promotion, and until every node refuses a
# session that has ended, in seconds.
RESTART, RECOVERY, REFUSAL = 2.0, 5.0, 1.0
CACHED = 'motivator_session_checks_total{source="cache"}'
# The server processes that send notifications to the nodes.
CHANNELS = "FROM pg_stat_activity WHERE query LIKE '%pg_listening_channels%' AND pid <> pg_backend_pid()"


@dataclass
class Record:
    """What the servers acknowledged about an account: its possible passwords, and the token of a valid session."""

    passwords: set[str]
    token: str | None


@dataclass
class Users:
    """Clients that continuously change accounts and fetch the association file."""

    entrance: Entrance
    records: dict[str, Record] = field(default_factory=dict)
    acknowledged: int = 0
    refused: int = 0
    files: int = 0
    interrupted: int = 0
    failures: list[BaseException] = field(default_factory=list)
    _number: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Runs the clients, and raises their first failure at the end."""
        self._stopped.clear()
        work = [self._change_accounts] * USERS + [self._fetch_files]
        threads = [threading.Thread(target=self._run, args=one) for one in enumerate(work)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            for thread in threads:
                thread.join()
        if self.failures:
            raise self.failures[0]

    def wait_for_acknowledgements(self, number: int = 10) -> None:
        wanted = self.acknowledged + number
        wait_until(lambda: bool(self.failures) or self.acknowledged >= wanted, f"{number} more changes")

    def _run(self, number: int, work: Callable[[App], None]) -> None:
        try:
            with App(self.entrance, f"127.0.1.{number + 1}") as app:
                while not self._stopped.wait(0.03):
                    work(app)
        except BaseException as failure:
            self.failures.append(failure)

    def _attempt(self, app: App, call: Callable[[], Answer]) -> Answer | None:
        """Returns the response, or None if the connection ended because its node was killed."""
        try:
            return call()
        except (OSError, AssertionError):
            app.close()
            self.interrupted += 1
            return None

    def _change(self, app: App, call: Callable[[], Answer], success: int) -> Answer | None:
        """Returns the response that acknowledges a change, or None if the outcome of the change is unknown."""
        answer = self._attempt(app, call)
        if answer is not None and answer.status == success:
            self.acknowledged += 1
            return answer
        if answer is not None:
            assert answer.status == 503, (answer.status, answer.text)
            assert int(answer.field("Retry-After")) >= 1
            self.refused += 1
        return None

    def _change_accounts(self, app: App) -> None:
        with self._lock:
            self._number += 1
            name = f"user-{self._number}"
        content = {"username": name, "password": PASSWORD}
        created = self._change(app, lambda: app.call("/api/signup", content), 201)
        if created is None:
            return
        record = self.records[name] = Record({PASSWORD}, strings(created)["token"])
        if random.random() < 0.5:
            record.passwords.add(OTHER)
            record.token = None
            if self._change(app, lambda: app.update(name, PASSWORD, OTHER), 200):
                record.passwords.remove(PASSWORD)

    def _fetch_files(self, app: App) -> None:
        """Fetches the association file on a new connection. If its node is killed, the next connection must work."""
        app.close()
        answer = self._attempt(app, lambda: app.send("GET", ASSOCIATION)) or app.send("GET", ASSOCIATION)
        assert answer.status == 200
        self.files += 1

    def check(self, names: list[str], entrances: list[Entrance]) -> None:
        """Checks that every acknowledged change of these accounts exists."""
        apps = [App(entrance) for entrance in entrances]
        for name in names:
            record, app = self.records[name], random.choice(apps)
            assert record.token is None or app.is_signed_in(record.token), f"the session of {name} is lost"
            statuses = [app.sign_in(name, password).status for password in sorted(record.passwords)]
            assert 200 in statuses, f"{name} is lost: {statuses}"
        for app in apps:
            app.close()


@dataclass
class Cluster:
    """A running cluster."""

    databases: Databases
    nodes: list[Node]
    everyone: Entrance
    entrances: list[Entrance]
    random: random.Random

    def restart_a_node(self, users: Users) -> str:
        number = self.random.randrange(NODES)
        self.nodes[number].kill()
        users.wait_for_acknowledgements()
        began = time.monotonic()
        self.nodes[number].start()
        wait_until(lambda: serves(self.entrances[number]), "the node serves again")
        elapsed = time.monotonic() - began
        assert elapsed <= RESTART, f"the node served after {elapsed:.2f} s"
        return f"{self.nodes[number].name} killed, serves {elapsed:.2f} s after its start"

    def fail_over(self, users: Users, is_cut_off: bool) -> str:
        old = self.databases.primary
        if is_cut_off:
            self.databases.cut_off_primary()
        else:
            self.databases.kill_primary()
        wait_until(lambda: not any(node.is_ready() for node in self.nodes), "no node is ready")
        for entrance in self.entrances:
            assert serves(entrance), "the association file depends on the database"
            with App(entrance) as app:
                answer = app.sign_in("user-1")
                assert answer.status == 503
                assert int(answer.field("Retry-After")) >= 1
        self.databases.promote_standby()
        elapsed = wait_until(lambda: all(node.is_ready() for node in self.nodes), "all nodes are ready")
        assert elapsed <= RECOVERY, f"accounts worked after {elapsed:.2f} s"
        users.wait_for_acknowledgements()
        if is_cut_off:
            self.databases.standby.do("kill")
            self.databases.standby.machine.configure("link set lan up")
        self.databases.attach_standby()
        users.wait_for_acknowledgements()
        way = "cut off" if is_cut_off else "killed"
        return f"{old.name} {way}, accounts work {elapsed:.2f} s after the promotion of the standby"

    def lose_standby(self, users: Users, name: str) -> str:
        """Kills the standby. The cluster must refuse changes, because only the primary would store them."""
        token = App(self.everyone).sign_up(name)
        self.databases.standby.do("kill")
        wait_until(lambda: not any(node.is_ready() for node in self.nodes), "no node is ready")
        refused = users.refused
        wait_until(lambda: bool(users.failures) or users.refused >= refused + 3 * USERS, "changes are refused")
        for entrance in self.entrances:
            with App(entrance) as app:
                assert app.is_signed_in(token), "a session cannot be read without the standby"
        # Refused changes must not occupy connections. Each user and each health check has one change in progress.
        waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        wait_until(lambda: int(self.databases.primary.query(waits)) <= USERS + NODES, "few changes wait")
        self.databases.attach_standby()
        users.wait_for_acknowledgements()
        return f"standby {self.databases.standby.name} killed, sessions valid"

    def round(self, users: Users, number: int) -> None:
        known = set(users.records)
        with users.at_work():
            users.wait_for_acknowledgements()
            events = [
                self.restart_a_node(users),
                self.fail_over(users, is_cut_off=number % 2 == 0),
                self.lose_standby(users, f"reader-{number}"),
            ]
        new = [name for name in users.records if name not in known]
        users.check(new, self.entrances)
        print(f"round {number}: {'; '.join(events)}; {len(new)} new accounts exist", flush=True)

    def check_sessions(self) -> None:
        """Ends sessions that all nodes have in their caches. Each node must refuse them within a second."""
        for way in ("working", "cut", "silent"):
            times = [self.end_session(f"{way}-{number}", way) for number in range(5)]
            assert max(times) <= REFUSAL, f"with a channel that is {way}, a session was valid for {max(times):.3f} s"
            print(f"channel {way}: all nodes refuse an ended session within {max(times):.3f} s", flush=True)

    def end_session(self, name: str, way: str) -> float:
        """Returns the seconds from the confirmation of a sign-out until the last node refused the session."""
        apps = [App(entrance) for entrance in self.entrances]
        token = apps[0].sign_up(name)
        for app, node in zip(apps, self.nodes, strict=True):
            wait_until(lambda app=app, node=node: has_cached(app, token, node), "the node has the session in its cache")
        primary = self.databases.primary
        # The process sends nothing while it is suspended, and its connection stays open.
        suspended = [int(pid) for pid in primary.query(f"SELECT pid {CHANNELS}").split()] if way == "silent" else []
        for pid in suspended:
            os.kill(pid, signal.SIGSTOP)
        try:
            if way == "cut":
                primary.query(f"SELECT pg_terminate_backend(pid) {CHANNELS}")
            assert apps[1].call("/api/signout", token=token).status in (200, 204)
            began = time.monotonic()
            for app in apps:
                while app.is_signed_in(token):
                    assert time.monotonic() < began + 10 * REFUSAL, "a session did not end"
            return time.monotonic() - began
        finally:
            for pid in suspended:
                os.kill(pid, signal.SIGCONT)
            for app in apps:
                app.close()

    def check_tickets(self) -> None:
        session = None
        for entrance in self.entrances:
            with (
                socket.create_connection((ADDRESS, entrance.port)) as plain,
                entrance.context.wrap_socket(plain, server_hostname=NAME, session=session) as secure,
            ):
                assert secure.session_reused == (session is not None), "the node did not accept the ticket"
                # TLS 1.3 sends the ticket after the handshake.
                secure.sendall(request(ASSOCIATION, "Connection: close"))
                while secure.recv(65536):
                    pass
                session = secure.session
        print("all nodes resume a TLS session", flush=True)

    def check_throttle(self) -> None:
        since = [len(node.server.err.lines) for node in self.nodes]
        statuses = []
        with App(self.everyone, "127.0.2.1") as app:
            for number in range(101):
                statuses.append(app.sign_in(f"unknown-{number}").status)
                # The next connection reaches another node.
                app.close()
        assert statuses == [401] * 100 + [429], statuses
        for entrance in self.entrances:
            with App(entrance, "127.0.2.1") as app:
                assert app.sign_in("unknown").status == 429
        wait_until(lambda: all(shares(self.nodes, since)), "each node logs its share of the failures")
        print("the cluster refuses the last of 101 failures at all nodes", flush=True)


def has_cached(app: App, token: str, node: Node) -> bool:
    """Checks a session, and returns whether the node found it in its cache."""

    def hits() -> float:
        url = f"http://{node.address}:{ADMIN_PORT}/metrics"
        lines = node.machine.run("curl", "--silent", url).stdout.decode().splitlines()
        return next(float(line.split()[-1]) for line in lines if line.startswith(CACHED))

    before = hits()
    assert app.is_signed_in(token)
    return hits() > before


def shares(nodes: list[Node], since: list[int]) -> list[bool]:
    """Returns whether each node has logged at least a quarter of 100 failures."""
    logs = [node.server.err.lines[start:] for node, start in zip(nodes, since, strict=True)]
    return [sum("/api/signin" in line and " 401 " in line for line in log) >= 25 for log in logs]


@contextmanager
def cluster(folder: Path, seed: int) -> Iterator[Cluster]:
    names = ["database1", "database2", *(f"node{number + 1}" for number in range(NODES))]
    with network(names) as machines:
        known = [(name, address(number), machines[number]) for number, name in enumerate(names)]
        pair = [DatabaseServer(name, one, host, folder / name) for name, host, one in known[:2]]
        databases = Databases(*pair)
        with nodes(known[2:], folder, databases.url) as started, balancer(started, folder) as entrances:
            wait_until(lambda: all(node.is_ready() for node in started), "all nodes are ready")
            yield Cluster(databases, started, entrances[0], entrances[1:], random.Random(seed))
        for server in pair:
            server.do("stop", "immediate")


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/cluster")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=9112)
    parser.add_argument("--folder", type=Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with cluster(options.folder, options.seed) as running:
        running.check_sessions()
        running.check_tickets()
        running.check_throttle()
        users = Users(running.everyone)
        for number in range(options.rounds):
            running.round(users, number + 1)
        users.check(list(users.records), running.entrances)
    print(
        f"passed: {users.acknowledged} acknowledged changes exist; {users.refused} were refused during outages; "
        f"{users.interrupted} connections ended with their node; {users.files} association files were served"
    )


if __name__ == "__main__":
    main()

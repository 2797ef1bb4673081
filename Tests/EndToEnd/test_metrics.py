"""The metrics and the health endpoints of the admin listener."""

import json
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from support.answers import Answer
from support.disks import fill, memory_disk
from support.fixtures import Start
from support.people import App
from support.server import UNLIMITED, Server
from support.waiting import wait_until
from support.wire import Wire, request

WELL_KNOWN = "/.well-known/apple-app-site-association"


def ask(server: Server, target: str) -> Answer:
    with Wire(server.admin_port) as wire:
        wire.send(request(target, host=server.admin_address))
        return wire.answer()


class Metrics:
    """A server's metrics at one point in time."""

    def __init__(self, server: Server) -> None:
        answer = ask(server, "/metrics")
        assert answer.status == 200
        assert answer.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8"
        self.text = answer.text
        self.families: dict[str, Metric] = {}
        for family in text_string_to_metric_families(answer.text):
            assert family.name not in self.families, f"{family.name} occurs twice"
            self.families[family.name] = family

    def samples(self, name: str) -> Iterable[tuple[dict[str, str], float]]:
        for family in self.families.values():
            for sample in family.samples:
                if sample.name == name:
                    yield sample.labels, sample.value

    def value(self, name: str, **labels: str) -> float:
        found = [value for have, value in self.samples(name) if have == labels]
        assert len(found) <= 1, f"{name} {labels} occurs twice"
        return found[0] if found else 0.0


def test_requests_are_counted_exactly_by_route_and_status(start: Start) -> None:
    server = start("--echo")
    with server.connect() as wire:
        for _ in range(3):
            assert wire.ask(WELL_KNOWN).status == 200
        assert wire.ask("/digits.txt").status == 200
        assert wire.ask("/no-such-page-1").status == 404
        assert wire.ask("/no-such-page-2").status == 404
        assert wire.ask("/echo", method="POST").status == 200
        assert wire.ask("/", host="other.test").status == 421
        wire.send(b"BAD REQUEST\r\n\r\n")
        assert wire.answer().status == 400
    metrics = Metrics(server)

    counted = {
        (labels["route"], labels["status"]): value for labels, value in metrics.samples("motivator_http_requests_total")
    }
    assert counted == {
        (WELL_KNOWN, "2xx"): 3,
        ("files", "2xx"): 1,
        ("files", "4xx"): 2,
        ("/echo", "2xx"): 1,
        ("no site", "4xx"): 1,
        ("rejected", "4xx"): 1,
    }
    name = "motivator_http_request_duration_seconds"
    assert metrics.value(f"{name}_count", route=WELL_KNOWN) == 3
    buckets = [value for labels, value in metrics.samples(f"{name}_bucket") if labels["route"] == WELL_KNOWN]
    assert buckets == sorted(buckets)
    assert metrics.value(f"{name}_bucket", route=WELL_KNOWN, le="+Inf") == 3
    assert "no-such-page" not in metrics.text, "labels must not contain a client's path"


def test_every_metric_follows_the_conventions(start: Start) -> None:
    server = start()
    with server.connect() as wire:
        assert wire.ask("/").status == 200
    metrics = Metrics(server)
    for family in metrics.families.values():
        assert family.name.startswith("motivator_"), family.name
        assert family.documentation.endswith("."), family.name
        assert family.type in {"counter", "gauge", "histogram"}, family.name
        if family.type == "counter":
            assert f"# TYPE {family.name}_total counter" in metrics.text
    ((_, expiry),) = metrics.samples("motivator_certificate_expiry_timestamp_seconds")
    assert expiry > time.time()


def test_operations_on_accounts_are_counted(start: Start) -> None:
    server = start()
    with App(server) as app:
        app.sign_up("antoine")
        assert app.sign_in("antoine", "not the password").status == 401
    metrics = Metrics(server)
    operations = "motivator_account_operations_total"
    assert metrics.value(operations, operation="sign-up", outcome="success") == 1
    assert metrics.value(operations, operation="sign-in", outcome="wrong password") == 1
    assert metrics.value("motivator_store_errors_total") == 0
    assert metrics.value("motivator_hashing_queue_length") == 0
    assert metrics.value("motivator_log_lines_lost_total") == 0


def test_a_full_disk_makes_the_server_not_ready_until_there_is_space(tmp_path: Path) -> None:
    with ExitStack() as stack:
        stack.enter_context(memory_disk(tmp_path / "data"))
        server = Server(tmp_path, *UNLIMITED)
        stack.callback(server.stop)
        assert ask(server, "/readyz").status == 200
        ballast = fill(tmp_path / "data")
        app = stack.enter_context(App(server))
        # The write-ahead log may have space for a few more pages.
        while (answer := ask(server, "/readyz")).status == 200:
            app.call("/api/signup", {"username": f"name-{time.monotonic_ns()}", "password": "four small red foxes"})
        assert answer.status == 503
        document = json.loads(answer.content)
        assert document["status"] == "unavailable"
        assert "full" in document["error"]
        assert ask(server, "/health").status == 503
        assert ask(server, "/healthz").status == 200, "the process must report that it is alive"
        assert app.send("GET", WELL_KNOWN).status == 200
        assert app.sign_in("antoine").status == 503
        assert Metrics(server).value("motivator_store_errors_total") >= 1

        ballast.unlink()
        wait_until(lambda: ask(server, "/readyz").status == 200, "the server is ready again")
        app.sign_up("antoine")

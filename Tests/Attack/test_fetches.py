"""Sites that visitors let the server fetch: addresses inside its network, and content that expands a thousand times."""

import gzip
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from attackers.crowd import sources
from support.authorities import SERVERS, Maker, named
from support.page import Page
from support.people import Visitor
from support.server import Server
from support.sites import Site, always, over_tls, response, tls_context
from support.wire import ADDRESS

# Names and spellings of the addresses of this machine, and addresses that lead to them through a translator.
INSIDE = [
    "localhost",
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "0",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::1]",
]
PRIVATE = ["10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "[fd00::1]", "[fe80::1]"]
# The attacker's own names, as its name server would return them.
NAMES = {"loopback.attacker.test": "127.0.0.1", "mapped.attacker.test": "::ffff:127.0.0.1", "six.attacker.test": "::1"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A public checker, whose name lookups return the attacker's addresses."""
    folder = tmp_path_factory.mktemp("guarded")
    hosts = folder / "hosts"
    lines = [f"{address} {name}" for name, address in NAMES.items()]
    hosts.write_text("\n".join(["127.0.0.1 localhost", *lines, ""]))
    mount = f'mount --bind "{hosts}" /etc/hosts && exec "$0" "$@"'
    try:
        server = Server(folder, "--allow-fetch", "public", wrapper=("unshare", "--mount", "sh", "-c", mount))
    except AssertionError as error:
        if "unshare" in str(error) or "mount" in str(error):
            pytest.skip("this user is not permitted to mount a file in a namespace")
        raise
    yield server
    server.stop()


@pytest.fixture
def traps() -> Iterator[Callable[[], bool]]:
    """Listens on a free port, and on port 443 if permitted. Returns whether something has connected."""
    with ExitStack() as stack:
        listeners = [stack.enter_context(socket.create_server((ADDRESS, 0)))]
        for family, address in ((socket.AF_INET, ADDRESS), (socket.AF_INET6, "::1")):
            try:
                listeners.append(stack.enter_context(socket.create_server((address, 443), family=family)))
            except OSError:
                continue
        for listener in listeners:
            listener.setblocking(False)

        def touched() -> bool:
            for listener in listeners:
                try:
                    listener.accept()[0].close()
                except BlockingIOError:
                    continue
                return True
            return False

        touched.port = listeners[0].getsockname()[1]  # type: ignore[attr-defined]
        yield touched


def check(server: Server, source: str, **fields: str) -> tuple[int, Page]:
    with Visitor(server, source) as visitor:
        answer = visitor.post("/check", fields)
    assert answer.status in (200, 422), (answer.status, answer.text)
    return answer.status, Page.of(answer.content)


@pytest.mark.parametrize("path", ["", "/x"], ids=["the standard paths", "one path"])
def test_no_spelling_of_an_address_leads_into_the_server_s_network(
    guarded: Server, traps: Callable[[], bool], path: str
) -> None:
    port = traps.port  # type: ignore[attr-defined]
    hosts = [*INSIDE, *PRIVATE, *NAMES]
    refused = 0
    addresses = sources(len(hosts), first=20 if path else 60)
    for host, source in zip(hosts, addresses, strict=True):
        for authority in (host, f"{host}:{port}"):
            status, page = check(guarded, source, site=f"{authority}{path}")
            # 422: the text is not the host of a URL.
            assert status == 422 or "does not connect to" in page.text, (authority, page.text)
            refused += status == 200
    assert refused > len(hosts), "most of these hosts are valid"
    assert not traps()


def test_an_entry_with_a_mode_leads_nowhere_else(guarded: Server, traps: Callable[[], bool]) -> None:
    port = traps.port  # type: ignore[attr-defined]
    for name, source in zip(NAMES, sources(len(NAMES), first=100), strict=True):
        entry = f"webcredentials:{name}:{port}?mode=developer"
        status, page = check(guarded, source, site=name, entitlement=entry)
        assert status == 200
        assert "does not connect to" in page.text
    assert not traps()


def test_only_port_443_of_a_public_address_is_permitted(guarded: Server) -> None:
    (source,) = sources(1, first=110)
    status, page = check(guarded, source, site="8.8.8.8:22/x")
    assert status == 200
    assert "does not connect to 8.8.8.8:22" in page.text


def bomb(size: int) -> bytes:
    """Returns gzip content below the limit of a file, which expands to `size` bytes."""
    content = gzip.compress(b" " * size, compresslevel=9)
    assert len(content) < 131_072
    return content


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    maker = Maker(tmp_path_factory.mktemp("site"))
    return tls_context(maker.make("a.test", maker.authority("Test Root"), named("a.test"), SERVERS))


@pytest.mark.parametrize("coding", ["gzip", None], ids=["with Content-Encoding", "as the file itself"])
def test_a_site_s_gzip_bomb_costs_no_memory(
    attack: Callable[..., Any], identity: ssl.SSLContext, tmp_path: Path, coding: str | None
) -> None:
    message = response(bomb(100 << 20), fields=[f"Content-Encoding: {coding}"] if coding else [])
    with attack("--allow-fetch", "any") as under, Site(over_tls(identity, always(message))) as site:
        for source in sources(20):
            status, page = check(under.server, source, site=f"{ADDRESS}:{site.port}/x")
            assert status == 200
            assert page.all("h2")
        assert site.connections == 20
        # Without the limit, one response would expand to 100 MiB.
        under.hold(most=40 << 20)

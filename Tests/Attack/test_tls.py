"""Attacks inside TLS: key updates, renegotiation, and garbage before, during and after the handshake."""

import contextlib
import os
import random
import ssl
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from attackers.crowd import Crowd, sources
from attackers.memory import status_value, wait_until
from attackers.openssl import NOT_REQUESTED, REQUESTED, TLS12, TLSClient
from support.server import Server
from support.wire import NAME, Wire, request

# The maximum number of consecutive records without application data that the server accepts.
MOST_RECORDS = 32
CLOSED_WITHIN = 10.0
GET = request("/digits.txt")
# A record that announces a ClientHello of 131,072 bytes.
ANNOUNCEMENT = bytes.fromhex("16 03 01 00 04 01 02 00 00")
# The memory that the server may keep after an attack, relative to the value before.
MOST_KEPT = 1.3
RETURNED_WITHIN = 10.0


def flood(under: Any, opened: ExitStack, updates: int, kind: int) -> list[bool]:
    """Sends prepared key updates on four connections at the same time. Returns whether each was closed."""
    clients = [opened.enter_context(TLSClient(under.server)) for _ in range(4)]
    blasts = [client.key_updates(updates, kind) for client in clients]
    under.bystander.wait_for_requests(4)
    threads = [
        threading.Thread(target=client.send, args=(blast,), daemon=True)
        for client, blast in zip(clients, blasts, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    under.bystander.wait_for_requests(20)
    print(f"well-behaved client during the flood: {under.bystander.so_far()}")
    return [client.is_closed_within(CLOSED_WITHIN) for client in clients]


@pytest.mark.parametrize("kind", [NOT_REQUESTED, REQUESTED], ids=["updates", "updates that ask for updates"])
def test_connections_that_flood_key_updates_are_closed(
    attack: Callable[..., Any], opened: ExitStack, kind: int
) -> None:
    with attack(interval=0.01) as under:
        closed = flood(under, opened, 20_000, kind)
        assert all(closed), f"{closed.count(False)} of 4 connections are still open"


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", [NOT_REQUESTED, REQUESTED], ids=["updates", "updates that ask for updates"])
def test_key_update_floods_do_not_delay_other_clients(attack: Callable[..., Any], opened: ExitStack, kind: int) -> None:
    with attack(interval=0.01) as under:
        closed = flood(under, opened, 200_000, kind)
        under.hold(latency=100)
        assert all(closed), f"{closed.count(False)} of 4 connections are still open"


@pytest.mark.parametrize("count", [1, MOST_RECORDS // 2])
def test_key_updates_between_requests_are_served(start: Callable[..., Server], opened: ExitStack, count: int) -> None:
    """RFC 8446 4.6.3: a client may update its keys. Application data resets the count."""
    client = opened.enter_context(TLSClient(start()))
    for _ in range(2 * MOST_RECORDS // count):
        client.send(client.key_updates(count) + client.data(GET))
        assert client.read().startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("kind", [NOT_REQUESTED, REQUESTED], ids=["not requested", "requested"])
def test_a_few_more_records_without_data_than_the_limit_close_the_connection(
    start: Callable[..., Server], opened: ExitStack, kind: int
) -> None:
    client = opened.enter_context(TLSClient(start()))
    client.send(client.data(GET))
    assert client.read().startswith(b"HTTP/1.1 200 ")
    client.send(client.key_updates(MOST_RECORDS + 8, kind))
    assert client.is_closed_within(CLOSED_WITHIN)


def test_renegotiation_is_refused(attack: Callable[..., Any], opened: ExitStack) -> None:
    with attack() as under:
        for _ in range(20):
            client = opened.enter_context(TLSClient(under.server, TLS12))
            client.send(client.data(GET))
            assert client.read().startswith(b"HTTP/1.1 200 ")
            assert not client.renegotiate(), "the server performed a TLS 1.2 renegotiation"


def client_hello() -> bytes:
    outgoing = ssl.MemoryBIO()
    context = ssl.create_default_context()
    hello = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=NAME)
    with contextlib.suppress(ssl.SSLWantReadError):
        hello.do_handshake()
    return outgoing.read()


def garbage(dice: random.Random) -> list[bytes]:
    """Returns bytes to send before, instead of and during a handshake."""
    hello = client_hello()
    bent = bytearray(hello)
    bent[dice.randrange(len(bent))] ^= 1 << dice.randrange(8)
    return [
        dice.randbytes(dice.randrange(1, 2_000)),
        b"\x16\x03\x01\xff\xff" + dice.randbytes(500),
        b"\x16\x03\x01\x00\x00" * 200,
        b"\x14\x03\x03\x00\x01\x01" * 200,
        b"\x15\x03\x03\x00\x02\x01\x00" * 200,
        hello[: dice.randrange(1, len(hello))],
        hello[:40] + dice.randbytes(400),
        hello + dice.randbytes(400),
        hello + hello,
        bytes(bent),
    ]


def throw_garbage(attack: Callable[..., Any], recovered: Callable[..., Any], rounds: int) -> None:
    seed = int.from_bytes(os.urandom(4))
    print(f"seed {seed}")
    dice = random.Random(seed)
    with attack("--handshake-timeout", "2") as under, recovered(under.server):
        for _ in range(rounds):
            with Crowd(under.server, sources(3), tls=False) as crowd:
                for message in garbage(dice):
                    crowd.join(10, message)
                assert crowd.drive(lambda: not crowd.open, 15.0), f"{len(crowd.open)} connections are still open"
            with ExitStack() as stack:
                wires = [stack.enter_context(under.server.connect()) for _ in range(10)]
                raw = [stack.enter_context(Wire(under.server.port)) for _ in range(10)]
                for wire in wires:
                    wire.send(GET)
                    assert wire.answer().status == 200
                    # Bytes outside TLS, in the middle of a session.
                    os.write(wire.descriptor, dice.randbytes(dice.randrange(5, 500)))
                for wire in raw:
                    wire.send(client_hello(), dice.randbytes(300))
                    wire.abort()


def test_garbage_around_the_handshake_affects_no_client(
    attack: Callable[..., Any], recovered: Callable[..., Any]
) -> None:
    throw_garbage(attack, recovered, 1)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_much_garbage_around_the_handshake_affects_no_client(
    attack: Callable[..., Any], recovered: Callable[..., Any]
) -> None:
    throw_garbage(attack, recovered, 30)


def returns_memory(under: Any) -> None:
    """Asserts that the server returns the memory of an attack that has ended."""
    most = MOST_KEPT * under.memory.start
    returned = wait_until(lambda: status_value(under.server, "VmRSS") < most, under.server, RETURNED_WITHIN)
    now = status_value(under.server, "VmRSS")
    print(f"memory: {under.memory.start / 1e6:.0f} MB before the attack, {now / 1e6:.0f} MB after it")
    assert returned, f"{now / 1e6:.0f} MB of memory after the attack, more than {most / 1e6:.0f} MB"


def announce(attack: Callable[..., Any], connections: int, most: int) -> None:
    """Sends an announcement of a large ClientHello on each connection."""
    with attack() as under:
        with Crowd(under.server, sources(2), tls=False) as crowd:
            crowd.join(connections, ANNOUNCEMENT)
            assert crowd.drive(lambda: not crowd.open, CLOSED_WITHIN), f"{len(crowd.open)} connections are open"
        under.hold(most=most)
        returns_memory(under)


def test_the_announcement_of_a_large_hello_needs_no_memory(attack: Callable[..., Any]) -> None:
    announce(attack, 600, 30 << 20)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_6000_announcements_of_a_large_hello_need_no_memory(attack: Callable[..., Any]) -> None:
    announce(attack, 6_000, 150 << 20)


def test_a_server_with_little_address_space_survives_4900_announcements(start: Callable[..., Server]) -> None:
    server = start(wrapper=("prlimit", f"--as={1_500_000 << 10}"))
    with Crowd(server, sources(1), tls=False) as crowd:
        crowd.join(4_900, ANNOUNCEMENT)
        with server.connect(source="127.0.0.9") as wire:
            assert wire.ask("/digits.txt").status == 200


def test_handshakes_that_stop_after_the_hello_return_their_memory(attack: Callable[..., Any]) -> None:
    with attack() as under:
        with Crowd(under.server, sources(2), tls=False) as crowd:
            crowd.join(1_000, client_hello())
            assert crowd.drive(lambda: all(one.received for one in crowd.open), CLOSED_WITHIN)
        under.hold()
        returns_memory(under)


def test_handshakes_that_stop_after_the_hello_leave_memory_for_others(attack: Callable[..., Any]) -> None:
    """The connections of the four clients need more memory than the limit.

    Their connections never stop arriving, so the loops compete for the memory that each connection frees.
    """
    with (
        attack("--max-memory", str(2 << 20), interval=0.002) as under,
        Crowd(under.server, sources(4), tls=False) as crowd,
    ):
        while len(under.bystander.so_far().services) < 300:
            crowd.join(300, client_hello())
        under.hold(most=24 << 20)

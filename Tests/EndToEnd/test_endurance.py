"""Many, long-running and rude clients: no request is lost, and no resource is leaked."""

import random
import select
import signal
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from support.fixtures import Start
from support.server import Server
from support.waiting import LIMIT, Patience
from support.wire import ADDRESS, NAME, Ending, Wire, request

IDLE = 1_000
REQUESTS = 10_000
ABORTED = 200
# The maximum memory growth in KiB. Allocators keep some memory, but the server must release every TLS session.
GROWTH = 8 << 10
# The maximum memory per idle connection in KiB. OpenSSL keeps two record buffers of 17 KiB and the session.
MOST_HELD = 100


@pytest.fixture
def enduring(start: Start) -> Iterator[Server]:
    """A server that has served requests. After the test, it must not use more descriptors or memory."""
    server = start()
    for _ in range(20):
        with server.connect() as wire:
            wire.ask("/digits.txt", "Connection: close")
            wire.wait_for_end()
    before, resident = settled(server, server.descriptors), server.resident
    yield server
    if server.process.poll() is None:
        assert settled(server, before) <= before, "descriptors are left open"
        assert server.resident - resident < GROWTH, f"{server.resident - resident} KiB more than before"


def settled(server: Server, wanted: int) -> int:
    """Returns the number of descriptors when it has fallen to `wanted`, or when it no longer falls."""
    patience, most = Patience(), server.descriptors
    while server.descriptors > wanted and patience.left:
        if server.descriptors < most:
            most = server.descriptors
            patience.restart()
        # Each round sends a request, to wait for the server's event loops rather than for the clock.
        with server.connect() as wire:
            wire.ask("/digits.txt", "Connection: close")
            wire.wait_for_end()
    return server.descriptors


def test_a_thousand_idle_connections_are_held_and_served(start: Start, opened: ExitStack) -> None:
    server = start()
    context = server.context
    with server.connect() as wire:
        wire.ask("/digits.txt")
    before, resident = server.descriptors, server.resident
    wires = [opened.enter_context(Wire(server.port, context)) for _ in range(IDLE)]
    assert server.descriptors >= before + IDLE - 1
    for wire in wires:
        assert wire.ask("/digits.txt").status == 200
    held = (server.resident - resident) / IDLE
    assert held < MOST_HELD, f"{held:.0f} KiB for each idle connection"
    opened.close()
    assert settled(server, before) <= before


def test_ten_thousand_requests_on_one_connection_sent_byte_by_byte(enduring: Server) -> None:
    message = request("/digits.txt")
    pieces = [message[at : at + 1] for at in range(len(message))]
    with enduring.connect() as wire:
        asked = answered = 0
        while answered < REQUESTS:
            # Up to sixteen requests are in flight.
            while asked < REQUESTS and asked - answered < 16:
                wire.send(*pieces)
                asked += 1
            answer = wire.answer()
            answered += 1
            assert answer.status == 200
            assert answer.content == b"0123456789" * 10
            assert answer.closes is (answered == REQUESTS), answered
        assert wire.wait_for_end() is Ending.ORDERLY


def test_aborted_handshakes_release_everything(enduring: Server) -> None:
    context = enduring.context
    outgoing = ssl.MemoryBIO()
    hello = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=NAME)
    with pytest.raises(ssl.SSLWantReadError):
        hello.do_handshake()
    client_hello = outgoing.read()
    dice = random.Random(7)
    for number in range(ABORTED):
        with socket.create_connection((ADDRESS, enduring.port), timeout=LIMIT) as plain:
            plain.sendall(client_hello[: dice.randrange(len(client_hello) + 1)])
            if number % 2:
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    for rubbish in (b"\0" * 100, b"\x16\x03\x01\xff\xff" + b"x" * 500, client_hello[:40] + b"\xff" * 400):
        with Wire(enduring.port) as wire:
            wire.send(rubbish)
            wire.finish()
    with enduring.connect() as wire:
        assert wire.ask("/digits.txt").status == 200


def test_aborted_requests_release_everything(enduring: Server) -> None:
    dice = random.Random(7)
    message = request("/long.txt") * 5
    for _ in range(ABORTED):
        wire = enduring.connect()
        wire.send(message[: dice.randrange(1, len(message))])
        wire.abort()
    with enduring.connect() as wire:
        assert wire.ask("/digits.txt").status == 200


def test_a_stop_under_load_cuts_off_no_response(start: Start, opened: ExitStack) -> None:
    server = start()
    context = server.context
    wires = [opened.enter_context(Wire(server.port, context)) for _ in range(64)]
    poll = select.poll()
    by_descriptor = {wire.descriptor: wire for wire in wires}
    answered = dict.fromkeys(by_descriptor, 0)
    message = request("/long.txt")
    for wire in wires:
        wire.send(message)
        poll.register(wire.descriptor, select.POLLIN)
    patience = Patience()
    total = 0
    while by_descriptor:
        assert patience.left, "connections are open, but nothing arrives"
        for descriptor, _ in poll.poll(1000):
            patience.restart()
            wire = by_descriptor[descriptor]
            # Strict parsing: an incomplete response raises an exception.
            answer = wire.take()
            if answer:
                assert answer.status == 200
                answered[descriptor] += 1
                total += 1
                if total == 500:
                    server.signal(signal.SIGTERM)
                if not answer.closes:
                    wire.send(message)
            elif wire.ending is not Ending.OPEN:
                assert wire.ending is Ending.ORDERLY
                poll.unregister(descriptor)
                by_descriptor.pop(descriptor).close()
    assert total >= 500
    assert all(answered.values()), "a request that was sent before the signal got no response"
    assert server.wait() == 0

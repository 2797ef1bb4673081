"""The harness's own client: single requests, the first response after a start, and idle TLS connections."""

import http.client
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass

HOST = "127.0.0.1"
PATIENCE = 15.0


class CannotMeasure(Exception):
    """The reason why a measurement is impossible. The harness exits with this error."""


@dataclass(frozen=True)
class Answer:
    status: int
    content_type: str
    content: bytes
    head_bytes: int
    tls: str

    @property
    def size(self) -> str:
        return f"{self.head_bytes} + {len(self.content)} B"


def trusting_context() -> ssl.SSLContext:
    """Returns a TLS context without verification, because the certificate is created for this run."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def fetch(port: int, path: str, *, tls: bool, context: ssl.SSLContext | None = None) -> Answer:
    """Sends one GET request on a new connection."""
    connection: http.client.HTTPConnection
    if tls:
        connection = http.client.HTTPSConnection(HOST, port, timeout=5, context=context or trusting_context())
    else:
        connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", path)
        agreed = f"{connection.sock.version()} {connection.sock.cipher()[0]}" if tls else ""
        response = connection.getresponse()
        content = response.read()
        head = sum(len(name) + len(value) + 4 for name, value in response.getheaders())
        head += len(f"HTTP/1.1 {response.status} {response.reason}\r\n\r\n")
        return Answer(response.status, response.getheader("Content-Type", ""), content, head, agreed)
    finally:
        connection.close()


def fetch_when_up(port: int, path: str, must_run: Callable[[], None], *, tls: bool) -> Answer:
    """Repeats the request until the server responds."""
    context = trusting_context()
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        must_run()
        try:
            answer = fetch(port, path, tls=tls, context=context)
        except (OSError, http.client.HTTPException):
            time.sleep(0.000_5)
            continue
        if answer.status != 200:
            raise CannotMeasure(f"port {port} returned status {answer.status} for {path} instead of 200")
        return answer
    raise CannotMeasure(f"port {port} did not respond to {path} within {PATIENCE:.0f} s of its start")


class IdleConnections:
    """Open TLS connections without activity."""

    def __init__(self, port: int, count: int) -> None:
        self.context = trusting_context()
        self.connections: list[ssl.SSLSocket] = []
        for _ in range(count):
            raw = socket.create_connection((HOST, port), timeout=5)
            self.connections.append(self.context.wrap_socket(raw))

    def request_once(self, path: str) -> None:
        """Requests the path once on each connection. The connections stay open."""
        for connection in self.connections:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            response = http.client.HTTPResponse(connection, method="GET")
            response.begin()
            response.read()
            if response.status != 200 or response.will_close:
                raise CannotMeasure(f"an idle connection received status {response.status} or was closed")

    def close(self) -> None:
        for connection in self.connections:
            connection.close()

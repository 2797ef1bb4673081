"""A flood: an attacker with pending requests on many connections, at a limited rate."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Self

from attackers.crowd import Crowd, Member
from support.answers import Answer
from support.server import Server
from support.waiting import Patience


class Flood(threading.Thread):
    """Sends `message(number)` on `connections` connections, and repeats this after each response.

    Opens a connection again if the server closes it. Sends at most `rate` messages per second.
    """

    def __init__(
        self,
        server: Server,
        addresses: Sequence[str],
        message: Callable[[int], bytes],
        *,
        connections: int,
        rate: float,
        tls: bool = True,
    ) -> None:
        super().__init__(daemon=True)
        self.statuses: Counter[int] = Counter()
        self.sent = 0
        self._crowd = Crowd(server, addresses, tls=tls)
        self._crowd.on_answer = self._answered
        self._message = message
        self._connections = connections
        self._rate = rate
        self._ended = threading.Event()
        self._changed = threading.Condition()
        self._failure: BaseException | None = None
        self._free: list[Member] = []

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._ended.set()
        self.join()
        self._crowd.close()
        if self._failure:
            raise self._failure

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Waits until a condition on `sent` and `statuses` holds. The limit restarts with each message and response."""
        patience, seen = Patience(), 0
        with self._changed:
            while not (held := condition()) and not self._failure and patience.left:
                self._changed.wait(patience.left)
                if (now := self.sent + self.statuses.total()) != seen:
                    seen = now
                    patience.restart()
        assert held and not self._failure, f"sent {self.sent}, statuses {dict(self.statuses)}: {self._failure}"

    def run(self) -> None:
        try:
            self._run()
        except BaseException as failure:
            self._failure = failure
        with self._changed:
            self._changed.notify_all()

    def _run(self) -> None:
        began = time.monotonic()
        while not self._ended.is_set():
            allowed = int((time.monotonic() - began) * self._rate) + 1 - self.sent
            self._crowd.members = [member for member in self._crowd.members if not member.is_closed]
            self._free = [member for member in self._free if member.is_open]
            for _ in range(max(0, min(allowed, 64))):
                if not self._send_one():
                    break
            self._crowd.turn(time.monotonic() + 0.02)
            with self._changed:
                self._changed.notify_all()

    def _send_one(self) -> bool:
        message = self._message(self.sent)
        if self._free:
            member = self._free.pop()
            member.send(message)
            self._crowd.update(member)
        elif len(self._crowd.members) < self._connections:
            self._crowd.add(message)
        else:
            return False
        self.sent += 1
        return True

    def _answered(self, member: Member, answer: Answer) -> None:
        self.statuses[answer.status] += 1
        if answer.closes:
            member.close()
        else:
            self._free.append(member)

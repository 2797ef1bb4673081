"""The limit of every wait. It restarts with progress, so that a busy machine fails no test."""

import time
from collections.abc import Callable

# The time in seconds without progress after which a wait fails. It only ends a test that would hang.
LIMIT = 60.0
# The pause in seconds between two checks of a state that sends no event.
PAUSE = 0.02


class Patience:
    """The limit of one wait. Call `restart` whenever something arrives."""

    def __init__(self, limit: float = LIMIT) -> None:
        self._limit = limit
        self.restart()

    def restart(self) -> None:
        self._end = time.monotonic() + self._limit

    @property
    def left(self) -> float:
        """The remaining time in seconds; 0 after the limit."""
        return max(0.0, self._end - time.monotonic())


def wait_until(holds: Callable[[], bool], what: str, progress: Callable[[], object] = lambda: None) -> None:
    """Waits for a state that sends no event. The limit restarts whenever the value of `progress` changes."""
    patience, seen = Patience(), progress()
    while not holds():
        if (now := progress()) != seen:
            seen = now
            patience.restart()
        assert patience.left, f"no progress for {LIMIT:.0f} s: {what}"
        time.sleep(PAUSE)

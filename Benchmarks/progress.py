"""Reports progress during a long run."""

import sys
import time


class Progress:
    """Prints one line per step to standard error, with the estimated remaining time."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.done = 0
        self.begin = time.monotonic()

    def step(self, text: str) -> None:
        self.done += 1
        passed = time.monotonic() - self.begin
        left = passed / self.done * (self.steps - self.done)
        print(f"[{self.done}/{self.steps}, about {left:.0f} s left] {text}", file=sys.stderr, flush=True)

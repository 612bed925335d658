"""A thread that calls the system, and of which it is known whether it is at work."""

from __future__ import annotations

import threading
from typing import Callable


class Worker:
    """Tells its end by itself.

    Python's own `Thread.join`, where Ctrl-C interrupts it, takes the thread for ended that it waited
    for (bpo-45274, up to Python 3.12): the call that it had under way was lost.
    """

    def __init__(self, work: Callable[[], None]):
        self._work = work
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def is_at_work(self) -> bool:
        return not self._ended.is_set()

    def wait(self, seconds: float) -> None:
        """Returns when the work has ended, or when the time is over."""
        self._ended.wait(seconds)

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self._ended.set()

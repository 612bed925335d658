"""What Ctrl-C does: the run is paused, and a sentence says how to go on."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from typing import Any, Iterator, Sequence

from ._environment import is_interactive
from ._worker import Worker

EXIT_CODE = 130
#: How long the calls under way are waited for: they are paid for.
LAST_CALLS_S = 10.0


def pause(session: Any, workers: Sequence[Worker] = ()) -> BaseException:
    """Waits for the calls under way, pauses the run, and says how to go on.

    A second Ctrl-C ends at once, and says so, too. Returns what to raise: a script ends, and a
    notebook goes on with its next cell.
    """
    end: BaseException = KeyboardInterrupt() if is_interactive() else SystemExit(EXIT_CODE)
    try:
        with _ending_at_once(session):
            _say(
                f"Pausing the run; calls under way have {LAST_CALLS_S:.0f} seconds to end. "
                "Ctrl-C again ends at once."
            )
            last = time.monotonic() + LAST_CALLS_S
            for worker in workers:
                while worker.is_at_work() and time.monotonic() < last:
                    worker.wait(0.1)
            session.stop_taking()
            session.pause()
    except KeyboardInterrupt:
        pass
    except Exception as error:
        _say(f"The run could not be paused: {error}")
    _say_how(session)
    return end


@contextlib.contextmanager
def _ending_at_once(session: Any) -> Iterator[None]:
    """The handler of a second Ctrl-C; afterwards the one that was there before is back."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: Any) -> None:
        if is_interactive():
            raise KeyboardInterrupt()
        _say_how(session)
        # Threads of calls that hang would keep the process.
        os._exit(EXIT_CODE)

    before = signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _say_how(session: Any) -> None:
    _say(session.how_to_resume() or "Nothing was stored yet.")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)

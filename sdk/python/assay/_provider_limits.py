"""How often a provider may be called: after a refusal the calls are fewer, and made again."""

from __future__ import annotations

import dataclasses
import email.utils
import random
import threading
import time
from typing import Any, Callable, List, Optional

from ._execution import CallResult
from ._notes import Note
from ._system_error import member_of

#: The HTTP statuses by which a provider says that it has had too many requests.
LIMIT_STATUSES = (429, 503, 529)
FIRST_PAUSE_S = 1.0
PAUSE_MAX_S = 60.0
#: A provider that asks for a longer wait than this is waited for so long.
ASKED_PAUSE_MAX_S = 300.0


class Retry(Exception):
    """Raise it in a system where a provider's limit stood in the way: the call is made again.

    `after` is in seconds; without it the pauses grow from one second on.
    """

    #: What the record keeps when no try is left: a provider's limit.
    status = 429

    def __init__(self, message: str = "a provider's limit", after: Optional[float] = None):
        super().__init__(message)
        self.after = after


class ProviderLimits:
    """Lets calls through, `concurrency` at a time and `rate_limit` a minute at most.

    A call that fails by a provider's limit is made again, up to `retries` times. Each time the
    number of calls at once is halved; it grows back by one when as many calls have gone well.
    """

    def __init__(
        self,
        concurrency: int,
        retries: int,
        rate_limit: Optional[float],
        stopping: threading.Event,
    ):
        self._concurrency = concurrency
        self._retries = retries
        self._spacing_s = 60 / rate_limit if rate_limit else 0.0
        self._stopping = stopping
        self._changed = threading.Condition()
        self._allowed = concurrency
        self._under_way = 0
        self._well = 0
        self._halvings = 0
        self._next_start = 0.0
        self._repeated = 0

    def call(self, call: Callable[[], CallResult]) -> Optional[CallResult]:
        """The result of the last try; `attempts` says how many there were.

        None where the calls were stopped before a try that was still to come.
        """
        attempts = 0
        while True:
            attempts += 1
            halvings = self._enter()
            if self._stopping.is_set():
                self._leave()
                return None
            try:
                result = call()
            finally:
                self._leave()
            is_limited = is_provider_limit(result)
            self._adapt(is_limited, halvings)
            if not is_limited or attempts > self._retries:
                return dataclasses.replace(result, attempts=attempts)
            with self._changed:
                self._repeated += 1
            self._stopping.wait(_pause_s(result.exception, attempts))

    def notes(self) -> List[Note]:
        if self._repeated == 0:
            return []
        calls = "call was" if self._repeated == 1 else "calls were"
        return [Note(f"{self._repeated} {calls} made again, since a provider had too many at once.")]

    def _enter(self) -> int:
        """Waits for its turn; the number of halvings that were there when the call began."""
        with self._changed:
            while self._under_way >= self._allowed and not self._stopping.is_set():
                self._changed.wait(0.1)
            self._under_way += 1
            now = time.monotonic()
            start = max(now, self._next_start)
            self._next_start = start + self._spacing_s
            halvings = self._halvings
        self._stopping.wait(start - now)
        return halvings

    def _leave(self) -> None:
        with self._changed:
            self._under_way -= 1
            self._changed.notify_all()

    def _adapt(self, is_limited: bool, halvings: int) -> None:
        with self._changed:
            if not is_limited:
                self._well += 1
                if self._well >= self._allowed:
                    self._well = 0
                    self._allowed = min(self._concurrency, self._allowed + 1)
            elif halvings == self._halvings:  # Those that began before a halving say nothing new.
                self._well = 0
                self._halvings += 1
                self._allowed = max(1, self._allowed // 2)


def is_provider_limit(result: CallResult) -> bool:
    return result.error is not None and result.error.get("status") in LIMIT_STATUSES


def _pause_s(error: Optional[BaseException], attempt: int) -> float:
    asked = error.after if isinstance(error, Retry) else _retry_after_of(error)
    if asked is not None:
        return min(ASKED_PAUSE_MAX_S, max(0.0, asked))
    return min(PAUSE_MAX_S, FIRST_PAUSE_S * 2 ** (attempt - 1)) * random.uniform(0.75, 1.25)


def _retry_after_of(error: Any) -> Optional[float]:
    """The seconds that a provider asks for by `Retry-After`: a number, or a date of HTTP."""
    for holder in (member_of(error, "response"), error):
        headers = member_of(holder, "headers")
        try:
            said = headers.get("retry-after") or headers.get("Retry-After")
        except Exception:  # Whatever it is, it is no headers.
            continue
        if not said:
            continue
        try:
            return float(said)
        except ValueError:
            pass
        try:
            return email.utils.parsedate_to_datetime(said).timestamp() - time.time()
        except (TypeError, ValueError):
            pass
    return None

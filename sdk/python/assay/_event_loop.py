"""The one event loop on which everything asynchronous of this process runs.

Clients of models hold connections that belong to the loop on which they were opened. A loop for
each call would close them under the next call.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from typing import Any, Awaitable, Optional, Tuple

_lock = threading.Lock()
_loop: Optional[asyncio.AbstractEventLoop] = None


def wait_for(awaitable: Awaitable[Any], timeout_s: Optional[float] = None) -> Any:
    """Waits for what an asynchronous function gives; raises what it raises.

    After `timeout_s` seconds it is cancelled, and a `NoAnswer` is raised.
    """
    task = asyncio.run_coroutine_threadsafe(_finished(awaitable), _running_loop())
    done, _ = concurrent.futures.wait([task], timeout_s)
    if not done:
        task.cancel()
        raise NoAnswer()
    answer, error = task.result()
    if error is not None:
        raise error
    return answer


class NoAnswer(Exception):
    """There was no answer within the time."""


async def _finished(awaitable: Awaitable[Any]) -> Tuple[Any, Optional[BaseException]]:
    """The answer or the error: asyncio hands an error on without its place, or ends by it."""
    try:
        return await awaitable, None
    except BaseException as error:
        return None, error


def _running_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="assay", daemon=True).start()
        return _loop

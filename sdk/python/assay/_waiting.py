"""Waits for the scores that the service makes."""

from __future__ import annotations

import threading
import time
import urllib.parse
from typing import Any, Callable, Dict, Optional

from ._client import Client
from ._errors import AssayError

POLL_S = 1.0
#: Events come at each change: without one, the run is read seldom.
QUIET_S = 10.0


def await_scores(
    client: Client, run_id: str, on_progress: Callable[[Dict[str, Any]], None]
) -> Dict[str, Any]:
    """Waits by the run's events, and by polling while there are none.

    Scores of people and of other programs are not waited for.
    """
    events = _Events(client, run_id)
    try:
        while True:
            events.clear()
            run = client.request("GET", f"/runs/{run_id}")
            on_progress(run)
            if _has_its_scores(client, run):
                return run
            if run["isPaused"]:
                raise AssayError(
                    "The run is paused, so its scores do not come: "
                    "resume it in the console, or by this script."
                )
            events.wait(lambda: on_progress(run))
    finally:
        events.stop()


def _has_its_scores(client: Client, run: Dict[str, Any]) -> bool:
    """Whether all is there that the service makes: others may still have to score."""
    if run["scoring"]["pending"] == 0 or run["status"] == "awaiting_human_scoring":
        return True
    # Of a run without some of its records, the status does not tell who has to score.
    if run["status"] != "running_execution":
        return False
    for version_id in run["metricVersionIds"]:
        query = {"metricVersionId": version_id, "outcome": "pending", "limit": "1", "preview": "0"}
        path = f"/runs/{run['id']}/records?{urllib.parse.urlencode(query)}"
        if client.request("GET", path)["data"]:
            return False
    return True


class _Events:
    """Follows the events of a run in a thread of its own."""

    def __init__(self, client: Client, run_id: str):
        self._client = client
        self._path = f"/runs/{run_id}/events"
        self._changed = threading.Event()
        self._is_connected = False
        self._is_stopped = False
        threading.Thread(target=self._follow, daemon=True).start()

    def clear(self) -> None:
        self._changed.clear()

    def wait(self, meanwhile: Callable[[], None]) -> None:
        until = time.monotonic() + (QUIET_S if self._is_connected else POLL_S)
        while not self._changed.wait(0.2) and time.monotonic() < until:
            meanwhile()

    def stop(self) -> None:
        self._is_stopped = True

    def _follow(self) -> None:
        last_event_id: Optional[str] = None
        while not self._is_stopped:
            try:
                for event_id in self._client.events(self._path, last_event_id):
                    last_event_id = event_id or last_event_id
                    self._is_connected = True
                    self._changed.set()
                    if self._is_stopped:
                        return
            except Exception:
                # The run itself is read as long as its events do not come.
                pass
            self._is_connected = False
            time.sleep(POLL_S)

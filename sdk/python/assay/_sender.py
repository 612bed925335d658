"""Stores records by the bulk operation, one request after the other."""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Optional, Tuple

from ._client import Client
from ._exact_numbers import write_json

LINES_MAX = 100
CHARACTERS_MAX = 4_000_000
WAITING_MAX = 200


def client_id_of(testcase_id: str, trial: int) -> str:
    """The name of a record in its run: of the same testcase and trial, the same one."""
    return f"{testcase_id}:{trial}"


class Sender:
    """While a request is under way, the next collects.

    Every line has its `clientId`, so one that is sent again is not stored again.
    """

    def __init__(self, client: Client, run_id: str):
        self._client = client
        self._path = f"/runs/{run_id}/records/bulk"
        self._waiting: List[Tuple[str, int, Dict[str, Any], str, bool]] = []
        self._changed = threading.Condition()
        self._under_way = 0
        self._failure: Optional[BaseException] = None
        self.refused: List[str] = []
        threading.Thread(target=self._pump, daemon=True).start()

    def push(self, testcase_id: str, trial: int, body: Dict[str, Any]) -> None:
        """Waits while there is no room; raises where earlier records could not be stored."""
        with self._changed:
            self._add(testcase_id, trial, body, False)
            while len(self._waiting) >= WAITING_MAX and self._failure is None:
                self._changed.wait(0.5)
            self._raise_failure()

    def flush(self) -> None:
        with self._changed:
            while (self._waiting or self._under_way) and self._failure is None:
                # Not for ever, so that Ctrl-C is heard.
                self._changed.wait(0.5)
            self._raise_failure()

    def failure(self) -> Optional[BaseException]:
        return self._failure

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _add(self, testcase_id: str, trial: int, body: Dict[str, Any], is_replacement: bool) -> None:
        client_id = client_id_of(testcase_id, trial)
        named = {"clientId": client_id, "testcaseId": testcase_id, **body}
        text = write_json(named)
        self._waiting.append((testcase_id, trial, body, text, is_replacement))
        self._changed.notify_all()

    def _pump(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                batch = self._take_batch()
                self._under_way = len(batch)
            try:
                replies = self._client.send_lines(self._path, [each[3] for each in batch])
            except BaseException as error:
                with self._changed:
                    self._failure = error
                    self._changed.notify_all()
                return
            with self._changed:
                for line, reply in zip(batch, replies):
                    self._settle(line, reply)
                self._under_way = 0
                self._changed.notify_all()

    def _take_batch(self):
        characters = 0
        count = 0
        for *_, text, _is_replacement in self._waiting[:LINES_MAX]:
            characters += len(text)
            if count > 0 and characters > CHARACTERS_MAX:
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    def _settle(self, line, reply: Dict[str, Any]) -> None:
        testcase_id, trial, body, _, is_replacement = line
        status = reply["status"]
        if status >= 400 and is_replacement:
            self.refused.append(reply.get("message", ""))
        elif status >= 400:
            # The record of an answer that cannot be stored, since it is too large, for example.
            error = {"name": "RecordRefused", "message": reply.get("message", "")}
            kept = {"inputs": body["inputs"], "expected": body["expected"]}
            without = {**kept, "error": error}
            self._add(testcase_id, trial, without, True)

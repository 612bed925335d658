"""The records that a run to resume has already."""

from __future__ import annotations

import urllib.parse
from typing import Any, Dict, Optional, Set

from ._client import Client
from ._errors import RequestFailure


class StoredRecords:
    """By their names in the run; with `retry_errors`, those with an error are made again."""

    def __init__(self, client: Client, run: Optional[Dict[str, Any]], retry_errors: bool):
        self._client = client
        self._done: Set[str] = set()
        self._failed: Dict[str, str] = {}
        if run is None:
            return
        for record in client.list(f"/runs/{run['id']}/records", preview="0"):
            name = record.get("clientId")
            if not name:
                continue
            if retry_errors and record.get("error"):
                self._failed[name] = record["id"]
            else:
                self._done.add(name)

    def is_done(self, client_id: str) -> bool:
        """Whether the call of this name need not be made."""
        return client_id in self._done

    def make_room(self, client_id: str) -> bool:
        """Removes the failed record that a new one replaces. True where there was one."""
        record_id = self._failed.pop(client_id, None)
        if record_id is None:
            return False
        try:
            self._client.request("DELETE", f"/records/{urllib.parse.quote(record_id, safe='')}")
        except RequestFailure as error:
            # Somebody else may have deleted it.
            if error.code != "NOT_FOUND":
                raise
        return True

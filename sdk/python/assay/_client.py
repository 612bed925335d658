"""The HTTP client: tries again where that may help, and says why where it does not."""

from __future__ import annotations

import hashlib
import json
import random
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ._errors import RequestFailure
from ._exact_numbers import read_json, write_json

FIRST_PAUSE_S = 0.1
PAUSE_MAX_S = 2.0
ATTEMPT_TIMEOUT_S = 30.0
#: How often, and after how long, something is looked for that another one is making.
LOOKS = 10
LOOK_EVERY_S = 0.1


class Client:
    """Requests with a key, for as long as `patience_s`."""

    def __init__(
        self, url: str, key: str, patience_s: float, on_wait: Callable[[str], None] = lambda _: None
    ):
        self.url = url
        self.key = key
        self.patience_s = patience_s
        self.on_wait = on_wait
        self.opener = _opener(url)

    def request(
        self, method: str, path: str, body: Any = None, idempotency_key: Optional[str] = None
    ) -> Any:
        """The reply's body. A POST has an Idempotency-Key, so that a repeat does nothing twice."""
        headers = {}
        content = None
        if body is not None:
            headers["content-type"] = "application/json"
            content = write_json(body).encode()
        if method == "POST":
            headers["idempotency-key"] = idempotency_key or str(uuid.uuid4())
        return self._send(method, path, headers, content, read_json)

    def create_once(self, path: str, body: Dict[str, Any]) -> Dict[str, Any]:
        """Creates something whose name nothing has, once for all who do so at the same moment.

        Names are not unique, so their requests share an Idempotency-Key, which the server
        remembers for a day, and which the TypeScript package makes alike. What was deleted or
        renamed since is created anew. Where another one makes it with other contents, that one is
        returned.
        """
        meant = hashlib.sha256(f"{path}\n{body['name']}".encode()).hexdigest()
        try:
            made = self.request("POST", path, body, f"once-{meant}")
        except RequestFailure as error:
            if error.code != "CONFLICT":
                raise
            return self._find_made(path, body["name"]) or self.request("POST", path, body)
        try:
            present = self.request("GET", f"/{path.rsplit('/', 1)[-1]}/{made['id']}")
        except RequestFailure as error:
            if error.code != "NOT_FOUND":
                raise
            present = {}
        return made if present.get("name") == made["name"] else self.request("POST", path, body)

    def _find_made(self, path: str, name: str) -> Optional[Dict[str, Any]]:
        """Something of this name, which another one is making."""
        for looked in range(LOOKS):
            if looked > 0:
                time.sleep(LOOK_EVERY_S)
            for item in self.list(path):
                if item.get("name") == name:
                    return item
        return None

    def send_lines(self, path: str, lines: List[str]) -> List[Dict[str, Any]]:
        """Sends JSON texts as lines, each with a name of its own, and returns their replies."""
        content = "".join(f"{line}\n" for line in lines).encode()

        def read(text: str) -> List[Dict[str, Any]]:
            replies = text.split("\n")
            if len(replies) <= len(lines):
                raise _LostReplies()
            return [json.loads(reply) for reply in replies[: len(lines)]]

        return self._send("POST", path, {"content-type": "application/x-ndjson"}, content, read)

    def import_lines(
        self, path: str, lines: List[str]
    ) -> Tuple[List[Dict[str, Any]], Optional[Dict[str, Any]]]:
        """Sends JSON texts as lines of an import: their replies, and the summary at its end.

        All of them are sent again where the reply is lost, so each has a key. None for a summary
        where the service ended the import early.
        """
        content = "".join(f"{line}\n" for line in lines).encode()

        def read(text: str):
            replies = [json.loads(line) for line in text.split("\n") if line]
            summary = replies.pop()["summary"] if replies and "summary" in replies[-1] else None
            if summary is None and len(replies) < len(lines):
                raise _LostReplies()
            return replies, summary

        return self._send("POST", path, {"content-type": "application/x-ndjson"}, content, read)

    def list(self, path: str, **query: Any) -> Iterator[Dict[str, Any]]:
        """All items of a list, page by page. A value that is a list is sent once for each item."""
        cursor = None
        while True:
            own = {**query, "limit": "100", **({} if cursor is None else {"cursor": cursor})}
            page = self.request("GET", f"{path}?{urllib.parse.urlencode(own, doseq=True)}")
            yield from page["data"]
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def events(self, path: str, last_event_id: Optional[str]) -> Iterator[Optional[str]]:
        """The ids of the server-sent events of one connection."""
        headers = {"authorization": f"Bearer {self.key}", "accept": "text/event-stream"}
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        request = urllib.request.Request(self.url + path, headers=headers)
        with self.opener.open(request, timeout=60) as response:
            found: Dict[str, str] = {}
            for raw in response:
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                name, _, value = line.partition(":")
                if line == "" and "data" in found:
                    yield found.get("id")
                if line == "":
                    found = {}
                elif name:
                    found[name] = value[1:] if value.startswith(" ") else value

    def _send(self, method, path, headers, content, read) -> Any:
        all_headers = {"authorization": f"Bearer {self.key}", **headers}
        deadline = time.monotonic() + self.patience_s
        attempt = 0
        while True:
            attempt += 1
            request = urllib.request.Request(
                self.url + path, data=content, headers=all_headers, method=method
            )
            failure, wait_s, may_pass = None, 0.0, True
            try:
                with self.opener.open(request, timeout=ATTEMPT_TIMEOUT_S) as response:
                    text = response.read().decode("utf-8", "replace")
                    return _read_reply(f"{method} {path}", response.status, text, read)
            except RequestFailure:
                raise
            except urllib.error.HTTPError as error:
                failure, wait_s, may_pass = _refusal(f"{method} {path}", error)
            except _LostReplies:
                failure = _no_answer(method, path, "the reply ended too early")
            except urllib.error.URLError as error:
                failure = _no_answer(method, path, str(error.reason))
            except (OSError, socket.timeout, ValueError, EOFError) as error:
                failure = _no_answer(method, path, str(error) or type(error).__name__)
            except Exception as error:  # http.client raises its own: a broken reply passes.
                failure = _no_answer(method, path, type(error).__name__)
            if not may_pass:
                raise failure
            pause = min(PAUSE_MAX_S, FIRST_PAUSE_S * 2 ** (attempt - 1)) * random.uniform(0.75, 1.25)
            pause = max(pause, wait_s)
            if time.monotonic() + pause > deadline:
                raise failure
            self.on_wait(failure.reason)
            time.sleep(pause)


class _LostReplies(Exception):
    """A stream of replies that ended before all had come."""


def _no_answer(method: str, path: str, why: str) -> RequestFailure:
    return RequestFailure(f"{method} {path}", f"no answer ({why})", None, None)


def _read_reply(request: str, status: int, text: str, read) -> Any:
    try:
        return read(text)
    except _LostReplies:
        raise
    except ValueError:
        raise RequestFailure(request, f"{status} {text[:200]}", status, None) from None


def _refusal(request: str, error: urllib.error.HTTPError):
    """What a refusal says, how long to wait, and whether it may pass at all."""
    text = error.read().decode("utf-8", "replace")
    retry_after = error.headers.get("retry-after")
    code = None
    message = text[:200]
    try:
        body = json.loads(text)
        code, message = body["code"], f"{body['code']}: {body['message']}"
        issues = (body.get("details") or {}).get("issues") or []
        if issues:
            message += f" ({issues[0]['path']}: {issues[0]['message']})"
    except (ValueError, KeyError, TypeError):
        pass
    failure = RequestFailure(request, f"{error.code} {message}", error.code, code)
    may_pass = error.code in (429, 502, 503, 504) or (error.code == 409 and retry_after is not None)
    try:
        wait_s = float(retry_after or 0)
    except ValueError:
        wait_s = 0.0
    return failure, wait_s, may_pass


def _opener(url: str) -> urllib.request.OpenerDirector:
    """Redirects are not followed: they would carry the key elsewhere. Loopback has no proxy."""
    host = urllib.parse.urlsplit(url).hostname or ""
    is_local = host in ("localhost", "::1") or host.startswith("127.")
    handlers: List[Any] = [_NoRedirects()]
    if is_local:
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args, **_kwargs):
        return None


class Waiting:
    """Why requests wait, for as long as that is news."""

    def __init__(self):
        self._lock = threading.Lock()
        self._reason = ""
        self._at = float("-inf")

    def note(self, reason: str) -> None:
        with self._lock:
            self._reason, self._at = reason, time.monotonic()

    def reason(self) -> Optional[str]:
        with self._lock:
            return self._reason if time.monotonic() - self._at < 3 else None

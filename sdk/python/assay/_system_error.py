"""Why the system gave no answer, as a record keeps it, and what to say of all of them."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any, Dict, List, Optional, Set

from ._errors import well_formed
from ._notes import Note

NAME_CHARACTERS_MAX = 256
MESSAGE_BYTES_MAX = 16 * 1024
STACK_BYTES_MAX = 64 * 1024
OWN_FOLDER = os.path.dirname(__file__) + os.sep
NAMES_SHOWN_MAX = 5
CHARACTERS_IN_SENTENCE_MAX = 120


def system_error_of(error: BaseException) -> Dict[str, Any]:
    """Reads what the system raised. Texts that are too long are cut, and end in `…`."""
    said: Dict[str, Any] = {
        "name": _cut_name(well_formed(type(error).__name__)),
        "message": _cut(_text_of(error), MESSAGE_BYTES_MAX),
    }
    stack = stack_of(error)
    if stack is not None:
        said["stack"] = stack
    status = _status_of(error)
    if status is not None:
        said["status"] = status
    return said


def stack_of(error: BaseException) -> Optional[str]:
    """The traceback from the first frame of the user's code on; None where it was not raised."""
    frames = error.__traceback__
    if frames is None:
        return None
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(OWN_FOLDER):
        frames = frames.tb_next
    stack = "".join(traceback.format_exception(type(error), error, frames))
    return _cut(stack, STACK_BYTES_MAX)


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # An exception of the system may be unable to say what it is.
        return ""


def _cut_name(name: str) -> str:
    return name if len(name) <= NAME_CHARACTERS_MAX else f"{name[: NAME_CHARACTERS_MAX - 1]}…"


def _cut(text: str, bytes_max: int) -> str:
    """A text of at most so many bytes of UTF-8."""
    whole = well_formed(text)
    encoded = whole.encode("utf-8")
    if len(encoded) <= bytes_max:
        return whole
    mark = "…"
    return encoded[: bytes_max - len(mark.encode("utf-8"))].decode("utf-8", "ignore") + mark


def member_of(holder: Any, name: str) -> Any:
    """None where there is no such member, and where its property raises: it is the system's code."""
    try:
        return getattr(holder, name, None)
    except Exception:
        return None


def _status_of(error: BaseException) -> Optional[int]:
    """The status by the names under which clients of providers have it."""
    response = member_of(error, "response")
    for found in (
        member_of(error, "status"),
        member_of(error, "status_code"),
        member_of(response, "status_code"),
        member_of(response, "status"),
    ):
        if isinstance(found, int) and not isinstance(found, bool) and 100 <= found <= 599:
            return int(found)
    return None


def print_stacks(*failed: Any) -> None:
    """Prints where the system and a scorer failed first."""
    for each in failed:
        if each.first_stack:
            print(each.first_stack, file=sys.stderr)


class ErrorLog:
    """What the calls of an evaluation failed with."""

    def __init__(self) -> None:
        self.count = 0
        self.first_stack: Optional[str] = None
        self._counts: Dict[str, int] = {}
        self._messages: Dict[str, Set[str]] = {}

    def add(self, error: Dict[str, Any]) -> None:
        name = error["name"]
        self.count += 1
        self.first_stack = self.first_stack or error.get("stack")
        self._counts[name] = self._counts.get(name, 0) + 1
        messages = self._messages.setdefault(name, set())
        if len(messages) < 2:  # Two are enough to know that they differ.
            messages.add(error["message"])

    def sentence(self) -> Optional[str]:
        """"The system failed on 12 records: ConnectionError: model down (9), TimeoutError (3)." """
        if self.count == 0:
            return None
        names = sorted(self._counts, key=lambda name: -self._counts[name])
        kinds: List[str] = [self._shown(name) for name in names[:NAMES_SHOWN_MAX]]
        if len(names) > NAMES_SHOWN_MAX:
            kinds.append(f"{len(names) - NAMES_SHOWN_MAX} more kinds")
        records = "record" if self.count == 1 else "records"
        return f"The system failed on {self.count} {records}: {', '.join(kinds)}."

    def notes(self) -> List[Note]:
        sentence = self.sentence()
        return [] if sentence is None else [Note(sentence, is_failure=True)]

    def _shown(self, name: str) -> str:
        messages = self._messages[name]
        message = _in_sentence(next(iter(messages)))
        said = f": {message}" if len(messages) == 1 and message else ""
        return f"{_in_sentence(name)}{said} ({self._counts[name]})"


def _in_sentence(text: str) -> str:
    """A name or message as a part of a sentence: one line, cut where it is long."""
    line = " ".join(text.split())
    is_long = len(line) > CHARACTERS_IN_SENTENCE_MAX
    return f"{line[:CHARACTERS_IN_SENTENCE_MAX]}…" if is_long else line

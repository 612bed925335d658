"""JSON that keeps the digits of its numbers: one that Python would round is an `ExactNumber`."""

from __future__ import annotations

import decimal
import json
import math
import uuid
from typing import Any, Callable, Dict, Iterator, List, Tuple

#: Texts of so many characters without an exponent are read by a float to their last digit.
SHORT_MAX = 16
#: Python reads no longer whole numbers unless it is told to.
INTEGER_CHARACTERS_MAX = 4_200
DIGITS_SHOWN_MAX = 100
NOTES_MAX = 20


class ExactNumber:
    """A number of JSON as it was sent. Users' code never sees one."""

    __slots__ = ("text",)

    def __init__(self, text: str):
        self.text = text

    def __float__(self) -> float:
        return float(self.text)


def read_json(text: str) -> Any:
    """As `json.loads`, with an ExactNumber for each number that Python cannot hold."""
    return json.loads(text, parse_float=_fraction, parse_int=_integer)


def _fraction(text: str) -> Any:
    value = float(text)
    is_short = len(text) <= SHORT_MAX and "e" not in text and "E" not in text
    if is_short or repr(value) == text:
        return value
    try:
        is_same = math.isfinite(value) and decimal.Decimal(text) == decimal.Decimal(repr(value))
    except decimal.InvalidOperation:  # An exponent that is longer than Decimal takes.
        is_same = False
    return value if is_same else ExactNumber(text)


def _integer(text: str) -> Any:
    return int(text) if len(text) <= INTEGER_CHARACTERS_MAX else ExactNumber(text)


def write_json(value: Any, **form: Any) -> str:
    """As `json.dumps`, with the digits of each ExactNumber. Raises ValueError for what is no JSON."""
    mark = uuid.uuid4().hex
    digits: List[str] = []

    def stand_in(part: Any) -> str:
        if not isinstance(part, ExactNumber):
            raise TypeError(f"{type(part).__name__} is no JSON")
        digits.append(part.text)
        return mark

    text = json.dumps(value, allow_nan=False, default=stand_in, **form)
    if not digits:
        return text
    pieces = text.split(f'"{mark}"')
    return pieces[0] + "".join(f"{number}{piece}" for number, piece in zip(digits, pieces[1:]))


def for_users_code(
    value: Any, told: Callable[[Tuple[str, ...], ExactNumber], None] = lambda *_: None
) -> Any:
    """The value with the nearest float of each ExactNumber; `told` hears of each, with its place."""
    if not _holds_exact_numbers(value):
        return value
    for path, number in _exact_numbers_in(value):
        told(path, number)
    # By JSON, which goes as deep as a record may; a function that calls itself does not.
    return json.loads(write_json(value), parse_int=_nearest)


def _holds_exact_numbers(value: Any) -> bool:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ExactNumber):
            return True
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return False


def _nearest(text: str) -> Any:
    return int(text) if len(text) <= INTEGER_CHARACTERS_MAX else float(text)


def _exact_numbers_in(value: Any) -> Iterator[Tuple[Tuple[str, ...], ExactNumber]]:
    """Each of them with its place, in their order."""
    waiting: List[Tuple[Tuple[str, ...], Any]] = [((), value)]
    while waiting:
        path, part = waiting.pop()
        if isinstance(part, ExactNumber):
            yield path, part
        members = part.items() if isinstance(part, dict) else ()
        if isinstance(part, list):
            members = enumerate(part)
        inner = [((*path, str(name)), member) for name, member in members]
        waiting.extend(reversed(inner))


def seen_by_system(testcase: Dict[str, Any]) -> Tuple[Dict[str, Any], List[Dict[str, str]]]:
    """A testcase as the system sees it, and a note for each number that this rounds."""
    notes: List[Dict[str, str]] = []

    def told(path: Tuple[str, ...], number: ExactNumber) -> None:
        if len(notes) == NOTES_MAX:
            return
        text = number.text
        sent = text if len(text) <= DIGITS_SHOWN_MAX else f"{text[:DIGITS_SHOWN_MAX]}…"
        message = f"No float holds {sent}: the system was given {float(number)}."
        notes.append({"code": "holds_doubles", "path": pointer_to(path), "message": message})

    parts = {"inputs": testcase["inputs"], "expected": testcase["expected"]}
    metadata = for_users_code(testcase["metadata"])
    return {**testcase, **for_users_code(parts, told), "metadata": metadata}, notes


def pointer_to(path: Tuple[str, ...]) -> str:
    """A place in a record as its notes name it."""
    names = (name.replace("~", "~0").replace("/", "~1") for name in path)
    return "".join(f"/{name}" for name in names)[:1000]

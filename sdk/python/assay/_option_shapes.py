"""What the value of each option must be."""

from __future__ import annotations

import math
import sys
from typing import Any, Callable, Dict, NamedTuple, Optional

from ._errors import AssayError


class Shape(NamedTuple):
    has: Callable[[Any], bool]
    what: str


def is_number(value: Any, low: float, high: float) -> bool:
    is_one = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_one and low <= value <= high


def _whole(low: int, high: Optional[int]) -> Shape:
    bounds = f"of at least {low}" if high is None else f"from {low} to {high}"
    end = math.inf if high is None else high
    return Shape(
        lambda value: isinstance(value, int) and is_number(value, low, end),
        f"a whole number {bounds}",
    )


def are_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)


def _is_where(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(str(each)[:1] == "/" for each in value)


def _is_dict_of(value: Any, kind: type = object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(name, str) and isinstance(each, kind) for name, each in value.items()
    )


_TEXT = Shape(lambda value: isinstance(value, str), "a text")
_FLAG = Shape(lambda value: isinstance(value, bool), "True or False")

_SHAPES: Dict[str, Shape] = {
    "scores": Shape(_is_dict_of, "a dict of scorers by the names of their metrics"),
    "trials": _whole(1, 100),
    "limit": _whole(1, None),
    "sample": _whole(1, 1_000_000),
    "seed": _whole(0, None),
    "concurrency": _whole(1, 1000),
    "timeout_ms": _whole(1, None),
    "retries": _whole(0, 100),
    "rate_limit": _whole(1, 1_000_000),
    "patience_ms": _whole(0, None),
    "quiet": _FLAG,
    "local": _FLAG,
    "config": Shape(_is_dict_of, 'a dict, such as {"model": "small-1"}'),
    "system_name": _TEXT,
    "version_name": _TEXT,
    "name": _TEXT,
    "labels": Shape(
        lambda value: _is_dict_of(value, str), 'a dict of texts, such as {"branch": "main"}'
    ),
    "budget_usd": Shape(
        lambda value: is_number(value, 0, sys.float_info.max), "a number of US dollars"
    ),
    "set_baseline": _FLAG,
    "promote": _FLAG,
    "resume": _TEXT,
    "retry_errors": _FLAG,
    "where": Shape(_is_where, 'a dict of JSON Pointers with values, such as {"/lang": "de"}'),
    "keys": Shape(
        lambda value: are_texts(value) and len(value) > 0, "a list of keys of testcases"
    ),
    "key": Shape(
        lambda value: isinstance(value, str) and value != "",
        "the name of the column with the keys of `testcases`",
    ),
    "sync": _FLAG,
    "create_project": _FLAG,
    "url": _TEXT,
    "api_key": _TEXT,
}


def check_shapes(options: Dict[str, Any], defaults: Dict[str, Any]) -> None:
    """Raises an AssayError where a value is not of the kind of its option."""
    for name, shape in _SHAPES.items():
        value = options[name]
        is_left_out = value is None and defaults[name] is None
        if not is_left_out and not shape.has(value):
            raise AssayError(f"`{name}` must be {shape.what}.")

"""Finds what people call by its name."""

from __future__ import annotations

import difflib
from typing import Any, Dict, Iterable, List

from ._errors import AssayError, quoted

NAMES_SHOWN = 5


def choose(items: Iterable[Dict[str, Any]], kind: str, wanted: str) -> Dict[str, Any]:
    """The item of this id or name; an AssayError where there is none, or several."""
    items = list(items)
    for item in items:
        if item["id"] == wanted:
            return item
    found = [item for item in items if item["name"] == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        ids = " or ".join(item["id"] for item in found)
        raise AssayError(f"{len(found)} {kind}s are called {quoted(wanted)}: give an id, {ids}.")
    names = [item["name"] for item in items]
    raise AssayError(f"There is no {kind} {quoted(wanted)}{near_names(wanted, names)}.")


def near_names(wanted: str, names: List[str]) -> str:
    names = list(dict.fromkeys(names))
    if not names:
        return "; there is none yet"
    if len(names) <= NAMES_SHOWN:
        return f"; there is {', '.join(map(quoted, names))}"
    near = difflib.get_close_matches(wanted, names, n=NAMES_SHOWN, cutoff=0)
    return f"; of {len(names)}, the nearest are {', '.join(map(quoted, near))}"

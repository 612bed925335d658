"""Finds what people call by its name."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Set

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
    raise AssayError(f"There is no {kind} {quoted(wanted)}. {_advice(kind, wanted, names)}")


def _advice(kind: str, wanted: str, names: List[str]) -> str:
    near = near_names(wanted, names)
    if near:
        return did_you_mean(near)
    names = list(dict.fromkeys(names))
    if not names:
        return f"There is no {kind} yet: check the name, and the organization of the key."
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    verb = "is" if len(names) == 1 else "are"
    shown = ", ".join(map(quoted, names[:NAMES_SHOWN]))
    return f"There {verb} {shown}{more}: give one of them."


def did_you_mean(near: List[str]) -> str:
    return f"Did you mean {' or '.join(map(quoted, near))}?"


#: From this share of equal pairs of letters on, a name is like another.
LIKENESS_MIN = 0.35


def near_names(wanted: str, names: Iterable[str]) -> List[str]:
    """Names that are like the wanted one, the most alike first, as the command line finds them."""
    likeness = {name: _likeness(name.lower(), wanted.lower()) for name in dict.fromkeys(names)}
    near = sorted(likeness, key=lambda name: -likeness[name])
    return [name for name in near if likeness[name] >= LIKENESS_MIN][:NAMES_SHOWN]


def _likeness(one: str, other: str) -> float:
    """Dice's coefficient of the pairs of letters."""
    pairs, others = _pairs_of(one), _pairs_of(other)
    return 2 * len(pairs & others) / (len(pairs) + len(others))


def _pairs_of(text: str) -> Set[str]:
    padded = f" {text} "
    return {padded[index : index + 2] for index in range(len(padded) - 1)}

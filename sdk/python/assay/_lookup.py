"""Finds what people call by its name."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

from ._errors import AssayError, quoted

NAMES_SHOWN = 5


def choose(
    items: Iterable[Dict[str, Any]], kind: str, wanted: str, remedy: str = ""
) -> Dict[str, Any]:
    """The item of this id or name; an AssayError where there is none, or several.

    `remedy` is a sentence that is added where there is none.
    """
    items = list(items)
    found = named_item(items, kind, wanted)
    if found is not None:
        return found
    sentence, _ = unknown_name(kind, wanted, [item["name"] for item in items])
    raise AssayError(f"{sentence} {remedy}".rstrip())


def named_item(
    items: Iterable[Dict[str, Any]], kind: str, wanted: str
) -> Optional[Dict[str, Any]]:
    """The one item of this id or name; None where there is none, an AssayError where several."""
    items = list(items)
    for item in items:
        if item["id"] == wanted:
            return item
    found = [item for item in items if item.get("name") == wanted]
    if len(found) > 1:
        ids = " or ".join(item["id"] for item in found)
        raise AssayError(f"{len(found)} {kind}s are called {quoted(wanted)}: give an id, {ids}.")
    return found[0] if found else None


def unknown_name(kind: str, wanted: str, names: List[str]) -> Tuple[str, List[str]]:
    """The sentence on a name that nothing has, and the names that are near to it."""
    near = near_names(wanted, names)
    return f"There is no {kind} {quoted(wanted)}. {_advice(kind, near, names)}", near


def _advice(kind: str, near: List[str], names: List[str]) -> str:
    if near:
        return did_you_mean(near)
    names = list(dict.fromkeys(names))
    if not names:
        named = "run with a name" if kind == "run" else kind
        return f"There is no {named} yet: check the name, and the organization of the key."
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
    alike = {name: likeness(name.lower(), wanted.lower()) for name in dict.fromkeys(names)}
    near = sorted(alike, key=lambda name: -alike[name])
    return [name for name in near if alike[name] >= LIKENESS_MIN][:NAMES_SHOWN]


def is_alike(one: str, other: str) -> bool:
    """Whether a name is like another, of the same case."""
    return likeness(one, other) >= LIKENESS_MIN


def likeness(one: str, other: str) -> float:
    """Dice's coefficient of the pairs of letters."""
    pairs, others = _pairs_of(one), _pairs_of(other)
    return 2 * len(pairs & others) / (len(pairs) + len(others))


def _pairs_of(text: str) -> Set[str]:
    padded = f" {text} "
    return {padded[index : index + 2] for index in range(len(padded) - 1)}

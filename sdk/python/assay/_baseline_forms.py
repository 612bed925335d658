"""The ways to name a baseline. Both languages are held by `shared/client/test/baseline-forms.json`."""

from __future__ import annotations

import re
from typing import List

from ._lookup import is_alike, likeness

#: The words that mean a baseline whole, and those that are followed by a name.
WORDS = ("production", "baseline")
PREFIXES = ("branch", "latest")
#: From this likeness on, a name is taken for a slip in a word. Stricter than for the names of runs,
#: since "option" and "attention" are fine names of a first run.
SLIP_MIN = 0.5


def near_forms(wanted: str) -> List[str]:
    """The ways to name a baseline that a name is near to, which is a slip and not a first run."""
    text = wanted.strip().lower()
    return [word for word in WORDS if _is_slip(word, text)] + _near_prefixes(wanted.strip(), text)


def _is_slip(word: str, text: str) -> bool:
    return likeness(word, text) >= SLIP_MIN or _is_short_for(word, text)


def _is_short_for(word: str, text: str) -> bool:
    """As "prd" is for "production"."""
    if len(text) < 3 or not text.startswith(word[:2]):
        return False
    place = 0
    for letter in text:
        place = word.find(letter, place) + 1
        if place == 0:
            return False
    return True


def _near_prefixes(wanted: str, text: str) -> List[str]:
    parts = re.fullmatch(r"([^:：]+?)\s*[:：]\s*(.*)", wanted, re.DOTALL)
    if parts:
        before, after = parts.groups()
        near = [prefix for prefix in PREFIXES if is_alike(prefix, before.lower())]
        return [_form(prefix, after) for prefix in near]
    parts = re.fullmatch(r"(branch|latest)[\s/=]+(.*)", wanted, re.DOTALL | re.IGNORECASE)
    if parts:
        return [_form(parts[1].lower(), parts[2])]
    return [
        _form(prefix, "")
        for prefix in PREFIXES
        if text[:1] == prefix[0] and likeness(prefix, text) >= SLIP_MIN
    ]


def _form(prefix: str, name: str) -> str:
    return f"{prefix}:{name or 'NAME'}"

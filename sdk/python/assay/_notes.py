"""Sentences that a reader of an evaluation should know."""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from ._errors import quoted

OTHERS_MAX = 5
METRICS_NAMED = 3


class Note(NamedTuple):
    """A sentence, the metric that it is about, and whether a score is missing for it."""

    text: str
    metric: Optional[str] = None
    #: Such a note is never left out.
    is_failure: bool = False
    #: What the result rests on, which is never left out either.
    is_main: bool = False


def note_lines(notes: Iterable[Note]) -> List[str]:
    """All of them: those on failures, what the result rests on, and then the others."""
    kept, others = _ordered_lines(notes)
    return [*kept, *others]


def shown_lines(notes: Iterable[Note]) -> List[str]:
    """The lines that are printed: so many of the others as fit."""
    kept, others = _ordered_lines(notes)
    hidden = len(others) - OTHERS_MAX
    return [*kept, *others[:OTHERS_MAX], *([f"({hidden} more)"] if hidden > 0 else [])]


def _ordered_lines(notes: Iterable[Note]) -> Tuple[List[str], List[str]]:
    notes = list(notes)
    failures = lines_of(note for note in notes if note.is_failure)
    main = lines_of(note for note in notes if note.is_main and not note.is_failure)
    others = lines_of(note for note in notes if not (note.is_main or note.is_failure))
    return [*failures, *main], others


def lines_of(notes: Iterable[Note]) -> List[str]:
    """A line for each text, with the metrics that it is about, or how often it was said."""
    groups: Dict[str, List[Note]] = {}
    for note in notes:
        groups.setdefault(note.text, []).append(note)
    return [_line(text, equal) for text, equal in groups.items()]


def _line(text: str, equal: List[Note]) -> str:
    metrics = list(dict.fromkeys(note.metric for note in equal if note.metric is not None))
    if not metrics:
        return f"{text} ({len(equal)} times)" if len(equal) > 1 else text
    more = len(metrics) - METRICS_NAMED
    named = ", ".join(quoted(name) for name in metrics[:METRICS_NAMED])
    return f"{named}{f' and {more} more' if more > 0 else ''}: {text}"

"""Reads `testcases`: rows, a table of pandas or polars, or a file."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, List, NamedTuple

from ._conversion import json_of
from ._errors import AssayError
from ._notes import Note
from ._row_files import rows_of_file


class GivenRows(NamedTuple):
    """Rows as JSON, in their order, and what of them could not be stored."""

    rows: List[Dict[str, Any]]
    notes: List[Note]


def read_given_rows(given: Any) -> GivenRows:
    """An AssayError where there are no rows, or one is no object."""
    rows: List[Dict[str, Any]] = []
    first, count = "", 0
    for row in _iterated(given):
        converted, notes = json_of(row)
        if not isinstance(converted, dict):
            raise AssayError(
                f"Row {len(rows) + 1} of `testcases` must be an object, such as "
                '{"inputs": {"question": "2 + 2"}, "expected": {"answer": "4"}}.'
            )
        rows.append(converted)
        count += len(notes)
        if notes and not first:
            first = f"row {len(rows)}, {notes[0]['path']}: {notes[0]['message']}"
    if not rows:
        raise AssayError("`testcases` has no rows: give at least one.")
    if not first:
        return GivenRows(rows, [])
    values = "value" if count == 1 else "values"
    text = f"{count} {values} of `testcases` could not be stored. The first: {first}"
    return GivenRows(rows, [Note(text)])


def _iterated(given: Any) -> Iterable[Any]:
    if isinstance(given, (str, os.PathLike)):
        return rows_of_file(os.fspath(given))
    if isinstance(given, dict):
        raise AssayError(_NO_ROWS)
    if hasattr(given, "collect") and type(given).__module__.startswith("polars"):
        given = given.collect()
    if hasattr(given, "to_dicts"):
        return map(_without_nan, given.to_dicts())  # a table of polars
    if hasattr(given, "to_dict"):
        try:
            return map(_without_nan, given.to_dict(orient="records"))  # a table of pandas
        except TypeError:  # Other data sets have a `to_dict` of another kind, and can be iterated.
            pass
    elif hasattr(given, "iter_rows"):
        return map(_without_nan, given.iter_rows(named=True))
    try:
        return iter(given)
    except TypeError:
        raise AssayError(_NO_ROWS) from None


_NO_ROWS = (
    "`testcases` must be a list or a generator of testcases, a table of pandas or polars, "
    "or the path of a file with some."
)


def _without_nan(row: Any) -> Dict[str, Any]:
    """A table says by NaN that a cell is empty."""
    return {name: None if _is_missing(value) else value for name, value in row.items()}


def _is_missing(value: Any) -> bool:
    try:
        return type(value).__name__ == "NAType" or bool(value != value)
    except (TypeError, ValueError):  # An array compares element by element.
        return False

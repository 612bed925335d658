"""The records of an evaluation, as its user looks at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, Optional

from ._client import Client
from ._errors import AssayError
from ._exact_numbers import for_users_code


@dataclass(frozen=True)
class Row:
    """One record: what the system was asked, what it answered, and its scores by metric."""

    inputs: Dict[str, Any]
    outputs: Dict[str, Any]
    expected: Dict[str, Any]
    #: None where a score is missing, failed, or does not apply.
    scores: Dict[str, Any]
    #: Why there is no answer: its `name`, its `message`, and what else is known.
    error: Optional[Dict[str, Any]]
    duration_ms: Optional[float]


def rows_of_run(client: Client, run_id: str, names: Dict[str, str]) -> Iterator[Row]:
    """Reads the records of a run, page by page. `names` are those of its metric versions."""
    for record in client.list(f"/runs/{run_id}/records"):
        scores = dict.fromkeys(names.values())
        for each in record["scores"]:
            if each["metricConfigId"] in names and not each.get("validationErrors"):
                scores[names[each["metricConfigId"]]] = _value_of(each["score"])
        yield Row(
            inputs=for_users_code(record["inputs"]),
            outputs=for_users_code(record["outputs"]),
            expected=for_users_code(record["expected"]),
            scores=scores,
            error=record.get("error"),
            duration_ms=(record.get("metrics") or {}).get("latencyMs"),
        )


def _value_of(score: Dict[str, Any]) -> Any:
    fields = ("value", "binaryScore", "intScore", "floatScore")
    return next((score[field] for field in fields if score.get(field) is not None), None)


def to_pandas(rows: Iterable[Row]) -> Any:
    """A DataFrame with a line for each record: `inputs.question`, `outputs.answer`, `Same`, …

    Raises AssayError where pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise AssayError("to_pandas needs pandas: pip install pandas.") from None
    return pandas.DataFrame([_line_of(row) for row in rows])


def _line_of(row: Row) -> Dict[str, Any]:
    line: Dict[str, Any] = {}
    for part in ("inputs", "expected", "outputs"):
        line.update({f"{part}.{name}": value for name, value in getattr(row, part).items()})
    line.update({_free_name(name, line): value for name, value in row.scores.items()})
    error = row.error
    line["error"] = None if error is None else f"{error.get('name', 'Error')}: {error['message']}"
    line["duration_ms"] = row.duration_ms
    return line


def _free_name(metric: str, line: Dict[str, Any]) -> str:
    """A metric may be called as a column is."""
    taken = {*line, "error", "duration_ms"}
    return f"score.{metric}" if metric in taken else metric

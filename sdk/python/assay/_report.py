"""What is printed: the table, and the progress."""

from __future__ import annotations

import re
import sys
import time
from datetime import datetime, timezone
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._errors import printable
from ._evaluation import Evaluation, MetricVerdict
from ._sentence import change, figure, testcases_of

NAME_CHARACTERS_MAX = 24
REDRAW_S = 0.2
PLAIN_S = 5.0


def report_lines(evaluation: Evaluation, title: str, kept: int = 0) -> List[str]:
    """The result as lines that fit a terminal of 80 columns, but for its sentences.

    `kept` counts the records that a resumed run had.
    """
    count = evaluation.records + kept
    records = f"{count:,} {'record' if count == 1 else 'records'}"
    if kept:
        records += f", {evaluation.records:,} of them answered now"
    errors = f", on {evaluation.errors:,} of which the system failed" if evaluation.errors else ""
    lines = [f"{title}: {records}{errors}", ""]
    table = table_of(evaluation)
    if evaluation.comparison is not None or evaluation.metrics:
        left = (0,) if evaluation.comparison is None else (0, 5)
        lines += [*_aligned([[_shortened(line[0]), *line[1:]] for line in table], left), ""]
    lines += sentences_of(evaluation)
    lines += shown_notes_of(evaluation)
    if evaluation.link is not None:
        lines.append(evaluation.link)
    return [printable(line) for line in lines]


def sentences_of(evaluation: Evaluation) -> List[str]:
    """A sentence for each metric that is compared; one on errors where they differ."""
    comparison = evaluation.comparison
    if comparison is None:
        return []
    told = list(comparison.metrics)
    if comparison.errors is not None and comparison.errors.difference:
        told.append(comparison.errors)
    return [f'"{each.name}": {each.sentence}' for each in told]


def shown_notes_of(evaluation: Evaluation) -> List[str]:
    """The notes that are printed."""
    shown = evaluation._shown_notes
    return evaluation.notes if shown is None else shown


def table_of(evaluation: Evaluation) -> List[List[str]]:
    """The titles, and a line for each metric: beside the baseline, or the run alone."""
    return _own_table(evaluation) if evaluation.comparison is None else _compared_table(evaluation)


def _own_table(evaluation: Evaluation) -> List[List[str]]:
    rows = []
    errors = [] if evaluation.error_rate is None else [evaluation.error_rate]
    for metric in [*evaluation.metrics, *errors]:
        kind, interval = metric.output_type, metric.confidence_interval
        between = "–"
        if interval:
            between = f"{figure(kind, interval['low'])} to {figure(kind, interval['high'])}"
        counts = [f"{metric.count:,}", figure(kind, metric.mean), between, f"{metric.failed:,}"]
        rows.append([metric.name, *counts])
    return [["METRIC", "TESTCASES", "RESULT", "95 % INTERVAL", "FAILED"], *rows]


def _compared_table(evaluation: Evaluation) -> List[List[str]]:
    kinds = {metric.name: metric.output_type for metric in evaluation.metrics}
    rows = []
    for metric in evaluation.comparison.metrics:
        rows.append(_compared_row(metric, kinds.get(metric.name, "float")))
    compared = {metric.name for metric in evaluation.comparison.metrics}
    for metric in evaluation.metrics:
        if metric.name not in compared:
            now = figure(metric.output_type, metric.mean)
            rows.append([metric.name, "–", "–", now, "–", "not in the baseline"])
    if evaluation.comparison.errors is not None:
        rows.append(_compared_row(evaluation.comparison.errors, "boolean"))
    return [["METRIC", "TESTCASES", "BASELINE", "CANDIDATE", "DIFFERENCE", "VERDICT"], *rows]


def _compared_row(metric: MetricVerdict, kind: str) -> List[str]:
    interval = metric.confidence_interval
    sides = (metric.baseline_mean, metric.candidate_mean)
    means = [figure(kind, mean, interval, metric.difference) for mean in sides]
    difference = change(kind, metric.difference, interval)
    testcases = testcases_of(metric.paired, metric.records_per_testcase)
    alone = " (judge alone)" if metric.decided_by == "judge" else ""
    return [metric.name, testcases, *means, difference, f"{metric.verdict}{alone}"]


def _aligned(lines: List[List[str]], left: Tuple[int, ...]) -> List[str]:
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return [
        "  ".join(
            cell.ljust(widths[column]) if column in left else cell.rjust(widths[column])
            for column, cell in enumerate(line)
        ).rstrip()
        for line in lines
    ]


def _shortened(name: str) -> str:
    text = printable(name)
    return f"{text[: NAME_CHARACTERS_MAX - 1]}…" if len(text) > NAME_CHARACTERS_MAX else text


def waiting_sentences(run: Optional[Dict[str, Any]]) -> List[str]:
    """Tells for which models scores wait, why, and when each is asked again."""
    return [
        f"The judge {awaited['model']} is away ({re.sub(r'[.]$', '', awaited['message'])}): "
        f"next try at {_time_of_day(awaited['nextProbeAt'])}."
        for awaited in (run or {}).get("waitingFor", [])
    ]


def _time_of_day(instant: str) -> str:
    at = datetime.strptime(instant, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return at.astimezone().strftime("%H:%M")


class Progress:
    """Shows how far it is: redrawn in place on a terminal, else by a line every five seconds."""

    def __init__(self, state: Callable[[], Dict[str, Any]], quiet: bool):
        self._state = state
        self._quiet = quiet
        self._is_terminal = sys.stderr.isatty()
        self._last = ""
        self._at = time.monotonic()

    def show(self) -> None:
        every = REDRAW_S if self._is_terminal else PLAIN_S
        if self._quiet or time.monotonic() - self._at < every:
            return
        self._at = time.monotonic()
        line = describe(**self._state())
        if line == self._last:
            return
        self._last = line
        sys.stderr.write(f"\r\x1b[2K{line[:79]}" if self._is_terminal else f"{line}\n")
        sys.stderr.flush()

    def stop(self) -> None:
        if self._is_terminal and self._last:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._last = ""


def describe(
    records: int,
    expected: Optional[int],
    errors: int,
    scoring: Optional[Dict[str, int]],
    waiting: Optional[str],
) -> str:
    of = "" if expected is None else f" of {expected:,}"
    parts = [f"{records:,}{of} records"]
    if errors:
        parts.append(f"{errors:,} failed")
    if scoring and scoring["expected"] > 0:
        parts.append(f"{scoring['scored'] + scoring['failed']:,} of {scoring['expected']:,} scores")
    if waiting:
        parts.append(f"waiting: {printable(waiting)}")
    return " · ".join(parts)

"""Evaluations on this machine alone: nothing is sent or stored."""

from __future__ import annotations

import itertools
import math
import queue
import threading
import unicodedata
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._conversion import ConversionLog
from ._errors import AssayError, quoted
from ._evaluation import Evaluation, MetricResult
from ._exact_numbers import for_users_code, write_json
from ._execution import CallResult, call_system
from ._given_rows import read_given_rows
from ._notes import Note, note_lines, shown_lines
from ._provider_limits import ProviderLimits
from ._report import report_lines
from ._rows import Row
from ._scale import default_threshold, passes, score_value, stated_scale, worst_of
from ._scorers import Scorers, problem_notes
from ._system_error import ErrorLog, print_stacks
from ._testcase_rows import fields_of_row
from ._testcases import choose_testcases
from ._worker import Worker

NOT_COMPARED = "Nothing was sent, stored or compared: this was a local evaluation."
Z = 1.959963984540054


def evaluate_locally(
    project: str, system: Callable[..., Any], options: Dict[str, Any]
) -> Evaluation:
    """Evaluates by own scorers, and by exact_match."""
    metrics = [_check_metric(metric) for metric in options["metrics"] or []]
    given = read_given_rows(options["testcases"])
    testcases = [_testcase_of(row, index) for index, row in enumerate(given.rows)]
    scorers = Scorers(options["scores"])
    chosen = choose_testcases(testcases, options["limit"], options["sample"], options["seed"])
    calls: "queue.Queue[Tuple[Dict[str, Any], int]]" = queue.Queue()
    for call in itertools.product(chosen, range(1, options["trials"] + 1)):
        calls.put(call)
    stopping = threading.Event()
    limits = ProviderLimits(
        options["concurrency"], options["retries"], options["rate_limit"], stopping
    )
    results: List[Tuple[CallResult, Dict[str, Any]]] = []
    failures: List[BaseException] = []

    def work() -> None:
        try:
            while not failures and not stopping.is_set():
                testcase, trial = calls.get_nowait()
                result = limits.call(
                    lambda: call_system(system, testcase, trial, options["timeout_ms"])
                )
                if result is None:
                    return
                values = {score.name: score.value for score in scorers.score(result)}
                values.update((metric["name"], _exact_match(metric, result)) for metric in metrics)
                results.append((result, values))
        except queue.Empty:
            return
        except BaseException as error:
            failures.append(error)

    workers = [Worker(work) for _ in range(options["concurrency"])]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            while worker.is_at_work():
                worker.wait(0.1)
    finally:
        # At Ctrl-C a notebook lives on: it begins no further call.
        stopping.set()
    if failures:
        raise failures[0]
    scorers.settle()
    errors, conversions = ErrorLog(), ConversionLog()
    for result, _ in results:
        conversions.add(result.notes)
        if result.error is not None:
            errors.add(result.error)
    summarized = {
        name: scorers.metric_of(name) or {"outputType": "float"} for name in scorers.names
    }
    failed = {name: len(scorers.problems.get(name, [])) for name in scorers.names}
    for metric in metrics:
        summarized[metric["name"]] = {**metric, "outputType": "boolean"}
        failed[metric["name"]] = sum(
            result.error is None and values[metric["name"]] is None for result, values in results
        )
    notes = [
        Note(NOT_COMPARED, is_main=True),
        *given.notes,
        *errors.notes(),
        *conversions.notes(),
        *problem_notes(scorers),
        *limits.notes(),
    ]
    evaluation = Evaluation(
        run_id=None,
        link=None,
        records=len(results),
        errors=errors.count,
        metrics=[
            _summarize(name, metric, failed[name], results, options["trials"])
            for name, metric in summarized.items()
        ],
        comparison=None,
        error_rate=_error_rate(results, options["trials"]),
        outcome="unknown",
        exit_code=2,
        reason=NOT_COMPARED,
        notes=note_lines(notes),
        _shown_notes=shown_lines(notes),
        _rows=lambda: map(_row_of, results),
    )
    if not options["quiet"]:
        print_stacks(errors, scorers)
        print("\n".join(report_lines(evaluation, f"{project} (local)")), flush=True)
    return evaluation


def _error_rate(results: List[Tuple[CallResult, Dict[str, Any]]], trials: int) -> MetricResult:
    """How often the system failed, as a server says it."""
    failed = [(result, {"errors": result.error is not None}) for result, _ in results]
    metric = {"outputType": "boolean", "lowerIsBetter": True}
    return _summarize("errors", metric, 0, failed, trials)


def _row_of(scored: Tuple[CallResult, Dict[str, Any]]) -> Row:
    result, values = scored
    return Row(
        inputs=for_users_code(result.testcase["inputs"]),
        outputs=for_users_code(result.outputs),
        expected=for_users_code(result.testcase["expected"]),
        scores=values,
        error=result.error,
        duration_ms=result.latency_ms,
    )


def _check_metric(metric: Any) -> Dict[str, Any]:
    name = metric.get("name") if isinstance(metric, dict) else None
    builtin = (metric.get("builtin") or {}).get("name") if isinstance(metric, dict) else None
    if not isinstance(name, str) or builtin != "exact_match":
        raise AssayError(
            f"The metric {quoted(str(name or metric))} needs a server: local evaluations in Python "
            'have own scorers, and {"name": …, "builtin": {"name": "exact_match"}}.'
        )
    return metric


def _exact_match(metric: Dict[str, Any], result: CallResult) -> Optional[bool]:
    """As the built-in evaluator compares: texts, in Unicode's composed form."""
    if result.error is not None:
        return None
    options = metric["builtin"].get("options") or {}
    output_found, output = _pick(result.outputs, options.get("output"))
    expected_found, expected = _pick(result.testcase["expected"], options.get("expected"))
    if not output_found or not expected_found or isinstance(expected, (dict, list, type(None))):
        return None
    return _text_of(output, options) == _text_of(expected, options)


def _pick(record: Dict[str, Any], pointer: Optional[str]) -> Tuple[bool, Any]:
    """The value that a JSON Pointer names; without one, that of the only field."""
    if pointer is None:
        return len(record) == 1, next(iter(record.values()), None)
    value: Any = record
    for name in pointer.split("/")[1:]:
        name = name.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return False, None
    return True, value


def _text_of(value: Any, options: Dict[str, Any]) -> str:
    if value is None:
        text = ""
    elif isinstance(value, str):
        text = value
    else:
        text = write_json(value, separators=(",", ":"), ensure_ascii=False)
    text = unicodedata.normalize("NFC", text)
    text = text.strip() if options.get("trim") is True else text
    return text.upper() if options.get("ignoreCase") is True else text


def _summarize(name, metric, failed, results, trials) -> MetricResult:
    """A testcase's value is the mean of its records."""
    groups: Dict[int, List[float]] = {}
    errored = invalid = 0
    for result, values in results:
        value = values.get(name)
        if value is None and result.error is not None:
            errored += 1
            value = worst_of(metric)
        elif value is not None:
            value = score_value(metric, value)
            invalid += value is None
        if value is not None:
            groups.setdefault(result.testcase["index"], []).append(float(value))
    means = [sum(group) / len(group) for group in groups.values()]
    count = len(means)
    mean = sum(means) / count if count else None
    is_boolean = metric["outputType"] == "boolean"
    whole = stated_scale(metric)
    return MetricResult(
        name=name,
        output_type=metric["outputType"],
        count=count,
        failed=failed,
        errored=errored,
        invalid=invalid,
        mean=mean,
        pass_rate=_pass_rate(metric, list(groups.values())),
        confidence_interval=_wilson(mean, count) if is_boolean and trials == 1 else None,
        min=whole.get("min"),
        max=whole.get("max"),
        lower_is_better=whole.get("lowerIsBetter", False),
    )


def _pass_rate(metric: Dict[str, Any], groups: List[List[float]]) -> Optional[float]:
    """By the passing threshold of new metrics; None where the metric has none."""
    threshold = default_threshold(metric)
    if not groups or passes(metric, threshold, 0) is None:
        return None
    shares = [sum(bool(passes(metric, threshold, value)) for value in group) / len(group) for group in groups]
    return sum(shares) / len(shares)


def _wilson(rate: Optional[float], count: int) -> Optional[Dict[str, float]]:
    if rate is None:
        return None
    centre = (rate * count + Z * Z / 2) / (count + Z * Z)
    reach = Z / (count + Z * Z) * math.sqrt(rate * (1 - rate) * count + Z * Z / 4)
    return {"low": max(0.0, centre - reach), "high": min(1.0, centre + reach), "level": 0.95}


def _testcase_of(row: Dict[str, Any], index: int) -> Dict[str, Any]:
    fields = fields_of_row(row, index + 1)
    names = {name: row[name] for name in ("id", "key") if isinstance(row.get(name), str)}
    return {**names, **fields, "index": index}

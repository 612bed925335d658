"""Scorers of the user: their values, and what goes wrong."""

from __future__ import annotations

import copy
import inspect
import math
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _event_loop
from ._errors import quoted
from ._exact_numbers import for_users_code
from ._execution import CallResult
from ._notes import Note
from ._scale import score_value
from ._scorer_arguments import call_scorer, takes_error
from ._scorer_metric import ScaledScorer, Score, ScorerMetric, scale_named_by
from ._system_error import system_error_of

REASONING_CHARACTERS_MAX = 10_000
VALUE_FIELDS = {"boolean": "binaryScore", "int": "intScore", "float": "floatScore"}


@dataclass
class OwnScore:
    """What a scorer said of one record; with `problem`, why it said nothing."""

    name: str
    value: Any = None
    reasoning: Optional[str] = None
    problem: Optional[str] = None


class Scorers:
    """The scorers of one evaluation, each with its metric."""

    def __init__(self, scores: Optional[Dict[str, Callable[..., Any]]]):
        self._scores: Dict[str, Callable[..., Any]] = {}
        self._metrics: Dict[str, ScorerMetric] = {}
        for name, given in (scores or {}).items():
            is_scaled = isinstance(given, ScaledScorer)
            self._scores[name] = given.function if is_scaled else given
            self._metrics[name] = ScorerMetric(name, given.scale if is_scaled else None)
        self.names: List[str] = list(self._scores)
        self.problems: Dict[str, List[str]] = {}
        #: Where the first of the scorers that raised did so.
        self.first_stack: Optional[str] = None
        self._lock = threading.Lock()

    def score(self, result: CallResult) -> List[OwnScore]:
        """Where the system failed, only scorers are called that take `error`."""
        called = self.names
        if result.error is not None:
            called = [name for name in self.names if takes_error(self._scores[name])]
        return [self._score_by(name, result) for name in called]

    def metric_of(self, name: str) -> Optional[Dict[str, Any]]:
        """None as long as neither a scale nor the values have told it."""
        return self._metrics[name].metric

    def set_metric(self, name: str, metric: Dict[str, Any]) -> None:
        """Fixes a metric that the project has."""
        self._metrics[name].set_metric(metric)

    def are_known(self) -> bool:
        return all(metric.metric is not None for metric in self._metrics.values())

    def settle(self) -> None:
        """Ends the wait for types: a scorer that only ever said 1 gives numbers from 0 to 1."""
        for metric in self._metrics.values():
            metric.settle()

    def outside_sentences(self) -> List[str]:
        """The sentences on values that do not fit their metrics."""
        sentences = [metric.outside_sentence() for metric in self._metrics.values()]
        return [sentence for sentence in sentences if sentence is not None]

    def _score_by(self, name: str, result: CallResult) -> OwnScore:
        record = copy.deepcopy(
            {
                "inputs": for_users_code(result.testcase["inputs"]),
                "expected": for_users_code(result.testcase["expected"]),
                "metadata": for_users_code(result.testcase["metadata"]),
                "outputs": for_users_code(result.outputs),
                "error": result.error,
            }
        )
        said: Dict[str, Any] = {}
        stack: Optional[str] = None
        try:
            answer = call_scorer(self._scores[name], record)
            if inspect.isawaitable(answer):
                answer = _event_loop.wait_for(answer)
            score, said = _read_score(name, answer)
        except Exception as error:
            thrown = system_error_of(error)
            stack = thrown.get("stack")
            problem = f"The scorer failed: {thrown['name']}: {thrown['message']}"
            score = OwnScore(name, problem=problem[:REASONING_CHARACTERS_MAX])
        with self._lock:
            self.first_stack = self.first_stack or stack
            if score.problem is not None:
                self.problems.setdefault(name, []).append(score.problem)
            else:
                self._metrics[name].learn(score.value, said)
        return score


def _read_score(name: str, said: Any) -> Tuple[OwnScore, Dict[str, Any]]:
    """A plain score, a dict or a `Score`, or an object with `score` and `metadata` (autoevals).

    Returns the score, and the members of a scale that it names.
    """
    value, reasoning, scale = _parts_of(said)
    if hasattr(value, "item") and not isinstance(value, (bool, int, float)):
        value = value.item()
    if not _is_score(value):
        problem = (
            f"The scorer returned {str(said)[:100]}: a score is True or False, a number, or None."
        )
        return OwnScore(name, problem=problem), {}
    text = reasoning[:REASONING_CHARACTERS_MAX] if isinstance(reasoning, str) else None
    return OwnScore(name, value, text), scale


def _parts_of(said: Any) -> Tuple[Any, Any, Dict[str, Any]]:
    if isinstance(said, Score):
        return said.value, said.reasoning, scale_named_by(said)
    if isinstance(said, dict) and ("value" in said or "score" in said):
        metadata = said.get("metadata") or {}
        scale = {name: said[name] for name in ("min", "max") if name in said}
        if "lower_is_better" in said:
            scale["lowerIsBetter"] = said["lower_is_better"]
        value = said["value"] if "value" in said else said["score"]
        return value, said.get("reasoning", metadata.get("rationale")), scale
    if hasattr(said, "score") and hasattr(said, "metadata"):
        metadata = said.metadata if isinstance(said.metadata, dict) else {}
        return said.score, metadata.get("rationale"), {}
    return said, None, {}


def _is_score(value: Any) -> bool:
    if value is None or isinstance(value, bool):
        return True
    return isinstance(value, (int, float)) and math.isfinite(value)


def score_body(score: OwnScore, metric: Dict[str, Any]) -> Dict[str, Any]:
    """A score as the service takes it. One without a value is missing no more."""
    if score.problem is not None:
        return {"reasoning": score.problem}
    if score.value is None:
        return {"value": None, "reasoning": score.reasoning or "Does not apply."}
    fits = score_value(metric, score.value) is not None
    field = VALUE_FIELDS[metric["outputType"]] if fits else "value"
    value = int(score.value) if field == "intScore" else score.value
    return {field: value, **({} if score.reasoning is None else {"reasoning": score.reasoning})}


def nothing_scores_sentence(example: str = "Correct answer") -> str:
    """What to give where an evaluation has neither metrics nor scorers."""
    return (
        f"Nothing scores this evaluation: give `metrics`, such as [{quoted(example)}], or `scores`. "
        "Empty `metrics` say that the answers are only to be stored."
    )


def problem_notes(scorers: Scorers) -> List[Note]:
    """The failures of own scorers by their names, and their values that do not fit."""
    failures = [
        f"The scorer {quoted(name)} failed on {len(all_of)} "
        f"{'record' if len(all_of) == 1 else 'records'}, and gave no score there "
        f"(counted as invalid). {all_of[0]}"
        for name, all_of in scorers.problems.items()
    ]
    return [Note(text, is_failure=True) for text in [*failures, *scorers.outside_sentences()]]

"""Scorers of the user: their values, the types of these, and what goes wrong."""

from __future__ import annotations

import copy
import inspect
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional

from . import _event_loop
from ._errors import quoted
from ._execution import CallResult
from ._notes import Note

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
    """The scorers of one evaluation. The types of their metrics are those of their first values."""

    def __init__(self, scores: Optional[Dict[str, Callable[..., Any]]]):
        self._scores = dict(scores or {})
        self.names: List[str] = list(self._scores)
        self.types: Dict[str, str] = {}
        self.problems: Dict[str, List[str]] = {}
        self._only_ones: set = set()
        self._lock = threading.Lock()

    def score(self, result: CallResult) -> List[OwnScore]:
        """Where the system failed, only scorers are called that take `error`."""
        called = self.names
        if result.error is not None:
            called = [name for name in self.names if _takes_error(self._scores[name])]
        return [self._score_by(name, result) for name in called]

    def are_known(self) -> bool:
        return all(name in self.types for name in self.names)

    def settle(self) -> None:
        """Ends the wait for types: a scorer that only ever said 1 gives numbers from 0 to 1."""
        for name in self._only_ones:
            self.types.setdefault(name, "float")

    def _score_by(self, name: str, result: CallResult) -> OwnScore:
        record = copy.deepcopy(
            {
                "inputs": result.testcase["inputs"],
                "expected": result.testcase["expected"],
                "outputs": result.outputs,
                "error": result.error,
            }
        )
        try:
            score = _read_score(name, _call(self._scores[name], record))
        except Exception as error:
            score = OwnScore(name, problem=f"The scorer failed: {type(error).__name__}: {error}")
        with self._lock:
            if score.problem is not None:
                self.problems.setdefault(name, []).append(score.problem)
            elif score.value is not None and name not in self.types:
                kind = output_type_of(score.value)
                if kind is None:
                    self._only_ones.add(name)
                else:
                    self.types[name] = kind
        return score


def _parameters_of(scorer: Callable[..., Any]) -> Optional[Mapping[str, inspect.Parameter]]:
    """None where Python does not know them, as of some functions of extensions."""
    try:
        return inspect.signature(scorer).parameters
    except (TypeError, ValueError):
        return None


def _takes_error(scorer: Callable[..., Any]) -> bool:
    return "error" in (_parameters_of(scorer) or {})


def _call(scorer: Callable[..., Any], record: Dict[str, Any]) -> Any:
    """By the names of its parameters, among inputs, expected, outputs and error."""
    parameters = _parameters_of(scorer)
    takes_all = parameters is None or any(
        each.kind is each.VAR_KEYWORD for each in parameters.values()
    )
    if takes_all and not _takes_error(scorer):
        record = {name: value for name, value in record.items() if name != "error"}
    if not takes_all:
        record = {name: value for name, value in record.items() if name in parameters}
    said = scorer(**record)
    return _event_loop.wait_for(said) if inspect.isawaitable(said) else said


def _read_score(name: str, said: Any) -> OwnScore:
    value, reasoning = said, None
    if isinstance(said, dict) and "value" in said:
        value, reasoning = said["value"], said.get("reasoning")
    if hasattr(value, "item") and not isinstance(value, (bool, int, float)):
        value = value.item()
    if not _is_score(value):
        return OwnScore(
            name,
            problem=f"The scorer returned {str(said)[:100]}: a score is True or False, "
            "a number from 0 to 1, a whole number from 1 to 5, or None.",
        )
    text = reasoning[:REASONING_CHARACTERS_MAX] if isinstance(reasoning, str) else None
    return OwnScore(name, value, text)


def _is_score(value: Any) -> bool:
    if value is None or isinstance(value, bool):
        return True
    if not isinstance(value, (int, float)):
        return False
    return 0 <= value <= 1 or (1 <= value <= 5 and value == int(value))


def output_type_of(value: Any) -> Optional[str]:
    """1 is of both scales, and tells nothing."""
    if isinstance(value, bool):
        return "boolean"
    if value == 1:
        return None
    return "int" if value > 1 else "float"


def score_body(score: OwnScore, kind: str) -> Dict[str, Any]:
    """A score as the service takes it. One without a value is missing no more."""
    if score.problem is not None:
        return {"reasoning": score.problem}
    if score.value is None:
        return {"value": None, "reasoning": score.reasoning or "Does not apply."}
    field = VALUE_FIELDS[kind] if _fits(score.value, kind) else "value"
    value = int(score.value) if field == "intScore" else score.value
    return {field: value, **({} if score.reasoning is None else {"reasoning": score.reasoning})}


def _fits(value: Any, kind: str) -> bool:
    if kind == "boolean" or isinstance(value, bool):
        return kind == "boolean" and isinstance(value, bool)
    return value >= 1 and value == int(value) if kind == "int" else value <= 1


def problem_notes(problems: Dict[str, List[str]]) -> List[Note]:
    return [
        Note(
            f"The scorer {quoted(name)} failed on {len(all_of)} "
            f"{'record' if len(all_of) == 1 else 'records'}. {all_of[0]}",
            is_failure=True,
        )
        for name, all_of in problems.items()
    ]

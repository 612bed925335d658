"""Scales of scorers, and the metric of a scorer as it becomes known."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional

from ._arguments import checks_arguments
from ._errors import AssayError, quoted
from ._scale import scale_fault, score_value, stated_whole, value_in_words

_UNNAMED: Any = object()
CHANGE_METRIC = "Change the scale of the metric in the console, or give the scorer another name."


@dataclass(frozen=True)
class Score:
    """A score with its reason and its scale: `assay.Score(37.2, min=0, max=100)`.

    The first score of a scorer names the scale. `None` for an end says that there is none.
    """

    value: Any
    reasoning: Optional[str] = None
    min: Any = _UNNAMED
    max: Any = _UNNAMED
    lower_is_better: Optional[bool] = None


class ScaledScorer:
    """A scorer with the scale of its values; `assay.scorer` makes one."""

    def __init__(self, function: Callable[..., Any], scale: Dict[str, Any]):
        self.function = function
        self.scale = scale

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


@checks_arguments(
    "scorer takes a function, and the scale of its values by name: "
    "assay.scorer(bleu, min=0, max=100)."
)
def scorer(
    function: Callable[..., Any],
    *,
    min: Any = _UNNAMED,
    max: Any = _UNNAMED,
    lower_is_better: Optional[bool] = None,
) -> ScaledScorer:
    """Names the scale of a scorer: `assay.scorer(bleu, min=0, max=100)`.

    An end that is None is missing, as of perplexity. With `lower_is_better` less is better: of a
    boolean, True is then the bad value.
    """
    if not callable(function):
        raise AssayError("`assay.scorer` takes a function: the scorer.")
    return ScaledScorer(function, named_scale(min, max, lower_is_better))


def named_scale(low: Any, high: Any, lower_is_better: Optional[bool]) -> Dict[str, Any]:
    """The members of a scale that are named."""
    return {
        **({} if low is _UNNAMED else {"min": low}),
        **({} if high is _UNNAMED else {"max": high}),
        **({} if lower_is_better is None else {"lowerIsBetter": lower_is_better}),
    }


def scale_named_by(score: Score) -> Dict[str, Any]:
    return named_scale(score.min, score.max, score.lower_is_better)


class ScorerMetric:
    """The metric of one scorer.

    A scale that is named makes it one of numbers on that scale; else the first value tells the
    type.
    """

    def __init__(self, name: str, scale: Optional[Dict[str, Any]] = None):
        self._name = name
        self._scale = dict(scale or {})
        self._said_one = False
        self._is_of_project = False
        self._first_outside: Any = None
        #: None as long as nothing has told it.
        self.metric: Optional[Dict[str, Any]] = None
        #: How many values do not fit.
        self.outside = 0
        if _has_ends(self._scale):
            self._make("float")

    def set_metric(self, metric: Dict[str, Any]) -> None:
        """Fixes the metric of the project."""
        self._check_named(metric, self._scale, is_stored=True)
        self.metric = metric
        self._is_of_project = True

    def learn(self, value: Any, said: Dict[str, Any]) -> None:
        """Learns from a value, and counts it where it does not fit.

        Raises for a first number that is on no scale that scorers have unnamed.
        """
        self._take(said)
        if value is None:
            return
        if self.metric is None:
            kind = _output_type_of(value)
            if kind is not None:
                self._make(kind)
            elif value == 1:
                self._said_one = True
            elif self._said_one:
                self._make("float")
            else:
                raise AssayError(
                    f"The scorer {quoted(self._name)} returned {value}. Where no scale is named, "
                    "a score is True or False, a number from 0 to 1, or a whole number from 1 to "
                    f"5. {self._remedy()}"
                )
        if self.metric is not None and score_value(self.metric, value) is None:
            if self.outside == 0:
                self._first_outside = value
            self.outside += 1

    def settle(self) -> None:
        """A scorer that only ever said 1 gives numbers from 0 to 1."""
        if self.metric is None and self._said_one:
            self._make("float")

    def outside_sentence(self) -> Optional[str]:
        """The sentence on the values that do not fit; None where all do."""
        if self.outside == 0 or self.metric is None:
            return None
        one = self.outside == 1
        text = (
            f"{self.outside} {'score' if one else 'scores'} of {quoted(self._name)} "
            f"{'does' if one else 'do'} not fit, and {'is' if one else 'are'} in no mean: "
            f"a score of it is {value_in_words(self.metric)}, and the first is "
            f"{self._first_outside}."
        )
        if self.metric["outputType"] == "boolean":
            return text
        return f"{text} {CHANGE_METRIC if self._is_of_project else self._remedy()}"

    def _remedy(self) -> str:
        name = quoted(self._name)
        return f"Name its scale: scores={{{name}: assay.scorer(…, min=0, max=100)}}."

    def _make(self, kind: str) -> None:
        self.metric = {"outputType": kind, **self._scale}
        fault = scale_fault(self.metric)
        if fault is not None:
            raise AssayError(f"The scale of {quoted(self._name)} is none: {fault}.")

    def _take(self, said: Dict[str, Any]) -> None:
        """Another scale than before would make two metrics of one."""
        if not said:
            return
        if self.metric is None and not self._scale:
            self._scale = dict(said)
            if _has_ends(said):
                self._make("float")
            return
        known = self.metric or {"outputType": "float", **self._scale}
        self._check_named(known, said, is_stored=self._is_of_project)

    def _check_named(self, metric: Dict[str, Any], said: Dict[str, Any], is_stored: bool) -> None:
        has, wants = stated_whole(metric), stated_whole({**metric, **said})
        differing = [
            f"{member} {_shown(has[member])}, not {_shown(wants[member])}"
            for member in has
            if has[member] != wants[member]
        ]
        if not differing:
            return
        name, told = quoted(self._name), ", ".join(differing)
        if is_stored:
            raise AssayError(
                f"The metric {name} of the project has {told}: change the metric, or give the "
                "scorer in `scores` another name."
            )
        raise AssayError(f"The scorer {name} names two scales: it had {told}.")


def _shown(value: Any) -> str:
    return json.dumps(value)


def _has_ends(scale: Dict[str, Any]) -> bool:
    return "min" in scale or "max" in scale


def _output_type_of(value: Any) -> Optional[str]:
    """1 is of both scales, and tells nothing; a number on neither tells nothing, too."""
    if isinstance(value, bool):
        return "boolean"
    if value == 1:
        return None
    if score_value({"outputType": "float"}, value) is not None:
        return "float"
    return "int" if score_value({"outputType": "int"}, value) is not None else None

"""The scale and the direction of a metric: what its values are, which pass, which is the worst.

Both languages are held by `shared/contracts/test/scales.json`.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Mapping, Optional, Tuple

#: The scales of metrics that state none; booleans count as 0 and 1.
USUAL_SCALES = {"boolean": (0, 1), "int": (1, 5), "float": (0, 1)}
USUAL_THRESHOLDS = {"boolean": None, "int": 4, "float": 0.9}
VALUE_SIZE_MAX = 1e15
#: How far a float may lie outside of its scale by rounding, as a share of the scale's width.
ROUNDING_MAX = 1e-9

#: A metric as far as it states a scale: "outputType", and maybe "min", "max", "lowerIsBetter".
Metric = Mapping[str, Any]


def scale_of(metric: Metric) -> Tuple[float, float]:
    """The least and the greatest value; infinite where there is no such end."""
    low, high = USUAL_SCALES[metric["outputType"]]
    if metric["outputType"] == "boolean":
        return low, high
    stated_low, stated_high = metric.get("min", low), metric.get("max", high)
    return (
        -math.inf if stated_low is None else stated_low,
        math.inf if stated_high is None else stated_high,
    )


def stated_whole(metric: Metric) -> Dict[str, Any]:
    """The scale and the direction, nothing left out."""
    low, high = scale_of(metric)
    return {
        "min": low if math.isfinite(low) else None,
        "max": high if math.isfinite(high) else None,
        "lowerIsBetter": metric.get("lowerIsBetter") is True,
    }


def stated_scale(metric: Metric) -> Dict[str, Any]:
    """The members that state a scale and a direction other than those of the output type."""
    whole = stated_whole(metric)
    is_scaled = (whole["min"], whole["max"]) != USUAL_SCALES[metric["outputType"]]
    return {
        **({"min": whole["min"], "max": whole["max"]} if is_scaled else {}),
        **({"lowerIsBetter": True} if whole["lowerIsBetter"] else {}),
    }


def worst_of(metric: Metric) -> Optional[float]:
    """The worst value; None where the scale has no such end."""
    return _finite(scale_of(metric)[1 if metric.get("lowerIsBetter") else 0])


def _best_of(metric: Metric) -> Optional[float]:
    return _finite(scale_of(metric)[0 if metric.get("lowerIsBetter") else 1])


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


def default_threshold(metric: Metric) -> Optional[float]:
    """The passing threshold of a metric that states none."""
    kind = metric["outputType"]
    if not stated_scale(metric):
        return USUAL_THRESHOLDS[kind]
    bad, good = worst_of(metric), _best_of(metric)
    if kind == "boolean" or bad is None or good is None:
        return None
    if kind == "int":
        rounded = math.floor if metric.get("lowerIsBetter") else math.ceil
        return rounded((bad + 3 * good) / 4)
    return (bad + 9 * good) / 10


def passes(metric: Metric, threshold: Optional[float], value: Any) -> Optional[bool]:
    """Whether a value passes, at the threshold too; None where the metric has no threshold."""
    lower = metric.get("lowerIsBetter") is True
    if metric["outputType"] == "boolean":
        threshold = 0 if lower else 1
    if threshold is None:
        return None
    return float(value) <= threshold if lower else float(value) >= threshold


def score_value(metric: Metric, value: Any) -> Any:
    """The value that a score says; None for one that does not fit the metric."""
    if metric["outputType"] == "boolean":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    low, high = scale_of(metric)
    bound = min(high, max(low, value))
    if abs(bound) > VALUE_SIZE_MAX:
        return None
    if metric["outputType"] == "int":
        return int(value) if bound == value and value == int(value) else None
    width = high - low
    slack = ROUNDING_MAX * (width if math.isfinite(width) else 1)
    # Against the sums, which are rounded as a value that lies just there is.
    return bound if low - slack <= value <= high + slack else None


def value_in_words(metric: Metric) -> str:
    """Describes the values of a metric: "a number from 0 to 100"."""
    if metric["outputType"] == "boolean":
        return "True or False"
    low, high = scale_of(metric)
    if metric["outputType"] == "int":
        return f"a whole number from {number_text(low)} to {number_text(high)}"
    if math.isfinite(low) and math.isfinite(high):
        return f"a number from {number_text(low)} to {number_text(high)}"
    if math.isfinite(low):
        return f"a number from {number_text(low)} up"
    return f"a number up to {number_text(high)}" if math.isfinite(high) else "a number"


def number_text(value: float) -> str:
    """A whole number without its fraction."""
    return str(int(value)) if value == int(value) else str(value)


def scale_fault(metric: Metric) -> Optional[str]:
    """What is wrong with a scale; None for one that is sound."""
    low, high = scale_of(metric)
    if low >= high:
        return f"it would go from {number_text(low)} to {number_text(high)}"
    return None

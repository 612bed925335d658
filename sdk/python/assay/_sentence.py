"""The figures of a verdict, as every other client of Assay writes them."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Dict, Optional, Tuple

#: Decimals of a value without an interval, and at the least; of shares, in points of a hundred.
DECIMALS_MIN = {"boolean": 1, "int": 3, "float": 3}
#: Significant digits of a measured value, which may be thousands of tokens or part of a cent.
MEASURED_DIGITS = 4
DECIMALS_MAX = 12


def deciding(metric: Dict[str, Any]) -> Tuple[Dict[str, Any], str]:
    """The figures that count, and whose they are: "scores", "judge" or "people"."""
    calibrated = metric.get("calibrated")
    if calibrated is not None and calibrated["difference"] is not None:
        return calibrated, "people"
    is_judged = calibrated is not None or metric.get("evalType") == "ai"
    return metric, "judge" if is_judged else "scores"


def _decimals(unit: str, value: float, interval: Optional[Dict[str, float]]) -> int:
    """As many decimals as show two digits of the interval's width."""
    width = (interval["high"] - interval["low"]) * _scale(unit) if interval else 0
    of_width = _decimals_of(2, width) if width > 0 else 0
    if unit != "measured":
        least = DECIMALS_MIN[unit]
    else:
        least = _decimals_of(MEASURED_DIGITS, abs(value)) if value else 0
    return min(DECIMALS_MAX, max(least, of_width, 0))


def _decimals_with(unit: str, difference: float, decimals: int) -> int:
    """More decimals for a difference that is less than one of the last: two digits of its own.

    So it is never told as 0, and its two sides never as the same. One that is too small for
    `DECIMALS_MAX` is a rounding of doubles, and no difference.
    """
    distance = float(f"{abs(difference) * _scale(unit):.12g}")
    if distance == 0 or distance >= 10**-decimals:
        return decimals
    own = _decimals_of(2, distance)
    return decimals if own > DECIMALS_MAX else own


def _decimals_of(digits: int, value: float) -> int:
    return digits - 1 - math.floor(math.log10(value))


def _scale(unit: str) -> int:
    return 100 if unit == "boolean" else 1


def figure(
    unit: str,
    value: Optional[float],
    interval: Optional[Dict[str, float]] = None,
    difference: Optional[float] = None,
) -> str:
    """A pass rate is told in percent, any other mean as it is.

    Of the two sides of a comparison, `difference` has to be seen between them.
    """
    if value is None:
        return "–"
    decimals = _decimals_with(unit, difference or 0, _decimals(unit, value, interval))
    text = fixed(value * _scale(unit), decimals)
    return f"{text} %" if unit == "boolean" else text


def size(unit: str, value: float, interval: Optional[Dict[str, float]] = None) -> str:
    """The size of a difference: of pass rates in points of a hundred."""
    distance = abs(value)
    decimals = _decimals_with(unit, distance, _decimals(unit, distance, interval))
    text = fixed(distance * _scale(unit), decimals)
    return _without_zeros(text) if unit == "measured" else text


def change(unit: str, value: Optional[float], interval: Optional[Dict[str, float]] = None) -> str:
    """A difference with its sign."""
    if value is None:
        return "–"
    text = size(unit, value, interval)
    return text if float(text) == 0 else f"{'−' if value < 0 else '+'}{text}"


def fixed(value: float, decimals: int) -> str:
    """So many decimals; halves go up, as they do in the other clients."""
    exact = Decimal(f"{value:.12g}")
    return format(exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP), "f")


def testcases_of(paired: int, records: Tuple[Optional[float], Optional[float]]) -> str:
    """The pairs, and the records of each where they are several: "12 × 1 / 2"."""
    if None in records or records == (1, 1):
        return f"{paired:,}"
    told = dict.fromkeys(_without_zeros(fixed(mean, 1)) for mean in records if mean is not None)
    return f"{paired:,} × {' / '.join(told)}"


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text

"""A verdict in one sentence, word for word as every other client of Assay says it.

Both languages are held by `shared/comparison/test/sentences.json`.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Dict, Optional, Tuple

JUDGE_ALONE = "By the judge alone."
MEASURED = ("latency", "input_tokens", "output_tokens", "cost")

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


def verdict_sentence(metric: Dict[str, Any], candidate: str) -> str:
    """The result of a comparison for one metric, whole."""
    sentence = _without_judge(metric, candidate)
    return f"{JUDGE_ALONE} {sentence}" if deciding(metric)[1] == "judge" else sentence


def _without_judge(metric: Dict[str, Any], candidate: str) -> str:
    figures, decided_by = deciding(metric)
    difference, interval = figures["difference"], figures["confidenceInterval"]
    if difference is None or interval is None:
        return f"Undecided: {_units(metric)} too few to say anything."
    unit = "measured" if metric.get("metricId") in MEASURED else metric["outputType"]
    points = " points" if unit == "boolean" else ""
    verdict, low, high = figures["verdict"], interval["low"], interval["high"]
    direction = "higher" if difference > 0 else "lower"
    if low * high >= 0 and verdict != "undecided":
        ends = f"{size(unit, low, interval)} to {size(unit, high, interval)} {direction}"
    else:
        ends = f"{change(unit, low, interval)} to {change(unit, high, interval)}"
    p = figures["adjustedPValue"]
    adjusted = "" if p is None else f"; adjusted p {probability(p)}"
    people = ""
    if decided_by == "people":
        people = f", going by people's scores of {_count(figures['labels'], 'testcase')}"
    level = f"{100 * interval['level']:.6g} % interval"
    about = f"({level} {ends}{adjusted}; {_pairs(metric)}){people}."
    if verdict == "undecided":
        seen = f"{change(unit, difference, interval)}{points}"
        return f"Undecided: {candidate} is {seen} {about}{_detectable(metric, unit, points)}"
    meaning = f", which is {verdict}" if metric.get("lowerIsBetter") else ""
    seen = f"{size(unit, difference, interval)}{points} {direction}{meaning}"
    return f"{verdict.capitalize()}: {candidate} is {seen} {about}"


def _units(metric: Dict[str, Any]) -> str:
    groups = metric.get("numGroups")
    count, noun = (metric["paired"], "pair") if groups is None else (groups, "group")
    return f"{_count(count, noun)} {'is' if count == 1 else 'are'}"


def _pairs(metric: Dict[str, Any]) -> str:
    pairs = _count(metric["paired"], "pair")
    per_testcase = metric["recordsPerTestcase"]
    means = [per_testcase["baseline"], per_testcase["candidate"]]
    if None in means or means == [1, 1]:
        return pairs
    records = dict.fromkeys(_without_zeros(fixed(mean, 1)) for mean in means)
    return f"{pairs} with {' and '.join(records)} records a testcase"


def _detectable(metric: Dict[str, Any], unit: str, points: str) -> str:
    detectable = metric["minimumDetectableDifference"]
    if detectable is None or deciding(metric)[1] == "people":
        return ""
    pairs = _count(metric["paired"], "pair")
    return f" These {pairs} could have found a difference of {size(unit, detectable)}{points}."


def _decimals(unit: str, value: float, interval: Optional[Dict[str, float]]) -> int:
    """As many decimals as show two digits of the interval's width."""
    scale = 100 if unit == "boolean" else 1
    width = (interval["high"] - interval["low"]) * scale if interval else 0
    of_width = 1 - math.floor(math.log10(width)) if width > 0 else 0
    if unit != "measured":
        least = DECIMALS_MIN[unit]
    else:
        least = MEASURED_DIGITS - 1 - math.floor(math.log10(abs(value))) if value else 0
    return min(DECIMALS_MAX, max(least, of_width, 0))


def figure(unit: str, value: Optional[float]) -> str:
    """A pass rate is told in percent, any other mean as it is."""
    if value is None:
        return "–"
    text = fixed(100 * value if unit == "boolean" else value, _decimals(unit, value, None))
    return f"{text} %" if unit == "boolean" else text


def size(unit: str, value: float, interval: Optional[Dict[str, float]] = None) -> str:
    """The size of a difference: of pass rates in points of a hundred."""
    distance = abs(value)
    decimals = _decimals(unit, distance, interval)
    text = fixed(distance * 100 if unit == "boolean" else distance, decimals)
    return _without_zeros(text) if unit == "measured" else text


def change(unit: str, value: Optional[float], interval: Optional[Dict[str, float]] = None) -> str:
    """A difference with its sign."""
    if value is None:
        return "–"
    text = size(unit, value, interval)
    return text if float(text) == 0 else f"{'−' if value < 0 else '+'}{text}"


def probability(p: float) -> str:
    """Two digits; below 0.0001 a p-value says no more than that."""
    return "< 0.0001" if p < 0.0001 else f"{p:#.2g}".rstrip(".")


def fixed(value: float, decimals: int) -> str:
    """So many decimals; halves go up, as they do in the other clients."""
    exact = Decimal(f"{value:.12g}")
    return format(exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP), "f")


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else f'{noun}s'}"

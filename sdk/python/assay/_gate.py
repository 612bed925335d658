"""The rules of the gate, as every other client of Assay has them.

Both languages are held by `shared/comparison/test/gate.json`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._option_shapes import is_number
from ._sentence import deciding

#: Differences of means are sums of fractions: 0.7 - 0.8 comes out a little below -0.1.
ROUNDING = 1e-9
CANDIDATE = "this run"
EVERY_CALL_FAILED = "Every call of the system failed."
MEASURED = ("latency", "input_tokens", "output_tokens", "cost")
SIDES = ("baseline", "candidate")

Limits = Dict[str, Any]


@dataclass
class Finding:
    """The finding on a metric, or on errors."""

    name: str
    outcome: str
    #: Sentences why it does not pass.
    reasons: List[str]
    #: Sentences on scores that nobody knows, and that change nothing.
    lacking: List[str] = field(default_factory=list)
    #: None in a first run.
    metric: Optional[Dict[str, Any]] = None


@dataclass
class Findings:
    findings: List[Finding]
    errors: Finding
    outcome: str


def is_share(value: Any) -> bool:
    """Whether it is a number from 0 to 1, or a percentage such as "90%"."""
    if isinstance(value, str):
        is_percentage = re.fullmatch(r"[0-9]+(\.[0-9]+)?\s*%", value) is not None
        return is_percentage and _share_of(value) <= 1
    return is_number(value, 0, 1)


def is_allowance(value: Any) -> bool:
    """Whether it is a count, or a percentage such as "5%"."""
    if isinstance(value, str):
        return is_share(value)
    return isinstance(value, int) and is_number(value, 0, math.inf)


def _share_of(share: Any) -> float:
    return float(share.rstrip("%")) / 100 if isinstance(share, str) else share


def _allowed(allowance: Any, expected: int) -> int:
    if isinstance(allowance, str):
        return math.floor(_share_of(allowance) * expected + ROUNDING)
    return allowance


def needs_filling(
    comparison: Dict[str, Any], limits: Limits, named: Sequence[str] = ()
) -> bool:
    """Whether the comparison has to be made once more, with unknown scores against the candidate."""
    held = [metric for metric in comparison["metrics"] if _is_held(metric, named)]
    return limits.get("allow_missing") is None and any(map(_has_unknown, held))


def judge_comparison(
    comparison: Dict[str, Any],
    filled: Optional[Dict[str, Any]],
    summary: Dict[str, Any],
    limits: Limits,
    named: Sequence[str] = (),
) -> Findings:
    """Judges a comparison; `filled` is the one in which unknown scores count against the candidate."""
    bounds = {each["metricVersionId"]: each.get("passBounds") for each in summary["metrics"]}
    findings = []
    for place, metric in enumerate(comparison["metrics"]):
        finding = _judge(
            metric,
            filled["metrics"][place] if filled else None,
            bounds.get(metric["candidateMetricVersionId"]),
            limits,
            _is_held(metric, named),
        )
        findings.append(finding)
    return _concluded(findings, _judge_errors(comparison["errors"], summary, limits), False)


def has_only_limits(limits: Limits) -> bool:
    """Whether a run can meet them by itself: the gate asks for no comparison."""
    own = ("min_pass_rate", "max_errors")
    return limits.get("max_regression") is None and any(limits.get(name) is not None for name in own)


def judge_first_run(summary: Dict[str, Any], limits: Limits, named: Sequence[str] = ()) -> Findings:
    """Judges a run that has nothing to be compared with: by its limits alone."""
    newest = {metric["metricId"]: metric for metric in summary["metrics"]}
    findings = []
    for own in newest.values():
        counts = {
            "expected": own.get("expected", own["records"]),
            "missing": own.get("missing", 0),
            "failed": own["failed"],
            "invalid": own["invalid"],
        }
        allowance = limits.get("allow_missing")
        is_allowed = allowance is not None and not _exceeds(counts, allowance)
        outcome, reason = _judge_pass_rate(own.get("passBounds"), limits, is_allowed)
        lack = _lack("the run", counts) if _count(counts) else ""
        too_many = []
        if allowance is not None and not is_allowed:
            too_many = [f"{lack}, and allow_missing allows {allowance}."]
        against = [reason] if outcome == "worse" else []
        in_the_way = ([reason] if outcome == "unknown" else []) + too_many
        blocking = in_the_way if _is_held(own, named) else []
        findings.append(
            Finding(
                name=own["name"],
                outcome="worse" if against else "unknown" if blocking else "passed",
                reasons=against + blocking,
                lacking=[f"{lack}."] if lack and not too_many else [],
            )
        )
    return _concluded(findings, _judge_errors(None, summary, limits), True)


def _is_held(metric: Dict[str, Any], named: Sequence[str]) -> bool:
    """Scores of people have to be there only where their metric is named."""
    return metric.get("evalType") != "human" or metric["metricId"] in named


def _judge(
    metric: Dict[str, Any],
    filled: Optional[Dict[str, Any]],
    bounds: Optional[Dict[str, Any]],
    limits: Limits,
    is_held: bool,
) -> Finding:
    verdict, regression = _against(metric, limits)
    outcome, rate = _pass_rate_of(metric, bounds, limits)
    against = verdict + ([rate] if outcome == "worse" else []) + regression
    unknown, lacking = _judge_unknown(metric, filled, limits)
    in_the_way = _pairs_reasons(metric) + ([rate] if outcome == "unknown" else []) + unknown
    blocking = in_the_way if is_held else []
    return Finding(
        name=metric["name"],
        outcome="worse" if against else "unknown" if blocking else "passed",
        reasons=against + blocking,
        lacking=lacking,
        metric=metric,
    )


def _against(metric: Dict[str, Any], limits: Limits) -> Tuple[List[str], List[str]]:
    figures, _ = deciding(metric)
    verdict = [sentence_of(metric)] if figures["verdict"] == "worse" else []
    limit, difference = limits.get("max_regression"), figures["difference"]
    is_lower_better = metric.get("lowerIsBetter", False)
    if limit is None or difference is None:
        return verdict, []
    loss = loss_of(is_lower_better, difference)
    if loss <= limit + ROUNDING:
        return verdict, []
    direction = "higher" if is_lower_better else "lower"
    allowed = f"max_regression allows {_number(limit)}"
    return verdict, [f"{CANDIDATE} is {_number(loss)} {direction}, and {allowed}."]


def loss_of(lower_is_better: bool, difference: float) -> float:
    """How much worse a difference is: less where more is better, more where less is.

    Both languages are held by `shared/comparison/test/losses.json`.
    """
    return difference if lower_is_better else -difference


def sentence_of(metric: Dict[str, Any]) -> str:
    """The result of a metric, as the server says it; a server of 0.2.0 says none."""
    verdict = deciding(metric)[0]["verdict"]
    said = metric.get("sentence", f"{verdict.capitalize()}.")
    return said.replace("the candidate", CANDIDATE, 1)


def _pass_rate_of(
    metric: Dict[str, Any], bounds: Optional[Dict[str, Any]], limits: Limits
) -> Tuple[str, str]:
    if metric["metricId"] in MEASURED:
        return "passed", ""
    unknown = metric.get("unknownScores")
    is_allowed = unknown is not None and _exceeded(unknown, limits) == []
    return _judge_pass_rate(bounds, limits, is_allowed)


def _judge_pass_rate(
    bounds: Optional[Dict[str, Any]], limits: Limits, is_allowed: bool
) -> Tuple[str, str]:
    """Fails only where it does so even if each unknown score passed."""
    if limits.get("min_pass_rate") is None:
        return "passed", ""
    limit = _share_of(limits["min_pass_rate"])
    if not bounds or bounds["testcases"] == 0 or (is_allowed and bounds["known"] is None):
        return "unknown", f"{CANDIDATE} has no pass rate to hold against min_pass_rate."
    low, high = bounds["low"], bounds["high"]
    if is_allowed:
        low = high = bounds["known"]
    passes = limits.get("min_passes")
    rate = f"{CANDIDATE}'s pass rate"
    if passes is not None:
        often = "once" if passes == 1 else f"{passes} times"
        rate = f"{CANDIDATE}'s share of testcases that pass {often}"
    if high < limit - ROUNDING:
        below = f"is below the {_percent(limit)} of min_pass_rate"
        if low == high:
            return "worse", f"{rate}, {_percent(low)}, {below}."
        most = f"whatever the unknown scores say: it is {_percent(high)} at most."
        return "worse", f"{rate} {below}, {most}"
    if low < limit - ROUNDING:
        between = f"{rate} is from {_percent(low)} to {_percent(high)}."
        return "unknown", (
            f"the unknown scores decide about the {_percent(limit)} of min_pass_rate: {between}"
        )
    return "passed", ""


def _pairs_reasons(metric: Dict[str, Any]) -> List[str]:
    if metric["paired"] < 2:
        count = "no testcase has" if metric["paired"] == 0 else "only one testcase has"
        return [f"{count} a score in both runs, and a comparison needs two."]
    if metric.get("numGroups", 2) < 2:
        return ["all testcases are of one group, and a comparison needs two."]
    if metric["pValue"] is None or metric["adjustedPValue"] is None:
        return ["the comparison has no p-value."]
    return []


def _judge_unknown(
    metric: Dict[str, Any], filled: Optional[Dict[str, Any]], limits: Limits
) -> Tuple[List[str], List[str]]:
    """Reasons where unknown scores could hide a regression; else what there is to say of them."""
    unknown = metric.get("unknownScores")
    is_lacking = _has_unknown(metric)
    said = _lacking_sentence(unknown) if is_lacking else ""
    if limits.get("allow_missing") is not None:
        exceeded = (_exceeded(unknown, limits) or []) if is_lacking else []
        allowed = [f"{said}, as allow_missing allows."] if is_lacking and not exceeded else []
        return exceeded, allowed
    if filled is None:
        return [], [f"{said}."] if is_lacking else []
    if is_lacking and filled["unknownScores"].get("areFilledIn") is False:
        return [f"{said}, and its scale has no end that they could count as."], []
    against = sum(_against(filled, limits), [])
    if not against:
        return [], [f"{said}. They cannot turn the result."] if is_lacking else []
    if sum(_against(metric, limits), []):
        return [], [f"{said}."] if is_lacking else []
    whose = said if is_lacking else "other metrics lack scores"
    return [f"{whose}. If they spoke against {CANDIDATE}: {against[0]}"], []


def has_only_errors(summary: Dict[str, Any]) -> bool:
    """Whether a run has records, and its system failed on each: then it tells nothing of the system."""
    own = summary["errors"]
    return bool(own["records"] > 0 and _errored_records(own) == own["records"])


def _errored_records(errors: Dict[str, Any]) -> int:
    return sum(each["count"] for each in errors["distribution"] if each.get("value") is True)


def _judge_errors(
    errors: Optional[Dict[str, Any]], summary: Dict[str, Any], limits: Limits
) -> Finding:
    reasons = [sentence_of(errors)] if errors is not None and errors["verdict"] == "worse" else []
    own = summary["errors"]
    count = _errored_records(own)
    expected = own.get("expected", own["records"])
    limit = limits.get("max_errors")
    if limit is not None and count > _allowed(limit, expected):
        records = f"{count} of {expected} records of {CANDIDATE} are errors"
        reasons.append(f"{records}, and max_errors allows {limit}.")
    outcome = "worse" if reasons else "passed"
    if not reasons and has_only_errors(summary):
        outcome, reasons = "unknown", [EVERY_CALL_FAILED]
    return Finding("errors", outcome, reasons, metric=errors)


def _concluded(findings: List[Finding], errors: Finding, is_first: bool) -> Findings:
    outcomes = [finding.outcome for finding in [*findings, errors]]
    is_told = any(
        finding.metric is not None and deciding(finding.metric)[0]["adjustedPValue"] is not None
        for finding in findings
    )
    outcome = "passed"
    if "unknown" in outcomes or not (is_first or is_told):
        outcome = "unknown"
    if "worse" in outcomes:
        outcome = "worse"
    return Findings(findings, errors, outcome)


def _count(counts: Dict[str, Any]) -> int:
    return counts["missing"] + counts["failed"] + counts["invalid"]


def _has_unknown(metric: Dict[str, Any]) -> bool:
    unknown = metric.get("unknownScores")
    return unknown is not None and any(_count(unknown[side]) > 0 for side in SIDES)


def _lacking_sentence(unknown: Dict[str, Any]) -> str:
    return ", and ".join(
        _lack(f"the {side} run", unknown[side]) for side in SIDES if _count(unknown[side])
    )


def _lack(run: str, counts: Dict[str, Any]) -> str:
    kinds = ("missing", "failed", "invalid")
    parts = ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])
    count = _count(counts)
    return f"{run} lacks {count:,} {'score' if count == 1 else 'scores'} ({parts})"


def _exceeds(counts: Dict[str, Any], allowance: Any) -> bool:
    return _count(counts) > _allowed(allowance, counts["expected"])


def _exceeded(unknown: Dict[str, Any], limits: Limits) -> Optional[List[str]]:
    """Sentences on the runs that lack more than is allowed; None where nothing is set."""
    allowance = limits.get("allow_missing")
    if allowance is None:
        return None
    return [
        f"{_lack(f'the {side} run', unknown[side])}, and allow_missing allows {allowance}."
        for side in SIDES
        if _exceeds(unknown[side], allowance)
    ]


def _percent(rate: float) -> str:
    return f"{_number(100 * rate)} %"


def _number(value: float) -> str:
    """Enough places to tell a value from a limit that it just misses."""
    return f"{value:.6g}"

"""The comparison with the baseline, and what it comes to."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from ._baseline import Baseline
from ._client import Client
from ._errors import RequestFailure, quoted
from ._evaluation import Comparison, MetricVerdict
from ._gate import Findings, Limits, judge_comparison, needs_filling, sentence_of
from ._notes import Note, lines_of
from ._sentence import deciding

EXIT_CODES = {"passed": 0, "worse": 1, "unknown": 2}


class ComparedRun(NamedTuple):
    """A run beside its baseline, and what the gate finds."""

    comparison: Comparison
    judged: Findings
    notes: List[Note]


def compare(
    client: Client,
    baseline: Baseline,
    run_id: str,
    summary: Dict[str, Any],
    limits: Limits,
    link: str,
) -> Union[ComparedRun, str]:
    """The comparison; a sentence where there is nothing that both runs have."""
    body = {
        "baselineRunId": baseline.run_id,
        "candidateRunId": run_id,
        "calibrateWith": "people",
    }
    filled = None
    try:
        compared = client.request("POST", "/comparisons", body)
        if needs_filling(compared, limits):
            body["unknownScores"] = "against_candidate"
            filled = client.request("POST", "/comparisons", body)
    except RequestFailure as error:
        if error.status == 400:
            return error.reason
        raise
    metrics = compared["metrics"]
    if not metrics:
        return "The runs have no metric in common."
    judged = judge_comparison(compared, filled, summary, limits)
    notes = [Note(each["message"]) for each in compared.get("warnings", [])]
    for metric in metrics:
        own = metric.get("warnings", [])
        notes.extend(Note(each["message"], metric=metric["name"]) for each in own)
    notes += _obstacle_notes(judged) + lacking_notes(judged)
    comparison = Comparison(
        baseline_run_id=baseline.run_id,
        metrics=[_verdict_of(metric) for metric in metrics],
        warnings=lines_of(notes),
        link=link,
        errors=_verdict_of(compared["errors"]),
    )
    return ComparedRun(comparison, judged, notes)


def _obstacle_notes(judged: Findings) -> List[Note]:
    """Why the gate cannot tell."""
    unknown = [finding for finding in judged.findings if finding.outcome == "unknown"]
    return [Note(text, finding.name, True) for finding in unknown for text in finding.reasons]


def lacking_notes(judged: Findings) -> List[Note]:
    return [
        Note(text, metric=finding.name) for finding in judged.findings for text in finding.lacking
    ]


def _verdict_of(metric: Dict[str, Any]) -> MetricVerdict:
    figures, decided_by = deciding(metric)
    records = metric["recordsPerTestcase"]
    return MetricVerdict(
        name=metric["name"],
        verdict=figures["verdict"],
        difference=figures["difference"],
        confidence_interval=figures["confidenceInterval"],
        adjusted_p_value=figures["adjustedPValue"],
        baseline_mean=metric["baselineMean"],
        candidate_mean=metric["candidateMean"],
        sentence=sentence_of(metric),
        paired=metric["paired"],
        decided_by=decided_by,
        lower_is_better=metric.get("lowerIsBetter", False),
        records_per_testcase=(records["baseline"], records["candidate"]),
    )


def conclude(judged: Findings, alone: Optional[str] = None) -> Tuple[str, int, str]:
    """Outcome, exit code and reason; `alone` is what to say of a run that nothing is compared with."""
    outcome, findings = judged.outcome, judged.findings
    code = EXIT_CODES[outcome]
    if outcome != "passed":
        told = [each for each in [*findings, judged.errors] if each.outcome == outcome]
        reason = " ".join(f"{quoted(each.name)}: {_joined(each.reasons)}" for each in told)
        return outcome, code, reason or "There is nothing to compare."
    if alone is not None:
        return outcome, code, alone
    count = len(findings)
    verdicts = [deciding(each.metric)[0]["verdict"] for each in findings if each.metric]
    metrics = "metric" if count == 1 else "metrics"
    better = verdicts.count("better")
    return outcome, code, f"Not worse: {better} of {count} {metrics} better, {count - better} undecided."


def _joined(reasons: List[str]) -> str:
    """A reason begins as the part of a line; beside others it is a sentence."""
    return " ".join([*reasons[:1], *(each[:1].upper() + each[1:] for each in reasons[1:])])

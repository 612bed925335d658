"""The comparison with the baseline, and what it comes to."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from ._client import Client
from ._errors import AssayError, RequestFailure, quoted
from ._evaluation import Comparison, MetricVerdict
from ._notes import Note, lines_of
from ._preparation import read_run
from ._sentence import deciding, verdict_sentence

#: Differences of means are sums of fractions: 0.7 - 0.8 comes out a little below -0.1.
ROUNDING = 1e-9
CANDIDATE = "this run"
EVERY_CALL_FAILED = "Every call of the system failed."

NO_BASELINE = (
    "There is nothing to compare with: the testset has no baseline, and no other run of the "
    "production version is completed. Make a run the baseline of the testset, in the console."
)


class Baseline(NamedTuple):
    """The run to compare with, and why it is that one."""

    run_id: str
    description: str


def find_baseline(
    client: Client,
    project_id: str,
    testset: Dict[str, Any],
    named: Optional[str],
    production_version_id: Optional[str],
    is_gate: bool,
    candidate: Dict[str, Any],
    told: List[str],
) -> Optional[Baseline]:
    """The run that is named, else the testset's baseline, else the newest of production.

    `candidate` is the new run, as the server's search for the newest run takes it; `told` gets
    sentences on runs that were passed over, and why the run that was chosen would be. Where no system is known, it is the newest completed run on the testset; not for a gate, since
    small losses from run to run would pass it one by one.
    """
    if named is not None:
        run = read_run(client, named)
        if run is None or run["testsetId"] != testset["id"]:
            raise AssayError(f"The baseline {named} is not a run of this testset.")
        return _chosen(client, project_id, run, _run_name(run), candidate, told)
    baseline_id = testset.get("baselineRunId")
    if baseline_id is not None and baseline_id != candidate.get("runId"):
        run = read_run(client, baseline_id)
        if run is not None:
            description = f"{_run_name(run)}, the baseline of the testset"
            return _chosen(client, project_id, run, description, candidate, told)
    if production_version_id is None and is_gate:
        return None
    of = "on this testset" if production_version_id is None else "of the production version"
    system = {} if production_version_id is None else {"systemVersionId": production_version_id}
    body = {"testsetId": testset["id"], **system, "candidate": candidate}
    found = client.request("POST", f"/projects/{project_id}/runs/newest", body)
    told.extend(each["message"] for each in found["passedOver"])
    run = found["run"]
    if run is None:
        return None
    return Baseline(run["id"], f"{_run_name(run)}, the newest completed run {of}")


def _chosen(
    client: Client,
    project_id: str,
    run: Dict[str, Any],
    description: str,
    candidate: Dict[str, Any],
    told: List[str],
) -> Baseline:
    """A run that is taken in any case, with a warning where a search would pass it over."""
    body = {"runId": run["id"], "candidate": candidate}
    warning = client.request("POST", f"/projects/{project_id}/runs/newest", body).get("warning")
    if warning:
        told.append(warning["message"])
    return Baseline(run["id"], description)


def _run_name(run: Dict[str, Any]) -> str:
    return f"run {quoted(run['name'])}" if run.get("name") else f"run {run['id']}"


def compare(client: Client, baseline: Baseline, run_id: str, link: str) -> Union[Comparison, str]:
    """The comparison; a sentence where there is nothing that both runs have."""
    try:
        compared = client.request(
            "POST",
            "/comparisons",
            {
                "baselineRunId": baseline.run_id,
                "candidateRunId": run_id,
                "calibrateWith": "people",
            },
        )
    except RequestFailure as error:
        if error.status == 400:
            return error.reason
        raise
    metrics = compared["metrics"]
    if not metrics:
        return "The runs have no metric in common."
    notes = [Note(each["message"]) for each in compared.get("warnings", [])]
    for metric in metrics:
        own = metric.get("warnings", [])
        notes.extend(Note(each["message"], metric=metric["name"]) for each in own)
    return Comparison(
        baseline_run_id=baseline.run_id,
        metrics=[_verdict_of(metric) for metric in metrics],
        warnings=lines_of(notes),
        link=link,
        errors=_verdict_of(compared["errors"]) if "errors" in compared else None,
    )


def _verdict_of(metric: Dict[str, Any]) -> MetricVerdict:
    figures, decided_by = deciding(metric)
    return MetricVerdict(
        name=metric["name"],
        verdict=figures["verdict"],
        difference=figures["difference"],
        confidence_interval=figures["confidenceInterval"],
        adjusted_p_value=figures["adjustedPValue"],
        baseline_mean=metric["baselineMean"],
        candidate_mean=metric["candidateMean"],
        sentence=verdict_sentence(metric, CANDIDATE),
        paired=metric["paired"],
        decided_by=decided_by,
        lower_is_better=metric.get("lowerIsBetter", False),
    )


def loss_of(lower_is_better: bool, difference: float) -> float:
    """How much worse a difference is: less where more is better, more where less is.

    Both languages are held by `shared/comparison/test/losses.json`.
    """
    return difference if lower_is_better else -difference


def conclude(
    comparison: Union[Comparison, str], gate: Optional[Dict[str, Any]]
) -> Tuple[str, int, str]:
    """Outcome, exit code and reason: worse where a metric is, or errors are; unknown where a metric
    is not told.
    """
    if isinstance(comparison, str):
        return "unknown", 2, comparison
    limit = (gate or {}).get("max_regression")
    worse = []
    for metric in comparison.metrics:
        name = quoted(metric.name)
        if metric.verdict == "worse":
            worse.append(f"{name}: {metric.sentence}")
        elif limit is not None and metric.difference is not None:
            loss = loss_of(metric.lower_is_better, metric.difference)
            if loss > limit + ROUNDING:
                direction = "higher" if metric.difference > 0 else "lower"
                worse.append(
                    f"{name} is {loss:.6g} {direction}, and max_regression allows {limit}. "
                    f"{metric.sentence}"
                )
    if comparison.errors is not None and comparison.errors.verdict == "worse":
        worse.append(f'"errors": {comparison.errors.sentence}')
    if worse:
        return "worse", 1, " ".join(worse)
    unknown = [each for each in comparison.metrics if each.adjusted_p_value is None]
    if unknown:
        return "unknown", 2, " ".join(f"{quoted(each.name)}: {each.sentence}" for each in unknown)
    count = len(comparison.metrics)
    better = sum(each.verdict == "better" for each in comparison.metrics)
    metrics = "metric" if count == 1 else "metrics"
    return "passed", 0, f"Not worse: {better} of {count} {metrics} better, none worse."


def conclude_errors(
    conclusion: Tuple[str, int, str], every_call_failed: bool
) -> Tuple[str, int, str]:
    """Where every call failed, nothing is known of the system, unless a gate fails by it."""
    if not every_call_failed:
        return conclusion
    outcome, exit_code, reason = conclusion
    if outcome != "worse":
        outcome, exit_code = "unknown", 2
    return outcome, exit_code, f"{EVERY_CALL_FAILED} {reason}"

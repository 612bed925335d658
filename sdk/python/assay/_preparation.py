"""Finds everything by name, before anything is made."""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._client import Client
from ._environment import git_labels, variable
from ._errors import AssayError, RequestFailure, quoted
from ._lookup import choose
from ._given_rows import GivenRows
from ._own_testcases import OwnTestcases, plan_own_testcases, store_own_testcases
from ._scorers import Scorers, nothing_scores_sentence
from ._targets import create_project, find_targets

DEFAULT_SYSTEM = "Default system"
HOW_TO_MAKE_SYSTEM = 'To make it, give `config`, too, such as {"model": "small-1"}.'


@dataclass
class Preparation:
    project: Dict[str, Any]
    testset: Dict[str, Any]
    metric_ids: List[str]
    #: The metrics of own scorers that the project has already, by name.
    own_metrics: Dict[str, Dict[str, Any]]
    system_version_id: Optional[str]
    #: Of the system under test, before this evaluation.
    production_version_id: Optional[str]
    labels: Dict[str, str]
    #: The run to complete.
    resumed: Optional[Dict[str, Any]]
    #: The testcases that the evaluation brings.
    own: Optional[OwnTestcases]


def prepare(
    client: Client,
    project_name: str,
    options: Dict[str, Any],
    scorers: Scorers,
    rows: Optional[GivenRows],
) -> Preparation:
    """`rows` are those of `testcases`."""
    project, testset = find_targets(client, project_name, options)
    metrics = list(client.list(f"/projects/{project['id']}/metrics")) if project else []
    metric_ids = [choose(metrics, "metric", wanted)["id"] for wanted in options["metrics"] or []]
    own_metrics = _find_own_metrics(metrics, scorers)
    resumed = _find_resumed(client, options["resume"], testset)
    if resumed is None and options["metrics"] is None and not scorers.names:
        raise AssayError(nothing_scores_sentence(*[metric["name"] for metric in metrics[:1]]))
    planned = None if rows is None else plan_own_testcases(rows, testset, options)
    if project is None:
        project = create_project(client, project_name)
    path = f"/projects/{project['id']}"
    if resumed is None:
        version_id, production_id = _upsert_version(client, path, options)
    else:
        version_id, production_id = None, _production_of(client, path, resumed)
    own = None
    if planned is not None:
        own = store_own_testcases(client, project["id"], testset, planned, options)
        own.notes[:0] = rows.notes
    return Preparation(
        project=project,
        testset=own.testset if own else testset,
        metric_ids=list(dict.fromkeys(metric_ids)),
        own_metrics=own_metrics,
        system_version_id=version_id,
        production_version_id=production_id,
        labels={**git_labels(), **(options["labels"] or {})},
        resumed=resumed,
        own=own,
    )


def _find_own_metrics(metrics: List[Dict[str, Any]], scorers: Scorers) -> Dict[str, Dict[str, Any]]:
    """The metrics that own scorers score: heuristic ones that nothing else scores."""
    found = {}
    for name in scorers.names:
        items = [metric for metric in metrics if metric["name"] == name]
        if not items:
            continue
        metric = choose(items, "metric", name)
        if metric["evalType"] != "heuristic" or metric.get("builtin") or metric.get("code"):
            heuristic = "its code" if metric.get("code") else "a built-in evaluator"
            by = {"ai": "a judge", "human": "people"}.get(metric["evalType"], heuristic)
            raise AssayError(
                f"The metric {quoted(name)} is scored by {by}: "
                "give the scorer in `scores` another name."
            )
        found[name] = metric
        scorers.set_metric(name, metric)
    return found


def _find_resumed(
    client: Client, given: Optional[str], testset: Optional[Dict[str, Any]]
) -> Optional[Dict[str, Any]]:
    run_id = given or variable("ASSAY_RESUME")
    if run_id is None:
        return None
    run = read_run(client, run_id)
    if run is None:
        raise AssayError(
            f"There is no run {run_id} to resume: it was deleted, or is of another organization."
        )
    if testset is not None and run["testsetId"] == testset["id"]:
        return run
    # A script with several evaluations resumes the one that the run is of.
    if given is None:
        return None
    raise AssayError(f"The run {run_id} cannot be resumed here: it is not of this testset.")


def read_run(client: Client, run_id: str) -> Optional[Dict[str, Any]]:
    try:
        return client.request("GET", f"/runs/{urllib.parse.quote(run_id, safe='')}")
    except RequestFailure as error:
        if error.code == "NOT_FOUND":
            return None
        raise


def _upsert_version(client: Client, path: str, options: Dict[str, Any]):
    """Finds the system, and upserts its version.

    Production does not move, but for a new system, whose first version it is.
    """
    config, system_name, version_name = (
        options["config"],
        options["system_name"],
        options["version_name"],
    )
    systems = list(client.list(f"{path}/systems"))
    system = _choose_system(systems, system_name, config is not None)
    production_id = system["productionVersion"]["id"] if system else None
    if config is None:
        return None, production_id
    if system is None:
        body = {"name": system_name or DEFAULT_SYSTEM, "config": config}
        system = client.create_once(f"{path}/systems", body)
    # Of a new system, too: another evaluation may have made it at this moment, with its own config.
    version = {"config": config, **({} if version_name is None else {"name": version_name})}
    made = client.request("POST", f"/systems/{system['id']}/versions", version)
    return made["id"], system["productionVersion"]["id"]


def _choose_system(
    systems: List[Dict[str, Any]], wanted: Optional[str], is_made: bool
) -> Optional[Dict[str, Any]]:
    """The system that is named, else the only one, else the one by default; None: to be made."""
    if wanted is None:
        if len(systems) == 1:
            return systems[0]
        return next((each for each in systems if each["name"] == DEFAULT_SYSTEM), None)
    if is_made:
        return next((each for each in systems if wanted in (each["id"], each["name"])), None)
    return choose(systems, "system", wanted, HOW_TO_MAKE_SYSTEM)


def _production_of(client: Client, path: str, run: Dict[str, Any]) -> Optional[str]:
    for system in client.list(f"{path}/systems"):
        if any(version["id"] == run["systemVersionId"] for version in system["versions"]):
            return system["productionVersion"]["id"]
    return None

"""Finds the run that a new one is compared with."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

from ._baseline_forms import near_forms
from ._client import Client
from ._errors import AssayError, quoted
from ._lookup import did_you_mean, named_item, near_names, unknown_name
from ._preparation import Preparation, read_run

NO_BASELINE = (
    "There is nothing to compare with: the testset has no baseline, and no other run of the "
    "production version is completed. Make a run the baseline of the testset, in the console."
)

#: Runs that are looked at for names like the wanted one.
RECENT_MAX = 100
#: Sentences on runs that were passed over, where none was taken.
PASSED_OVER_SHOWN = 3


class Baseline(NamedTuple):
    """The run to compare with, and why it is that one."""

    run_id: str
    description: str
    metric_ids: List[str]


class NoBaselineYet(NamedTuple):
    """The sentence why there is nothing to compare with.

    Not a first run is one of several on the testset of which none is made the baseline.
    """

    reason: str
    is_first: bool = True


class Search(NamedTuple):
    client: Client
    prepared: Preparation
    own_run_id: Optional[str]
    #: The new run, as the server's search for the newest run takes it.
    candidate: Dict[str, Any]
    #: Gets sentences on runs that were passed over, and why the run that was chosen would be.
    told: List[str]

    def runs(self, **query: Any) -> Iterable[Dict[str, Any]]:
        path = f"/projects/{self.prepared.project['id']}/runs"
        return self.client.list(path, **query)

    def newest(self, **wanted: str) -> Tuple[Optional[Dict[str, Any]], List[str]]:
        """The newest completed run that can be compared, and a sentence on each passed over."""
        body = {"testsetId": self.prepared.testset["id"], **wanted, "candidate": self.candidate}
        found = self._ask_newest(body)
        return found["run"], [each["message"] for each in found["passedOver"]]

    def chosen(self, run: Dict[str, Any], why: Optional[str] = None) -> Baseline:
        """A run that is taken in any case, with a warning where a search would pass it over."""
        warning = self._ask_newest({"runId": run["id"], "candidate": self.candidate}).get("warning")
        if warning:
            self.told.append(warning["message"])
        return _baseline_of(run, why)

    def _ask_newest(self, body: Dict[str, Any]) -> Dict[str, Any]:
        path = f"/projects/{self.prepared.project['id']}/runs/newest"
        return self.client.request("POST", path, body)

    def recent(self, **query: Any) -> List[Dict[str, Any]]:
        return [run for run, _ in zip(self.runs(**query), range(RECENT_MAX))]


def find_baseline(
    search: Search, named: Optional[str], is_gate: bool
) -> Union[Baseline, NoBaselineYet]:
    """The run that is named, else the testset's baseline, else the newest of production.

    Where no system is known, it is the newest completed run on the testset; not for a gate, since
    small losses from run to run would pass it one by one.
    """
    if named is not None:
        return _find_named(search, named)
    prepared = search.prepared
    of_testset = _of_testset(search)
    if of_testset is not None:
        return of_testset
    production_id = prepared.production_version_id
    system = {} if production_id is None else {"systemVersionId": production_id}
    run, passed_over = search.newest(**system)
    if run is not None and production_id is None and is_gate:
        return NoBaselineYet(NO_BASELINE, is_first=False)
    search.told.extend(passed_over)
    if run is None:
        return NoBaselineYet(NO_BASELINE, is_first=not passed_over)
    whose = "on this testset" if production_id is None else "of the production version"
    return _baseline_of(run, f"the newest completed run {whose}")


def _of_testset(search: Search) -> Optional[Baseline]:
    baseline_id = search.prepared.testset.get("baselineRunId")
    if baseline_id is None or baseline_id == search.own_run_id:
        return None
    run = read_run(search.client, baseline_id)
    return None if run is None else search.chosen(run, "the baseline of the testset")


def _find_named(search: Search, named: str) -> Union[Baseline, NoBaselineYet]:
    form = re.fullmatch(r"(branch|latest):(.*)", named, re.DOTALL)
    if form:
        return _find_newest(search, form[1], form[2])
    if named == "production":
        return _find_production(search)
    if named == "baseline":
        name = quoted(search.prepared.testset["name"])
        none = f"The testset {name} has no baseline: make a run its baseline in the console."
        return _of_testset(search) or NoBaselineYet(none)
    run = _run_named(search, named)
    if isinstance(run, NoBaselineYet):
        return run
    if run["testsetId"] != search.prepared.testset["id"]:
        raise AssayError(f"The baseline {named} is not a run of this testset.")
    return search.chosen(run)


def _run_named(search: Search, named: str) -> Union[Dict[str, Any], NoBaselineYet]:
    """The run of this id or name; an AssayError where the name is near to another."""
    if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", named, re.IGNORECASE):
        run = read_run(search.client, named)
        if run is None:
            raise AssayError(
                f"There is no run {named}: it was deleted, or is of another organization."
            )
        return run
    found = named_item(search.runs(name=named), "run", named)
    if found is not None:
        return found
    recent = search.recent()
    sentence, near = unknown_name("run", named, [run["name"] for run in recent if run.get("name")])
    if near:
        raise AssayError(sentence)
    branches = near_names(named, _branches_of(recent))
    if branches:
        like = did_you_mean([f"branch:{branch}" for branch in branches])
        raise AssayError(f"There is no run {quoted(named)}. {like}")
    forms = near_forms(named)
    if forms:
        raise AssayError(f"There is no run {quoted(named)}. {did_you_mean(forms)}")
    return NoBaselineYet(sentence)


def _find_newest(search: Search, kind: str, name: str) -> Union[Baseline, NoBaselineYet]:
    if name == "":
        raise AssayError(
            f'"{kind}:" has no name: is the variable set that it comes from?'
        )
    is_branch = kind == "branch"
    label = f"branch:{name}"
    run = _newest_comparable(search, {"label": label} if is_branch else {"name": name})
    if run is not None:
        return _baseline_of(run)
    called = f"with the label {quoted(label)}" if is_branch else f"that is called {quoted(name)}"
    testset = search.prepared.testset
    none = f"No other run {called} is completed on the testset {quoted(testset['name'])}."
    recent = search.recent(testsetId=testset["id"])
    others = [run for run in recent if run["id"] != search.own_run_id]
    names = _branches_of(others) if is_branch else [run["name"] for run in others if run.get("name")]
    near = [other for other in near_names(name, names) if other != name]
    if near:
        raise AssayError(f"{none} {did_you_mean([f'{kind}:{other}' for other in near])}")
    if name in names:
        raise AssayError(f"{none} Wait for it, or give the id of a run.")
    return NoBaselineYet(none)


def _newest_comparable(search: Search, wanted: Dict[str, str]) -> Optional[Dict[str, Any]]:
    """An AssayError where there are such runs, and all were passed over."""
    run, passed_over = search.newest(**wanted)
    if run is None and passed_over:
        why = " ".join(passed_over[:PASSED_OVER_SHOWN])
        raise AssayError(f"No run was found that can be compared with the candidate. {why}")
    search.told.extend(passed_over)
    return run


def _find_production(search: Search) -> Union[Baseline, NoBaselineYet]:
    production_id = search.prepared.production_version_id
    if production_id is None:
        systems = list(search.client.list(f"/projects/{search.prepared.project['id']}/systems"))
        if systems:
            raise AssayError(
                f"The project has {len(systems)} systems: say by `system_name` whose production "
                "version the baseline is, or give the id of a run."
            )
        return NoBaselineYet("There is no system, so that there is no production version.")
    run = _newest_comparable(search, {"systemVersionId": production_id})
    if run is None:
        name = quoted(search.prepared.testset["name"])
        none = f"No other run of the production version is completed on the testset {name}."
        return NoBaselineYet(none)
    return _baseline_of(run)


def _branches_of(runs: List[Dict[str, Any]]) -> List[str]:
    labels = [run.get("labels") or {} for run in runs]
    return list(dict.fromkeys(each["branch"] for each in labels if "branch" in each))


def _baseline_of(run: Dict[str, Any], why: Optional[str] = None) -> Baseline:
    name = f"run {quoted(run['name'])}" if run.get("name") else f"run {run['id']}"
    description = name if why is None else f"{name}, {why}"
    return Baseline(run["id"], description, run["metricIds"])

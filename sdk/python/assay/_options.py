"""The options of an evaluation: their defaults and bounds."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Tuple

from ._conversion import json_fault
from ._environment import variable
from ._errors import AssayError, quoted
from ._gate import is_allowance, is_share
from ._option_shapes import are_texts, check_shapes, is_number
from ._scorer_arguments import check_parameters
from ._scorer_metric import ScaledScorer

BASELINE_FORMS = (
    "an id, a name, branch:NAME, latest:NAME, production, or baseline (the testset's own)"
)

DEFAULTS: Dict[str, Any] = {
    "testset": None,
    "metrics": None,
    "scores": None,
    "config": None,
    "system_name": None,
    "version_name": None,
    "name": None,
    "labels": None,
    "trials": 1,
    "limit": None,
    "sample": None,
    "seed": 1,
    "where": None,
    "keys": None,
    "concurrency": 8,
    "timeout_ms": 120_000,
    "retries": 3,
    "rate_limit": None,
    "budget_usd": None,
    "baseline": None,
    "gate": None,
    "set_baseline": False,
    "promote": False,
    "resume": None,
    "retry_errors": False,
    "url": None,
    "api_key": None,
    "patience_ms": 120_000,
    "quiet": False,
    "local": False,
    "testcases": None,
    "key": None,
    "sync": False,
    "create_project": False,
}

_SHARE = 'a share from 0 to 1 such as 0.9, or a percentage such as "90%"'
_ALLOWANCE = 'a count such as 3, or a percentage such as "5%"'

#: The limits of a gate, each with what it must be.
_LIMITS: Dict[str, Tuple[Callable[[Any], bool], str]] = {
    "max_regression": (lambda value: is_number(value, 0, math.inf), "a number of at least 0"),
    "min_pass_rate": (is_share, _SHARE),
    "min_passes": (
        lambda value: isinstance(value, int) and is_number(value, 1, 100),
        "a whole number from 1 to 100",
    ),
    "max_errors": (is_allowance, _ALLOWANCE),
    "allow_missing": (is_allowance, _ALLOWANCE),
}


def _check_gate(gate: Any) -> None:
    if not isinstance(gate, dict):
        raise AssayError('`gate` must be a dict, such as {"max_regression": 0.02}.')
    for name, value in gate.items():
        if name not in _LIMITS:
            known = ", ".join(map(repr, _LIMITS))
            raise AssayError(f"`gate` has no {name!r}; there is {known}.")
        is_fitting, what = _LIMITS[name]
        if value is not None and not is_fitting(value):
            raise AssayError(f"`{name}` of `gate` must be {what}.")
    if gate.get("min_passes") is not None and gate.get("min_pass_rate") is None:
        raise AssayError(
            "`min_passes` of `gate` says what passes for `min_pass_rate`: give that, too."
        )


def _check_passes(options: Dict[str, Any]) -> None:
    passes, trials = options["gate"].get("min_passes") or 1, options["trials"] or 1
    # A run that is completed has repeats of its own.
    if passes <= trials or options["resume"] or variable("ASSAY_RESUME"):
        return
    records = "record" if trials == 1 else "records"
    raise AssayError(
        f"`min_passes` of `gate` is {passes}, and a testcase has {trials} {records}: "
        "no testcase could pass. Raise `trials`."
    )


def _check_names(metrics: Any, baseline: Any) -> None:
    if metrics is not None and not are_texts(metrics):
        raise AssayError(
            '`metrics` must be a list of names or ids, such as ["Correct answer"].'
        )
    if baseline is not None and (not isinstance(baseline, str) or not baseline.strip()):
        raise AssayError(f"`baseline` must be {BASELINE_FORMS}.")


def _check_values(options: Dict[str, Any]) -> None:
    """Those that are data, which becomes JSON by the rule of a system's answers."""
    for name in ("config", "where"):
        fault = json_fault(options[name])
        if fault is not None:
            raise AssayError(f"`{name}` must be data that JSON can say. {fault}")
    if options["version_name"] is not None and options["config"] is None:
        raise AssayError("`version_name` names the version of `config`: give that, too.")


def check_options(project: Any, system: Any, options: Dict[str, Any]) -> None:
    """Refuses options that are no such thing, so that a slip is not an evaluation of else."""
    if not isinstance(project, str):
        raise AssayError("The first argument must be the name or the id of a project.")
    if not callable(system):
        raise AssayError(
            "`system` must be a function that gets the inputs of a testcase and returns its outputs, "
            "such as system=lambda inputs: {\"answer\": inputs[\"question\"]}."
        )
    check_shapes(options, DEFAULTS)
    if options["limit"] is not None and options["sample"] is not None:
        raise AssayError("`limit` and `sample` exclude each other: give one of them.")
    _check_part(options)
    for name, scorer in (options["scores"] or {}).items():
        if not callable(scorer):
            raise AssayError(f'The scorer "{name}" of `scores` must be a function.')
        function = scorer.function if isinstance(scorer, ScaledScorer) else scorer
        check_parameters(f"The scorer {quoted(name)} of `scores`", function)
    if options["gate"] is not None:
        _check_gate(options["gate"])
        _check_passes(options)
    if not options["local"]:
        _check_names(options["metrics"], options["baseline"])
    _check_values(options)
    _check_own_testcases(options)
    if options["local"]:
        if not isinstance(options["metrics"], (list, tuple, type(None))):
            raise AssayError("`metrics` of a local evaluation must be a list of metrics.")
        if options["testcases"] is None:
            raise AssayError("A local evaluation needs `testcases`: rows, or a file.")
    elif not isinstance(options["testset"], str):
        raise AssayError("`testset` must be the name or the id of a testset.")


def _check_own_testcases(options: Dict[str, Any]) -> None:
    key, sync = options["key"], options["sync"]
    if options["local"] and (key is not None or sync or options["create_project"]):
        raise AssayError("`key`, `sync` and `create_project` need a server.")
    if options["testcases"] is None and (key is not None or sync):
        name = "sync" if sync else "key"
        raise AssayError(f"`{name}` is about `testcases`: give these, too.")


def _check_part(options: Dict[str, Any]) -> None:
    where, keys = options["where"], options["keys"]
    if options["local"] and (where is not None or keys is not None):
        raise AssayError("`where` and `keys` need a testset on a server.")
    if options["local"] and (options["set_baseline"] or options["promote"]):
        raise AssayError("`set_baseline` and `promote` need a server.")
    is_numbered = options["limit"] is not None or options["sample"] is not None
    if is_numbered and (where is not None or keys is not None):
        raise AssayError(
            "`where` and `keys` say which testcases are meant: leave out `limit` and `sample`."
        )
    has_part = is_numbered or where is not None or keys is not None
    if options["set_baseline"] and has_part:
        raise AssayError(
            "`set_baseline` needs all of the testset: leave out `limit`, `sample`, `where` and `keys`."
        )
    if options["retry_errors"] and not (options["resume"] or variable("ASSAY_RESUME")):
        raise AssayError("`retry_errors` needs a run to complete: give its id as `resume`.")

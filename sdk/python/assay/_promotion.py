"""What takes the place of the baseline and of the production version."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ._client import Client
from ._errors import AssayError, quoted
from ._notes import Note
from ._own_testcases import OwnTestcases
from ._run_part import part_of_run


def check_promotion(
    options: Dict[str, Any],
    version_id: Optional[str],
    resumed: Optional[Dict[str, Any]],
    own: Optional[OwnTestcases],
) -> None:
    """Raises an AssayError where the run that is asked for could take no place."""
    if options["promote"] and not (resumed["systemVersionId"] if resumed else version_id):
        raise AssayError(
            "`promote` makes a version the production version, and this run has none: give `config`."
        )
    if options["set_baseline"] and own and (own.choice["keys"] or own.choice["where"]):
        raise AssayError(
            "`set_baseline` needs all of the testset, and `testcases` are a part of it: "
            "give all of them, or `sync=True`."
        )
    part = part_of_run(resumed) if resumed else None
    if options["set_baseline"] and part is not None:
        raise AssayError(
            f"`set_baseline` needs all of the testset, and the run to complete is {part}."
        )


def promote(client: Client, run: Dict[str, Any], options: Dict[str, Any], outcome: str) -> List[Note]:
    """Makes the run the baseline, and its version the production version, where that is asked for.

    Only where the result passed. Returns what is so now, as notes.
    """
    is_passed = outcome == "passed"
    texts = []
    if options["set_baseline"]:
        texts.append(_set_baseline(client, run) if is_passed else _kept("baseline"))
    if options["promote"]:
        texts.append(_promote_version(client, run) if is_passed else _kept("production version"))
    return [Note(text, is_main=True) for text in texts]


def _kept(what: str) -> str:
    return f"The {what} stays as it was: only a result that passes takes its place."


def _set_baseline(client: Client, run: Dict[str, Any]) -> str:
    path = f"/testsets/{run['testsetId']}/baseline"
    testset = client.request("PUT", path, {"runId": run["id"]})
    return f"The run is the baseline of {quoted(testset['name'])} now."


def _promote_version(client: Client, run: Dict[str, Any]) -> str:
    body = {"productionVersionId": run["systemVersionId"]}
    system = client.request("PATCH", f"/systems/{run['systemId']}", body)
    version = quoted(system["productionVersion"]["name"])
    return f"{version} is the production version of {quoted(system['name'])} now."

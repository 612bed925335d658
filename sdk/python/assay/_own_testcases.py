"""Testcases that an evaluation brings: stores them in their testset, and chooses among them."""

from __future__ import annotations

import time
import urllib.parse
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._client import Client
from ._errors import AssayError, quoted
from ._exact_numbers import write_json
from ._given_rows import GivenRows
from ._notes import Note
from ._testcase_rows import TestcaseRows, testcases_of_rows
from ._testcases import choose_testcases

LINES_MAX = 1_000
CHARACTERS_MAX = 4 * 1024 * 1024
#: A body that the service ended, because it could not store the rest, is sent again so often.
ATTEMPTS_MAX = 5


@dataclass
class OwnTestcases:
    """Testcases that are stored in their testset."""

    testset: Dict[str, Any]
    #: The options that choose those of the testset that the run is over.
    choice: Dict[str, Any]
    notes: List[Note]


def plan_own_testcases(
    given: GivenRows, testset: Optional[Dict[str, Any]], options: Dict[str, Any]
) -> TestcaseRows:
    """An AssayError for rows that are no testcases of this testset, or have one key."""
    planned = testcases_of_rows(given.rows, testset, options["key"])
    known = {testcase["key"] for testcase in planned.testcases}
    for key in options["keys"] or []:
        if key not in known:
            raise AssayError(
                f"No row of `testcases` has the key {quoted(key)}, which `keys` names."
            )
    return planned


def store_own_testcases(
    client: Client,
    project_id: str,
    known: Optional[Dict[str, Any]],
    planned: TestcaseRows,
    options: Dict[str, Any],
) -> OwnTestcases:
    """Makes the testset, or brings it up to the testcases by their keys."""
    if known is None:
        path = f"/projects/{project_id}/testsets"
        body = _testset_body(options, planned)
        known = client.create_once(path, body)
    testset, changes = _with_new_fields(client, known, planned)
    upload = _Upload(client, testset)
    upload.send(planned.testcases, options["sync"])
    count = len(planned.testcases)
    is_whole = options["sync"] and not upload.warning
    has_others = not is_whole and _count_up_to(client, testset["id"], count + 1) > count
    notes = [*planned.renamed, *changes, *upload.changes()]
    choice = _choice_of(planned, upload.ids, options, not has_others)
    return OwnTestcases(testset, choice, [Note(text) for text in notes])


def _testset_body(options: Dict[str, Any], planned: TestcaseRows) -> Dict[str, Any]:
    mapping = planned.field_mapping
    return {
        "name": options["testset"],
        "description": "Made by an evaluation, of its own testcases.",
        "jsonSchema": {
            "type": "object",
            "properties": {field: {} for fields in mapping.values() for field in fields},
        },
        "fieldMapping": mapping,
    }


def _with_new_fields(client: Client, testset: Dict[str, Any], planned: TestcaseRows):
    """Adds the inputs and expected fields that the testset lacks: it takes them for metadata."""
    mapping = testset["fieldMapping"]
    lacking = {
        role: [field for field in planned.field_mapping[role] if field not in mapping[role]]
        for role in ("inputs", "expected")
    }
    added = [*lacking["inputs"], *lacking["expected"]]
    if not added:
        return testset, []
    schema = testset["jsonSchema"]
    properties = schema.get("properties")
    own = properties if isinstance(properties, dict) else {}
    body = {
        "jsonSchema": {**schema, "properties": {**{field: {} for field in added}, **own}},
        "fieldMapping": {
            **mapping,
            **{role: [*mapping[role], *fields] for role, fields in lacking.items()},
        },
    }
    path = f"/testsets/{urllib.parse.quote(testset['id'], safe='')}"
    changed = client.request("PATCH", path, body)
    what = "the new field" if len(added) == 1 else "the new fields"
    return changed, [f"The testset has {what} {', '.join(map(quoted, added))} now."]


class _Upload:
    """Sends testcases, and counts what became of them."""

    def __init__(self, client: Client, testset: Dict[str, Any]):
        self._client = client
        self._testset = testset
        self._path = f"/testsets/{urllib.parse.quote(testset['id'], safe='')}/testcases/import"
        self._counts = {"created": 0, "updated": 0, "deleted": 0}
        self._invalid = 0
        #: Ids by keys.
        self.ids: Dict[str, str] = {}
        #: Why nothing was deleted.
        self.warning = ""

    def send(self, testcases: List[Dict[str, Any]], is_sync: bool) -> None:
        if is_sync:
            # In one request, since a sync deletes all that is not in it.
            summary = self._send(testcases, "sync")
            self._counts["deleted"] = summary["deleted"]
            self.warning = summary.get("warning", "")
            return
        batch: List[Dict[str, Any]] = []
        characters = 0
        for testcase in testcases:
            batch.append(testcase)
            characters += len(write_json(testcase))
            if len(batch) >= LINES_MAX or characters >= CHARACTERS_MAX:
                self._send(batch, "upsert")
                batch, characters = [], 0
        if batch:
            self._send(batch, "upsert")

    def _send(self, testcases: List[Dict[str, Any]], mode: str) -> Dict[str, Any]:
        lines = [write_json(testcase) for testcase in testcases]
        for attempt in range(1, ATTEMPTS_MAX + 1):
            replies, summary = self._client.import_lines(f"{self._path}?mode={mode}", lines)
            failed = next((each for each in replies if each["status"] >= 400), None)
            is_over = failed is None or not _may_pass(failed) or attempt == ATTEMPTS_MAX
            if is_over and summary is not None:
                break
            time.sleep(1)
        if failed is not None or summary is None:
            why = f"{failed['code']}: {failed['message']}" if failed else "the answer broke off."
            name = quoted(self._testset["name"])
            raise AssayError(f"A testcase of {name} was refused: {why}")
        for testcase, reply in zip(testcases, replies):
            self.ids[testcase["key"]] = reply["id"]
            self._invalid += bool(reply.get("validationErrors"))
            if reply.get("outcome") in self._counts:
                self._counts[reply["outcome"]] += 1
        return summary

    def changes(self) -> List[str]:
        """What was done, as sentences."""
        name = quoted(self._testset["name"])
        counts = [f"{count} {what}" for what, count in self._counts.items() if count > 0]
        told = [self.warning] if self.warning else []
        if counts:
            told.append(f"Testcases of {name}: {', '.join(counts)}.")
        if self._invalid > 0:
            what = "testcase of {} breaks" if self._invalid == 1 else "testcases of {} break"
            told.append(f"{self._invalid} {what.format(name)} its schema.")
        return told


def _may_pass(reply: Dict[str, Any]) -> bool:
    return reply["status"] >= 500 or reply["status"] == 429


def _choice_of(
    planned: TestcaseRows, ids: Dict[str, str], options: Dict[str, Any], is_whole: bool
) -> Dict[str, Any]:
    """The given testcases that the options mean, by their keys."""
    wanted = None if options["keys"] is None else set(options["keys"])
    given = [
        {"id": ids[testcase["key"]], "key": testcase["key"]}
        for testcase in planned.testcases
        if wanted is None or testcase["key"] in wanted
    ]
    drawn = choose_testcases(given, options["limit"], options["sample"], options["seed"])
    chosen = [testcase["key"] for testcase in drawn]
    is_all = is_whole and len(chosen) == len(planned.testcases)
    nothing = {"limit": None, "sample": None, "seed": options["seed"]}
    return {**nothing, "where": options["where"], "keys": None if is_all else chosen}


def _count_up_to(client: Client, testset_id: str, most: int) -> int:
    path = f"/testsets/{urllib.parse.quote(testset_id, safe='')}/testcases"
    count = 0
    for count, _ in enumerate(client.list(path, preview="0"), 1):
        if count == most:
            break
    return count

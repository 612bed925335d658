"""The part of a testset that a run is over: its testcases, and what is said of it."""

from __future__ import annotations

import json
import urllib.parse
from typing import Any, Dict, Iterable, Iterator, List, Optional

from ._client import Client
from ._errors import AssayError, quoted
from ._exact_numbers import write_json
from ._testcases import choose_testcases

#: Keys in one question, and their characters in its address.
KEYS_AT_ONCE = 100
KEY_CHARACTERS_AT_ONCE = 8_000
#: Keys that a run takes, and their characters.
RUN_KEYS_MAX = 1_000
RUN_KEY_CHARACTERS_MAX = 64 * 1_024
#: Ids of testcases that the search for a baseline is told.
TOLD_IDS_MAX = 10_000
KEYS_SHOWN = 3
VALUE_CHARACTERS_MAX = 40

CHOICES = ("limit", "sample", "where", "keys")


class RunPart:
    """The testcases that the options mean."""

    def __init__(self, client: Client, testset: Dict[str, Any], choice: Dict[str, Any]):
        self._client = client
        self._testset = testset
        self._choice = choice

    @property
    def has_condition(self) -> bool:
        return bool(self._choice["where"])

    def testcases(self) -> Iterator[Dict[str, Any]]:
        """As they come in."""
        for testcase in self._chosen(self._listed()):
            fields = testcase["jsonData"].items()
            known = {*testcase["inputs"], *testcase["expected"]}
            metadata = {name: value for name, value in fields if name not in known}
            yield {**testcase, "metadata": metadata}

    def testcase_ids(self) -> Optional[List[str]]:
        """The ids of the testcases, or many of them; None for the whole testset."""
        if all(self._choice[name] is None for name in CHOICES):
            return None
        ids: List[str] = []
        for testcase in self._chosen(self._listed(preview="0")):
            ids.append(testcase["id"])
            if len(ids) == TOLD_IDS_MAX:
                break
        if not ids:
            raise AssayError(self._no_testcase())
        return ids

    def _no_testcase(self) -> str:
        name, where = quoted(self._testset["name"]), self._choice["where"]
        if where is None:
            return f"The testset {name} has no testcases."
        return f"No testcase of the testset {name} meets `where`: {_json_text(where)}."

    def body(self) -> Dict[str, Any]:
        """What a new run says about its part of the testset."""
        wanted = self._choice["limit"] or self._choice["sample"]
        if wanted is not None:
            return {"numTestcases": self._count_up_to(wanted)}
        keys = self._choice["keys"]
        if keys is not None and _are_too_many(keys):
            # A run cannot name so many testcases: it only says how many.
            count = self._count_up_to(len(keys)) if self.has_condition else len(keys)
            return {"numTestcases": count}
        chosen = {"where": self._choice["where"], "keys": self._choice["keys"]}
        return {name: value for name, value in chosen.items() if value is not None}

    def _chosen(self, testcases: Iterable[Dict[str, Any]]) -> Iterator[Dict[str, Any]]:
        own = self._choice
        return choose_testcases(testcases, own["limit"], own["sample"], own["seed"])

    def _listed(self, **query: Any) -> Iterator[Dict[str, Any]]:
        path = f"/testsets/{urllib.parse.quote(self._testset['id'], safe='')}/testcases"
        where, keys = self._choice["where"], self._choice["keys"]
        wanted = {**query, **({} if where is None else {"where": write_json(where)})}
        if keys is None:
            yield from self._client.list(path, **wanted)
            return
        for some in _batches_of(keys):
            self._check_keys(path, some)
            yield from self._client.list(path, key=some, **wanted)

    def _check_keys(self, path: str, keys: List[str]) -> None:
        known = {each.get("key") for each in self._client.list(path, key=keys, preview="0")}
        for key in keys:
            if key not in known:
                raise AssayError(
                    f"The testset {quoted(self._testset['name'])} "
                    f"has no testcase with the key {quoted(key)}."
                )

    def _count_up_to(self, wanted: int) -> int:
        count = 0
        for count, _ in enumerate(self._listed(preview="0"), 1):
            if count == wanted:
                break
        return count


def _batches_of(keys: List[str]) -> Iterator[List[str]]:
    """The keys, in lists that the address of a question has room for."""
    batch: List[str] = []
    characters = 0
    for key in keys:
        batch.append(key)
        characters += len(urllib.parse.quote(key))
        if len(batch) >= KEYS_AT_ONCE or characters >= KEY_CHARACTERS_AT_ONCE:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _are_too_many(keys: List[str]) -> bool:
    characters = sum(len(key.encode("utf-16-le")) // 2 for key in keys)
    return len(keys) > RUN_KEYS_MAX or characters > RUN_KEY_CHARACTERS_MAX


def choice_of(options: Dict[str, Any], resumed: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """The choice of testcases; that of a run to complete, where it says which they are.

    An AssayError where only the options can say so, and do not.
    """
    choice = {name: options[name] for name in (*CHOICES, "seed")}
    count = resumed.get("numTestcases") if resumed else None
    if resumed is None or count is None:
        return choice
    if "where" in resumed or "keys" in resumed:
        return {**choice, "where": resumed.get("where"), "keys": resumed.get("keys")}
    keys = choice["keys"]
    many = len(keys) if keys is not None and _are_too_many(keys) else 0
    if many and choice["where"]:
        return choice
    given = choice["limit"] or choice["sample"] or many
    is_whole = count == resumed.get("numTestsetTestcases")
    if given == count or (is_whole and given > count):
        return choice
    raise AssayError(
        f"The run {resumed['id']} is over {count} testcases: give the `limit`, or the `sample` "
        "and `seed`, that it was begun with."
    )


def part_of_run(run: Dict[str, Any]) -> Optional[str]:
    """The part of its testset that a run is over: "on 40 of 400 testcases, lang = de".

    None for a run over all of it. The words are those of every other client of Assay.
    """
    count, total = run.get("numTestcases"), run.get("numTestsetTestcases")
    where, keys = run.get("where") or {}, run.get("keys") or []
    if count is None or (count == total and not where and not keys):
        return None
    of = "" if total is None else f" of {total:,}"
    nouns = "testcase" if total == 1 else "testcases"
    conditions = [f"{_field_name(pointer)} = {_value_text(value)}" for pointer, value in where.items()]
    return ", ".join([f"on {count:,}{of} {nouns}", *conditions, *_keys_text(keys)])


def _field_name(pointer: str) -> str:
    """The field that a JSON Pointer leads to, as people write it."""
    return pointer[1:].replace("~1", "/").replace("~0", "~")


def _value_text(value: Any) -> str:
    """Texts stand as they are, unless they would be read as another value."""
    is_plain = isinstance(value, str) and value.strip() == value and not _is_json(value)
    return _shortened(value if is_plain else _json_text(value))


def _json_text(value: Any) -> str:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text or "null", parse_constant=_refuse)
    except ValueError:
        return False
    return True


def _refuse(_: str) -> None:
    raise ValueError("no JSON")


def _keys_text(keys: List[str]) -> List[str]:
    if not keys:
        return []
    others = len(keys) - KEYS_SHOWN
    told = [_shortened(key) for key in keys[:KEYS_SHOWN]]
    if others > 0:
        told.append(f"{others:,} {'other' if others == 1 else 'others'}")
    listed = " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
    return [f"{'key' if len(keys) == 1 else 'keys'} {listed}"]


def _shortened(text: str) -> str:
    return f"{text[: VALUE_CHARACTERS_MAX - 1]}…" if len(text) > VALUE_CHARACTERS_MAX else text

"""Rows of `testcases` as the testcases of a testset: the roles of their fields, and their keys.

The rule is that of the TypeScript package; sdk/typescript/test/testcase-rows.json has examples.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from ._errors import AssayError, quoted
from ._exact_numbers import ExactNumber

ROLES = ("inputs", "expected", "metadata")
KEY_CHARACTERS_MAX = 255
#: The columns that are the key where no other is named; an export of a testset has the first.
KEY_COLUMNS = ("_key", "key")

#: Half of a pair of UTF-16, as `json.loads` leaves it.
LONE_SURROGATE = re.compile("[\ud800-\udfff]")

Row = Dict[str, Any]
#: The names of a row's fields by their roles, or the fields themselves.
Fields = Dict[str, Row]

_EXPECTED_NAMES = re.compile(
    "expected.*|ideal|ideal_answer|reference|reference_answer|reference_output|ground_truth|gold"
    "|golden|target|label|answer|answers|solution|completion|output|outputs|sql|correct",
    re.DOTALL,
)
_METADATA_NAMES = re.compile(
    "id|_id|key|index|idx|split|category|tag|tags|difficulty|source|comment|notes?|metadata"
    "|created_?at|updated_?at"
)
_WORDS = {"inputs": "an input", "expected": "an expected value", "metadata": "metadata"}


class TestcaseRows(NamedTuple):
    #: Each a `key` and its `jsonData`.
    testcases: List[Row]
    field_mapping: Dict[str, List[str]]
    #: Fields of one name in two roles: how they are stored.
    renamed: List[str]


def role_by_name(name: str) -> str:
    """The role that the name of a column suggests, as in an import."""
    plain = re.sub(r"[\s-]+", "_", name.strip().lower())
    if _EXPECTED_NAMES.fullmatch(plain):
        return "expected"
    return "metadata" if _METADATA_NAMES.fullmatch(plain) else "inputs"


def fields_of_row(
    row: Row,
    number: int,
    known: Optional[Dict[str, List[str]]] = None,
    key: Optional[str] = None,
) -> Fields:
    """The fields of a row by their roles; an AssayError for a row without inputs.

    `inputs`, `expected` and `metadata` say it themselves. A column has the role that the testset
    gives it, else the one that its name suggests.
    """
    is_told = "inputs" in row
    if is_told and not isinstance(row["inputs"], dict):
        raise AssayError(
            f"Row {number} of `testcases` must have an object as its `inputs`: "
            "give a value alone as `input`."
        )
    fields: Fields = {role: {} for role in ROLES}
    of_testset = {name: role for role in ROLES for name in (known or {}).get(role, [])}
    for name, value in row.items():
        is_key = name == "_key" or (name == "key" and key is None)
        if is_key and name not in of_testset:
            continue
        if name == "inputs":
            fields["inputs"].update(value)
        elif name == "input" and isinstance(value, dict) and not is_told:
            fields["inputs"].update(value)
        elif name in ("expected", "metadata"):
            fields[name].update(_entries_of(value, name))
        else:
            role = of_testset.get(name) or role_by_name(name)
            fields["metadata" if is_told and role == "inputs" else role][name] = value
    if not is_told and not fields["inputs"]:
        raise AssayError(
            f"Row {number} of `testcases` has no inputs: give them as `inputs`, such as "
            '{"inputs": {"question": "2 + 2"}}.'
        )
    return fields


def _entries_of(value: Any, name: str) -> Row:
    """An object's own fields; any other value under the given name, and none of None."""
    if value is None:
        return {}
    return value if isinstance(value, dict) else {name: value}


def testcases_of_rows(
    rows: List[Row], testset: Optional[Dict[str, Any]], key: Optional[str]
) -> TestcaseRows:
    """An AssayError for two rows of one key, and for a field of another role in the testset.

    The key is the column `key`, else the field `_key` or `key`, else `id` where every row has
    another one, else a hash of the inputs.
    """
    known = testset["fieldMapping"] if testset else None
    fields = [fields_of_row(row, number, known, key) for number, row in enumerate(rows, 1)]
    names = _names_of(fields, known)
    if testset:
        _check_roles(names, testset)
    keys = _keys_of(rows, fields, key)
    _check_keys(keys)
    testcases = [
        {
            "key": own,
            "jsonData": {
                names[role][name]: value for role in ROLES for name, value in each[role].items()
            },
        }
        for each, (own, _) in zip(fields, keys)
    ]
    renamed = [
        f"The field {quoted(name)} has two roles: as {role} it is {quoted(stored)}."
        for role in ROLES
        for name, stored in names[role].items()
        if name != stored
    ]
    mapping = {role: list(names[role].values()) for role in ROLES}
    return TestcaseRows(testcases, mapping, renamed)


def _names_of(
    fields: List[Fields], known: Optional[Dict[str, List[str]]]
) -> Dict[str, Dict[str, str]]:
    """Names, and those under which they are stored: a testcase has one namespace."""
    names: Dict[str, Dict[str, str]] = {
        role: {name: name for row in fields for name in row[role]} for role in ROLES
    }
    taken: Set[str] = {*(known or {}).get("inputs", []), *names["inputs"]}
    every = {name for role in ROLES for name in names[role]}
    for role in ("expected", "metadata"):
        for name in list(names[role]):
            stored, number = (f"{role}_{name}" if name in taken else name), 2
            while stored != name and stored in every:
                stored, number = f"{role}_{name}_{number}", number + 1
            names[role][name] = stored
            taken.add(stored)
            every.add(stored)
    return names


def _check_roles(names: Dict[str, Dict[str, str]], testset: Dict[str, Any]) -> None:
    mapping = testset["fieldMapping"]
    for role in ROLES:
        for name in names[role].values():
            other = next((each for each in ROLES if each != role and name in mapping[each]), None)
            if other is not None:
                raise AssayError(
                    f"The field {quoted(name)} of `testcases` is {_WORDS[role]}, and in the "
                    f"testset {quoted(testset['name'])} it is {_WORDS[other]}: give it another "
                    "name, or change its role in the testset."
                )


def _keys_of(
    rows: List[Row], fields: List[Fields], column: Optional[str]
) -> List[Tuple[str, bool]]:
    """Each key, and whether it is made of the inputs."""
    ids = [_text(row.get("id")) for row in rows]
    are_ids = None not in ids and len(set(ids)) == len(ids)
    keys = []
    for at, row in enumerate(rows):
        if column is not None:
            own: Optional[str] = _column_key(row, column, at + 1)
        else:
            found = (_key_text(row, name, at + 1) for name in KEY_COLUMNS)
            own = next((each for each in found if each is not None), None)
        if own is None and are_ids:
            own = ids[at]
        if own is None:
            keys.append((row_key(fields[at]["inputs"]), True))
            continue
        if len(own.encode("utf-16-le")) // 2 > KEY_CHARACTERS_MAX:
            raise AssayError(
                f"The key of row {at + 1} of `testcases` has more than {KEY_CHARACTERS_MAX} "
                "characters: name a shorter column as `key`."
            )
        keys.append((own, False))
    return keys


def _text(value: Any) -> Optional[str]:
    """What may be a key, as a text."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e21
    return str(int(value) if is_whole else value) or None


def _key_text(row: Row, name: str, number: int) -> Optional[str]:
    value = row.get(name)
    if value is None or value == "":
        return None
    text = _text(value)
    if text is None:
        raise AssayError(
            f"The key of row {number} of `testcases`, {quoted(name)}, must be a text or a number."
        )
    return text


def _column_key(row: Row, column: str, number: int) -> str:
    """The key in the column that is named, which may be one of the row's inputs or metadata."""
    for place in (row, row.get("inputs"), row.get("input"), row.get("metadata")):
        found = _key_text(place, column, number) if isinstance(place, dict) else None
        if found is not None:
            return found
    raise AssayError(
        f"Row {number} of `testcases` has no key: it has nothing in {quoted(column)}, "
        "which `key` names."
    )


def _check_keys(keys: List[Tuple[str, bool]]) -> None:
    seen: Dict[str, int] = {}
    for number, (key, is_of_inputs) in enumerate(keys, 1):
        first = seen.setdefault(key, number)
        if first == number:
            continue
        same = f"Rows {first} and {number} of `testcases` have the same key {quoted(key)}"
        raise AssayError(
            f"{same}, since their inputs are equal: leave one out, or name a column that tells "
            "them apart as `key`."
            if is_of_inputs
            else f"{same}: give each row a key of its own."
        )


def row_key(inputs: Row) -> str:
    """The key of a row that has none of its own."""
    return f"row:{hashlib.sha256(canonical_text(inputs).encode()).hexdigest()[:32]}"


def canonical_text(value: Any) -> str:
    """Equal for equal values, in every client of Assay: keys are sorted as UTF-16."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        members = (f"{_json(name)}:{canonical_text(value[name])}" for name in names)
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical_text, value))}]"
    if isinstance(value, (int, float, ExactNumber)) and not isinstance(value, bool):
        return _canonical_number(value)
    return _json(value)


def _json(value: Any) -> str:
    """Half of a surrogate pair is written as every client writes it: UTF-8 has no form of it."""
    text = json.dumps(value, ensure_ascii=False)
    return LONE_SURROGATE.sub(lambda half: f"\\u{ord(half.group()):04x}", text)


def _canonical_number(value: Any) -> str:
    """Its digits without zeros at the ends, and its power of ten."""
    text = value.text if isinstance(value, ExactNumber) else repr(value)
    mantissa, _, power = text.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = f"{whole}{fraction}".lstrip("0")
    short = digits.rstrip("0")
    if not short:
        return "0"
    exponent = int(power or 0) - len(fraction) + len(digits) - len(short)
    return f"{'-' if mantissa.startswith('-') else ''}{short}e{exponent}"

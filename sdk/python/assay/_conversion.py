"""What a system may return, as the JSON that a record keeps.

The rule, which docs/evaluate.md tells users:

- None, booleans, texts, whole numbers of any length and finite floats are themselves.
- Mappings become objects; a key that is no text is written as a text, and a second key of the same
  text is left out with a note. So do dataclasses, and models of pydantic and attrs.
- Lists, tuples and other sequences, sets, generators and other iterators, views of a dict, and
  arrays and tensors become lists. Sets are sorted where they can be. A table of pandas or polars is
  a list of its rows.
- Dates and times are texts by ISO 8601, durations seconds, UUIDs and paths texts, bytes Base64.
- A Decimal and a Fraction are numbers where a float holds each of their digits, else texts. An enum
  is its value.
- NaN, masked elements, infinity, and whatever is not named here become None, and the record has a note that says
  so. So does what contains itself, and what lies deeper than 200 levels.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import fractions
import io
import itertools
import math
import os
import uuid
from collections.abc import Iterator, Mapping, MappingView, Sequence, Set
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._errors import quoted, well_formed
from ._exact_numbers import NOTES_MAX, ExactNumber, pointer_to, read_json
from ._notes import Note

DEPTH_MAX = 200
_STORED_AS_NULL = "it was stored as null"
#: Some 4,200 digits: Python writes no longer ones.
INTEGER_BITS_MAX = 14_000

RecordNote = Dict[str, str]
#: The names of members, each with a function that reads it: a property may fail.
Members = List[Tuple[Any, Callable[[], Any]]]


def outputs_of(result: Any) -> Tuple[Dict[str, Any], List[RecordNote]]:
    """The outputs as they are stored, and a note for each value that could not be converted.

    A result that is no object is stored as `{"output": result}`.
    """
    conversion = _Conversion()
    try:
        is_object = _members_of(result) is not None
    except Exception:  # An object of the user may fail at anything it is asked.
        is_object = False
    outputs = conversion.convert(result if is_object else {"output": result}, ["outputs"])
    return outputs, conversion.notes


def json_of(value: Any) -> Tuple[Any, List[RecordNote]]:
    """Any value as JSON, by the same rule."""
    conversion = _Conversion()
    return conversion.convert(value, []), conversion.notes


def json_fault(value: Any) -> Optional[str]:
    """Why a value has no JSON, with the place in it; None where it has one."""
    notes = json_of(value)[1]
    if not notes:
        return None
    return f"{notes[0]['path']}: {notes[0]['message'].replace(f': {_STORED_AS_NULL}', '')}"


class ConversionLog:
    """The values of an evaluation that could not be stored, or given to the system, as they were."""

    def __init__(self) -> None:
        self._logs = [
            _Log("not_converted", "could not be stored", is_failure=True),
            _Log("holds_doubles", "could not be held by a float", is_failure=False),
        ]

    def add(self, notes: List[RecordNote]) -> None:
        for log in self._logs:
            log.add(notes)

    def notes(self) -> List[Note]:
        return [note for log in self._logs for note in log.notes()]


class _Log:
    def __init__(self, code: str, happened: str, is_failure: bool):
        self._code = code
        self._happened = happened
        self._is_failure = is_failure
        self._values = 0
        self._records = 0
        self._first: Optional[RecordNote] = None

    def add(self, notes: List[RecordNote]) -> None:
        own = [note for note in notes if note["code"] == self._code]
        self._values += len(own)
        self._records += 1 if own else 0
        self._first = self._first or next(iter(own), None)

    def notes(self) -> List[Note]:
        if self._first is None:
            return []
        values = "value" if self._values == 1 else "values"
        records = "record" if self._records == 1 else "records"
        where = self._first["path"]
        text = f"{self._values} {values} of {self._records} {records} {self._happened}. "
        return [Note(f"{text}The first: {where}: {self._first['message']}", is_failure=self._is_failure)]


class _Conversion:
    def __init__(self) -> None:
        self.notes: List[RecordNote] = []
        #: The values on the way from the root: one of them again would never end.
        self._open: set = set()

    def convert(self, value: Any, path: List[str]) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, enum.Enum):
            return self.convert(value.value, path)
        if isinstance(value, str):
            # A half of a surrogate pair, too: JSON can say it.
            return str(value)
        if isinstance(value, ExactNumber):  # Of a file.
            return value
        if isinstance(value, int):
            is_writable = value.bit_length() <= INTEGER_BITS_MAX
            return int(value) if is_writable else self._left_out(path, "A whole number of so many digits")
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else self._left_out(path, repr(value))
        simple = _text_or_number(value)
        if simple is not None:
            # A time that pandas has none of says "NaT", and is unequal to itself.
            return simple if value == value else self._left_out(path, simple)
        if id(value) in self._open:
            return self._left_out(path, f"{_kind(value)} that contains itself")
        if len(path) > DEPTH_MAX:
            return self._left_out(path, f"{_kind(value)} deeper than {DEPTH_MAX} levels")
        self._open.add(id(value))
        try:
            return self._convert_whole(value, path)
        except Exception as error:  # An object of the user may fail at anything it is asked.
            return self._left_out(path, f"{_kind(value)} that failed with {type(error).__name__}")
        finally:
            self._open.discard(id(value))

    def _convert_whole(self, value: Any, path: List[str]) -> Any:
        members = _members_of(value)
        if members is not None:
            return self._convert_members(members, path)
        elements = _elements_of(value)
        if elements is not None:
            return [self.convert(each, [*path, str(at)]) for at, each in enumerate(elements)]
        if hasattr(value, "tolist") and hasattr(value, "dtype"):
            return self._convert_array(value, path)
        return self._left_out(path, _kind(value))

    def _convert_array(self, array: Any, path: List[str]) -> Any:
        """Scalars, arrays and tensors; a date of numpy is one of Python then."""
        plain = array.tolist()
        mask = getattr(array, "mask", None) if hasattr(array, "filled") else None
        if mask is not None:
            return self._convert_masked(plain, getattr(mask, "tolist", lambda: mask)(), path)
        if getattr(array.dtype, "kind", None) in ("m", "M"):
            return self._convert_times(plain, path)
        if type(plain) is type(array):  # A float of more digits than Python's.
            return self._convert_long_float(array, path)
        return self.convert(plain, path)

    def _convert_masked(self, plain: Any, mask: Any, path: List[str]) -> Any:
        if isinstance(plain, list):
            masks = mask if isinstance(mask, list) else [mask] * len(plain)
            return [
                self._convert_masked(each, masked, [*path, str(at)])
                for at, (each, masked) in enumerate(zip(plain, masks))
            ]
        return self._left_out(path, "A masked element") if mask else self.convert(plain, path)

    def _convert_times(self, plain: Any, path: List[str]) -> Any:
        if isinstance(plain, list):
            return [self._convert_times(each, [*path, str(at)]) for at, each in enumerate(plain)]
        return self._left_out(path, "NaT") if plain is None else self.convert(plain, path)

    def _convert_long_float(self, value: Any, path: List[str]) -> Any:
        if value != value or value in (math.inf, -math.inf):
            return self._left_out(path, str(value))
        try:
            return read_json(str(value))
        except ValueError:
            return self._left_out(path, _kind(value))

    def _convert_members(self, members: Members, path: List[str]) -> Dict[str, Any]:
        converted: Dict[str, Any] = {}
        for name, read in members:
            key = _key(name)
            place = [*path, key]
            if key in converted:
                self._note(place, "A second member of the same name is no JSON: it was left out.")
                continue
            try:
                member = read()
            except Exception as error:  # A property of the user may fail.
                what = f"A property that failed with {type(error).__name__}"
                converted[key] = self._left_out(place, what)
            else:
                converted[key] = self.convert(member, place)
        return converted

    def _left_out(self, path: List[str], what: str) -> None:
        self._note(path, f"{what[:200]} is no JSON: {_STORED_AS_NULL}.")

    def _note(self, path: List[str], message: str) -> None:
        if len(self.notes) < NOTES_MAX:
            self.notes.append(
                {"code": "not_converted", "path": pointer_to(tuple(path)), "message": message}
            )


def _text_or_number(value: Any) -> Any:
    """What stands for a value that has no parts; None for every other."""
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, decimal.Decimal):
        return _number_of(value)
    if isinstance(value, fractions.Fraction):
        return _number_of_fraction(value)
    if isinstance(value, (uuid.UUID, os.PathLike)):
        return well_formed(str(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode("ascii")
    return None


def _number_of(value: decimal.Decimal) -> Any:
    if not value.is_finite():
        return None
    if value == value.to_integral_value() and value.adjusted() < 400:
        return int(value)
    as_float = float(value)
    is_exact = math.isfinite(as_float) and decimal.Decimal(repr(as_float)) == value
    return as_float if is_exact else str(value)


def _number_of_fraction(value: fractions.Fraction) -> Any:
    if value.denominator == 1:
        return value.numerator
    try:
        as_float = float(value)
    except OverflowError:
        return str(value)
    return as_float if fractions.Fraction(as_float) == value else str(value)


def _members_of(value: Any) -> Optional[Members]:
    """The members of what becomes an object; None for everything else."""
    if isinstance(value, dict):
        return [(name, lambda member=member: member) for name, member in value.items()]
    if isinstance(value, Mapping):
        return [(name, lambda name=name: value[name]) for name in value]
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return _attributes_of(value, dataclasses.fields(value))
    if hasattr(value, "model_dump"):
        return _members_of(value.model_dump())
    if hasattr(type(value), "__fields__") and hasattr(value, "dict"):
        return _members_of(value.dict())  # pydantic before its version 2
    attributes = getattr(type(value), "__attrs_attrs__", None)
    if attributes is not None:
        return _attributes_of(value, attributes)
    return None


def _attributes_of(value: Any, fields: Any) -> Members:
    return [(each.name, lambda name=each.name: getattr(value, name)) for each in fields]


#: Iterators that never end.
ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)


def _elements_of(value: Any) -> Any:
    """The elements of what becomes a list; None for everything else."""
    if isinstance(value, (Sequence, MappingView)):
        return value
    if isinstance(value, Iterator) and not isinstance(value, (*ENDLESS, io.IOBase)):
        return value
    if isinstance(value, Set):
        try:
            return sorted(value)
        except TypeError:  # Of several kinds: in an order that is always the same.
            return sorted(value, key=lambda each: (type(each).__name__, repr(each)))
    if hasattr(value, "to_dicts"):
        return value.to_dicts()  # a table of polars
    if hasattr(value, "iterrows"):
        return value.to_dict(orient="records")  # a table of pandas
    if hasattr(value, "to_list") and hasattr(value, "dtype"):
        return value.to_list()  # a column of either
    return None


def _key(name: Any) -> str:
    if isinstance(name, enum.Enum):
        name = name.value
    if isinstance(name, str):
        return str(name)
    if isinstance(name, bool) or name is None:
        return {True: "true", False: "false", None: "null"}[name]
    simple = _text_or_number(name)
    return well_formed(str(name if simple is None else simple))


def _kind(value: Any) -> str:
    return quoted(f"{type(value).__module__}.{type(value).__qualname__}")

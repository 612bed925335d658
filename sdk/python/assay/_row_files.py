"""The rows of a file: CSV, JSON, JSON lines or Parquet, as `assay import` reads them."""

from __future__ import annotations

import codecs
import csv
import importlib
import io
import re
from typing import Any, Dict, Iterator, List, Optional

from ._errors import AssayError
from ._exact_numbers import read_json

#: The lists that a document of JSON may have its rows in.
_LISTS = ("data", "items", "rows", "examples", "samples", "testcases", "questions")
_CELL_CHARACTERS_MAX = 32 * 1024 * 1024
_HEAD_CHARACTERS = 64 * 1024
_HEAD_ROWS = 50
_NOT_JSON = "is not JSON: the file is cut off or damaged, or of another format. Export it again."


def rows_of_file(path: str) -> Iterator[Any]:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise AssayError(f"The testcases cannot be read from {path} ({error.strerror}).") from None
    if content[:4] == b"PAR1":
        return iter(_parquet_rows(path))
    text = _text_of(path, content)
    start = text.lstrip()
    if re.search(r"\.(jsonl|ndjson)$", path, re.IGNORECASE):
        return _line_rows(path, text)
    if re.match(r"\[\s*[{\]]", start):
        return iter(_document_rows(path, _parsed(path, text, None)))
    if start.startswith("{"):
        try:
            document = read_json(text)
        except (ValueError, RecursionError):
            return _line_rows(path, text)
        return iter(_document_rows(path, document))
    if path.lower().endswith(".json"):
        return iter(_document_rows(path, _parsed(path, text, None)))
    return _table_rows(path, text)


def _text_of(path: str, content: bytes) -> str:
    is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise AssayError(
            f'{path}: is not text in UTF-8: save it as UTF-8 (in Excel: "CSV UTF-8").'
        )
    return text


def _line_rows(path: str, text: str) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _parsed(path, line, number)


def _parsed(path: str, text: str, line: Optional[int]) -> Any:
    try:
        return read_json(text)
    except (ValueError, RecursionError):
        place = path if line is None else f"{path}, line {line}"
        raise AssayError(f"{place}: {_NOT_JSON}") from None


def _document_rows(path: str, document: Any) -> List[Any]:
    if isinstance(document, list):
        return document
    for name in _LISTS if isinstance(document, dict) else ():
        if isinstance(document.get(name), list):
            return document[name]
    raise AssayError(
        f"{path}: has no list of entries: it must be a JSON list, or have one at "
        f"{' or '.join('/' + name for name in _LISTS)}."
    )


def _table_rows(path: str, text: str) -> Iterator[Dict[str, Any]]:
    named = re.match(r"sep=(.)\r?\n", text)
    delimiter = "\t" if path.lower().endswith(".tsv") else named.group(1) if named else _delimiter_of(text)
    header: List[str] = []
    for line, cells in _csv_rows(path, text[named.end() if named else 0 :], delimiter):
        if not header:
            header = [
                _unescaped(cell).strip() or f"column {at}" for at, cell in enumerate(cells, 1)
            ]
            for name in header:
                if header.count(name) > 1:
                    raise AssayError(
                        f'{path}, line {line}: has the column "{name}" twice: rename one of them.'
                    )
            continue
        if len(cells) != len(header):
            raise AssayError(
                f"{path}, line {line}: has {len(cells)} cells, but the header line has "
                f"{len(header)}: put cells with a delimiter or a line break between quotes."
            )
        yield {name: _cell(cell) for name, cell in zip(header, map(_unescaped, cells)) if cell}


def _csv_rows(path: str, text: str, delimiter: str):
    """The rows that are not blank, each with the line that it begins in (RFC 4180)."""
    former = csv.field_size_limit(_CELL_CHARACTERS_MAX)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begins = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error:
        raise AssayError(
            f"{path}, line {begins}: opens a quote that nothing closes, or has text after one "
            "that closes a cell: write a quote inside a cell twice."
        ) from None
    finally:
        csv.field_size_limit(former)


def _delimiter_of(text: str) -> str:
    """By which the first rows have the same number of cells, and the most of them."""
    best, best_score = ",", 0.0
    for delimiter in "\t,;|":
        head = io.StringIO(text[:_HEAD_CHARACTERS], newline="")
        try:
            rows = [row for row in csv.reader(head, delimiter=delimiter) if row][:_HEAD_ROWS]
        except csv.Error:
            continue
        columns = len(rows[0]) if rows else 1
        if columns > 1:
            same = sum(len(row) == columns for row in rows)
            score = same / len(rows) * 1000 + columns
            if score > best_score:
                best, best_score = delimiter, score
    return best


#: As the server writes them: a sign after blanks, as JavaScript knows them, NUL and U+200B, or a tab
#: or a line break.
_FORMULA = re.compile(
    "'+(?:[\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\0]*"
    "[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])"
)


def _unescaped(text: str) -> str:
    """Exports write an apostrophe before text that a spreadsheet would run; it is none of it."""
    return text[1:] if _FORMULA.match(text) else text


def _cell(text: str) -> Any:
    """Lists and objects of JSON are values, all other cells are text."""
    if not re.match(r"\s*[\[{]", text):
        return text
    try:
        return read_json(text)
    except (ValueError, RecursionError):
        return text


#: Packages that read Parquet, each with how it does.
_READERS = (
    ("pyarrow.parquet", lambda package, path: package.read_table(path).to_pylist()),
    ("polars", lambda package, path: package.read_parquet(path).to_dicts()),
    ("pandas", lambda package, path: package.read_parquet(path).to_dict(orient="records")),
)


def _parquet_rows(path: str) -> List[Any]:
    for name, read in _READERS:
        try:
            return read(importlib.import_module(name), path)
        except ImportError:  # pandas needs another package for it.
            continue
        except Exception:
            raise AssayError(
                f"{path}: cannot be read as Parquet: it is cut off or damaged. Copy it again."
            ) from None
    raise AssayError(
        f"{path} is a Parquet file, which Python reads by a package: pip install pyarrow "
        "(or polars), or give the rows as a list."
    )

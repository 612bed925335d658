"""An evaluation as a notebook shows it."""

from __future__ import annotations

from html import escape
from typing import List

from ._report import sentences_of, shown_notes_of, table_of

STYLES = {"better": "color:#12713c", "worse": "color:#b3261e"}


def html_of(evaluation) -> str:
    """The verdicts, the table of metrics below them, the notes, and the link to the console."""
    parts = [f"<p>{escape(sentence)}</p>" for sentence in sentences_of(evaluation)]
    parts.append(_table(table_of(evaluation)))
    parts += [f"<p><small>{escape(note)}</small></p>" for note in shown_notes_of(evaluation)]
    if evaluation.link is not None:
        link = escape(evaluation.link, quote=True)
        parts.append(f'<p><a href="{link}" target="_blank" rel="noopener">{link}</a></p>')
    return "".join(parts)


def _table(lines: List[List[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in lines[0])
    body = "".join(f"<tr>{''.join(map(_cell, line))}</tr>" for line in lines[1:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str) -> str:
    style = STYLES.get(text.split(" ")[0])
    return f"<td{f' style={chr(34)}{style}{chr(34)}' if style else ''}>{escape(text)}</td>"

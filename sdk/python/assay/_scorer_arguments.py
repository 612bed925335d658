"""What a scorer is called with: the parts of a record, by the names of its parameters."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from ._errors import AssayError, quoted
from ._lookup import did_you_mean, near_names

#: The parts as objects, and the names for a part whose value is meant: the value of its only field.
WHOLE_NAMES = {"inputs": "inputs", "outputs": "outputs", "reference_outputs": "expected"}
VALUE_NAMES = {"input": "inputs", "output": "outputs", "reference": "expected"}
#: The field of each part that a value without a name has.
FIELDS = {"inputs": "input", "outputs": "output", "expected": "expected"}
NAMES = (
    "inputs",
    "outputs",
    "expected",
    "metadata",
    "error",
    "input",
    "output",
    "reference",
    "reference_outputs",
)

Parameters = Mapping[str, inspect.Parameter]


def takes_error(scorer: Callable[..., Any]) -> bool:
    return "error" in (_parameters_of(scorer) or {})


def check_parameters(told: str, scorer: Callable[..., Any]) -> None:
    """Raises an AssayError for a parameter that nothing fills; `told` names the scorer."""
    if isinstance(scorer, type) and "__call__" in dir(scorer):
        raise AssayError(f"{told} is a class: give a scorer of it, {scorer.__name__}(…).")
    for name, parameter in (_parameters_of(scorer) or {}).items():
        if name in NAMES or not _is_required(parameter):
            continue
        near = near_names(name, NAMES)
        advice = f"{did_you_mean(near)} " if near else ""
        raise AssayError(
            f"{told} has the parameter {quoted(name)}, which nothing fills. {advice}"
            f"A scorer gets what it names of {', '.join(NAMES)}."
        )


def call_scorer(scorer: Callable[..., Any], record: Dict[str, Any]) -> Any:
    """Calls it with what its parameters name of the record: inputs, expected, outputs, metadata and error."""
    positional, named = _arguments_of(_parameters_of(scorer), record)
    return scorer(*positional, **named)


def _arguments_of(
    parameters: Optional[Parameters], record: Dict[str, Any]
) -> Tuple[List[Any], Dict[str, Any]]:
    if parameters is None:
        return [], {name: record[name] for name in ("inputs", "expected", "outputs")}
    known = _by_name(record, _means_values(parameters))
    positional: List[Any] = []
    for name, each in parameters.items():
        if each.kind is each.POSITIONAL_ONLY:
            if name not in known:
                break
            positional.append(known[name])
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = {
        name: known[name]
        for name, each in parameters.items()
        if each.kind in by_name and name in known
    }
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        parts = ("input", "expected", "output") if _means_values(parameters) else FIELDS
        others = {part: known[part] for part in parts if part not in parameters}
        named.update(others)
    return positional, named


def _by_name(record: Dict[str, Any], means_values: bool) -> Dict[str, Any]:
    values = {name: _value_of(record, part) for name, part in VALUE_NAMES.items()}
    wholes = {name: record[part] for name, part in WHOLE_NAMES.items()}
    expected = values["reference"] if means_values else record["expected"]
    others = {name: record[name] for name in ("metadata", "error")}
    return {**values, **wholes, "expected": expected, **others}


def _means_values(parameters: Parameters) -> bool:
    """Beside `input` or `output` alone, `expected` is a value, too."""
    return not {"input", "output"}.isdisjoint(parameters) and {"inputs", "outputs"}.isdisjoint(
        parameters
    )


def _value_of(record: Dict[str, Any], part: str) -> Any:
    """The value of a part's only field, else of the field of its name; else the part itself."""
    fields = record[part]
    if len(fields) > 1:
        return fields.get(FIELDS[part], fields)
    return next(iter(fields.values()), None)


def _is_required(parameter: inspect.Parameter) -> bool:
    is_collecting = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    return parameter.default is parameter.empty and not is_collecting


def _parameters_of(scorer: Callable[..., Any]) -> Optional[Parameters]:
    """None where Python does not know them, as of some functions of extensions."""
    try:
        return inspect.signature(scorer).parameters
    except (TypeError, ValueError):
        return None

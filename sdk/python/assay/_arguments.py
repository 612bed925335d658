"""Arguments that a function does not take, told in a sentence."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Iterable, List, TypeVar

from ._errors import AssayError, install_hook, quoted
from ._lookup import NAMES_SHOWN, did_you_mean, near_names

Function = TypeVar("Function", bound=Callable[..., Any])


def checks_arguments(usage: str) -> Callable[[Function], Function]:
    """Has a wrong call of the function raise an AssayError, where Python raises a TypeError.

    It names the option that the function does not have, and else says the `usage`.
    """

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
        takes_any = inspect.Parameter.VAR_KEYWORD in kinds.values()

        @functools.wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            install_hook()
            if not takes_any:
                check_option_names(function.__name__, named, kinds)
            try:
                signature.bind(*given, **named)
            except TypeError:
                raise AssayError(usage) from None
            return function(*given, **named)

        return call  # type: ignore[return-value]

    return decorate


def check_option_names(function: str, options: Iterable[str], known: Iterable[str]) -> None:
    """Raises an AssayError with the nearest names for an option that the function does not have."""
    known = list(known)
    for name in options:
        if name not in known:
            near = near_names(name, known)
            if not near and len(known) <= NAMES_SHOWN:
                near = known
            advice = did_you_mean(near) if near else _others_of(known)
            raise AssayError(f"{function} has no option {quoted(name)}. {advice}")


def _others_of(known: List[str]) -> str:
    shown = ", ".join(map(quoted, known[:NAMES_SHOWN]))
    return f"There are {shown} and {len(known) - NAMES_SHOWN} more, and none is like it."

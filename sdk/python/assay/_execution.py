"""Calls the system under test, and keeps whatever comes of it."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import json
import secrets
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional

from ._system_error import system_error_of


class CallContext:
    """Besides the inputs, what a system may want to know of a call."""

    def __init__(self, testcase: Dict[str, Any], trial: int):
        self.testcase = testcase
        self.inputs = testcase["inputs"]
        self.expected = testcase["expected"]
        #: From 1 to `trials`.
        self.trial = trial
        self._otel_link_id: Optional[str] = None

    @property
    def otel_link_id(self) -> str:
        """The id that joins the record with its trace: give it to your tracer.

        The record carries it once it was read.
        """
        if self._otel_link_id is None:
            self._otel_link_id = secrets.token_hex(16)
        return self._otel_link_id


@dataclass
class CallResult:
    """The result of one call of the system; with `error`, why there are no outputs of it."""

    testcase: Dict[str, Any]
    trial: int
    outputs: Dict[str, Any]
    error: Optional[Dict[str, Any]]
    latency_ms: int
    otel_link_id: Optional[str]
    #: The exception itself, for a test that fails with it.
    exception: Optional[BaseException] = None


def call_system(
    system: Callable[..., Any], testcase: Dict[str, Any], trial: int, timeout_ms: int
) -> CallResult:
    """Calls the system once. An exception, and silence for `timeout_ms`, is a result too.

    Python cannot end a thread: a call that is out of time goes on, and nobody waits for it.
    """
    context = CallContext(testcase, trial)
    started = time.monotonic()
    box: Dict[str, Any] = {}

    def run() -> None:
        try:
            box["outputs"] = outputs_of(_call(system, context))
        except BaseException as error:  # SystemExit of a system is no end of the evaluation.
            box["error"] = error

    surrounding = contextvars.copy_context()
    thread = threading.Thread(target=lambda: surrounding.run(run), daemon=True)
    thread.start()
    thread.join(timeout_ms / 1000)
    error = box.get("error")
    if "outputs" not in box and error is None:
        error = TimeoutError(f"The system gave no answer within {timeout_ms} ms.")
    return result_of(context, started, box.get("outputs"), error)


def result_of(
    context: CallContext,
    started: float,
    outputs: Optional[Dict[str, Any]],
    error: Optional[BaseException],
) -> CallResult:
    said = None
    if error is not None:
        said = system_error_of(error)
        outputs = {}
    return CallResult(
        testcase=context.testcase,
        trial=context.trial,
        outputs=outputs or {},
        error=said,
        latency_ms=round((time.monotonic() - started) * 1000),
        otel_link_id=context._otel_link_id,
        exception=error,
    )


def _call(system: Callable[..., Any], context: CallContext) -> Any:
    result = system(context.inputs, context) if _takes_context(system) else system(context.inputs)
    if inspect.isawaitable(result):
        return asyncio.run(_finished(result))
    return result


async def _finished(awaitable: Any) -> Any:
    return await awaitable


def _takes_context(system: Callable[..., Any]) -> bool:
    try:
        parameters = list(inspect.signature(system).parameters.values())
    except (TypeError, ValueError):
        return False
    positional = [
        each
        for each in parameters
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        and each.default is each.empty
    ]
    return len(positional) >= 2


def outputs_of(result: Any) -> Dict[str, Any]:
    """The outputs as they will be stored; a result that has no JSON is a TypeError or ValueError."""
    value = json.loads(json.dumps(result, allow_nan=False))
    return value if isinstance(value, dict) else {"output": value}

"""Calls the system under test, and keeps whatever comes of it."""

from __future__ import annotations

import contextvars
import inspect
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

from . import _event_loop
from ._conversion import outputs_of
from ._exact_numbers import NOTES_MAX, seen_by_system
from ._system_error import system_error_of


class CallContext:
    """Besides the inputs, what a system may want to know of a call."""

    def __init__(self, testcase: Dict[str, Any], trial: int):
        #: With each digit, as it is stored.
        self._testcase = testcase
        self.testcase, self._rounded = seen_by_system(testcase)
        self.inputs = self.testcase["inputs"]
        self.expected = self.testcase["expected"]
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
    #: Of values that could not be stored, or given to the system, as they were.
    notes: List[Dict[str, str]] = field(default_factory=list)
    #: How often the system was called for this record.
    attempts: int = 1


def call_system(
    system: Callable[..., Any], testcase: Dict[str, Any], trial: int, timeout_ms: int
) -> CallResult:
    """Calls the system once. An exception, and silence for `timeout_ms`, is a result too.

    An asynchronous call that is out of time is cancelled. Python cannot end a thread: a call of
    another function goes on, and nobody waits for it.
    """
    context = CallContext(testcase, trial)
    started = time.monotonic()
    arguments = (context.inputs, context) if _takes_context(system) else (context.inputs,)
    answer, error = None, None
    try:
        answer = _answer_of(system, arguments, started + timeout_ms / 1000)
    except _event_loop.NoAnswer:
        error = TimeoutError(f"The system gave no answer within {timeout_ms} ms.")
    except BaseException as raised:  # SystemExit of a system is no end of the evaluation.
        error = raised
    return result_of(context, started, answer, error)


def _answer_of(system: Callable[..., Any], arguments: tuple, end: float) -> Any:
    if inspect.iscoroutinefunction(system):
        answer = system(*arguments)
    else:
        answer = _in_thread(lambda: _consumed(system(*arguments)), end - time.monotonic())
    if inspect.isasyncgen(answer):
        answer = _all_of(answer)
    if inspect.isawaitable(answer):
        return _event_loop.wait_for(answer, max(0.0, end - time.monotonic()))
    return answer


def _consumed(answer: Any) -> Any:
    """The parts of a generator, which is at work only while it is asked for them."""
    return list(answer) if inspect.isgenerator(answer) else answer


async def _all_of(answer: Any) -> List[Any]:
    return [part async for part in answer]


def _in_thread(call: Callable[[], Any], timeout_s: float) -> Any:
    """What `call` returns or raises, in this thread's context; NoAnswer after the time."""
    box: Dict[str, Any] = {}

    def run() -> None:
        try:
            box["answer"] = call()
        except BaseException as error:
            box["error"] = error

    surrounding = contextvars.copy_context()
    thread = threading.Thread(target=lambda: surrounding.run(run), daemon=True)
    thread.start()
    thread.join(timeout_s)
    if "error" in box:
        raise box["error"]
    if "answer" not in box:
        raise _event_loop.NoAnswer()
    return box["answer"]


def result_of(
    context: CallContext, started: float, answer: Any, error: Optional[BaseException]
) -> CallResult:
    """What becomes of one call: the outputs of its answer, or its error."""
    latency_ms = round((time.monotonic() - started) * 1000)
    outputs, notes = ({}, []) if error is not None else outputs_of(answer)
    return CallResult(
        testcase=context._testcase,
        trial=context.trial,
        outputs=outputs,
        error=None if error is None else system_error_of(error),
        latency_ms=latency_ms,
        otel_link_id=context._otel_link_id,
        exception=error,
        notes=[*notes, *context._rounded][:NOTES_MAX],
    )


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

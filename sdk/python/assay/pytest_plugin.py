"""The pytest plugin of `@assay.evaluates`."""

from __future__ import annotations

import functools
import inspect
import time
from typing import Any, Dict, List

import pytest

from . import _event_loop
from ._decorator import ANSWER, ATTRIBUTE
from ._errors import AssayError
from ._evaluate import with_sentence
from ._execution import CallContext, result_of
from ._session import Session
from ._testcases import name_of

CALL = "_assay_call"
#: The marks by which a test asks a plugin for its event loop.
OF_PLUGINS = ("asyncio", "anyio", "trio")
NAMES = ("inputs", "expected", "testcase", "trial", "context")


class _Evaluation:
    """The session of one decorated test, and its calls."""

    def __init__(self, project: str, options: Dict[str, Any]):
        with with_sentence(options["url"] or "ASSAY_URL"):
            self.session = Session(project, options)
        with with_sentence(self.session.url):
            self.calls = list(self.session.calls())
            self.baseline = self.session.baseline()
        limits = (options["gate"] or {}).values()
        self.has_limits = any(limit is not None for limit in limits)

    def contexts(self) -> List[CallContext]:
        return [CallContext(testcase, trial) for testcase, trial in self.calls]

    def names(self) -> List[str]:
        return [
            f"{name_of(testcase, index)}{'' if trial == 1 else f' ({trial})'}"
            for index, (testcase, trial) in enumerate(self.calls)
        ]


def _evaluation_of(function: Any) -> "_Evaluation":
    """Found once for a test, however often pytest asks."""
    found = getattr(function, f"{ATTRIBUTE}found", None)
    if found is None:
        try:
            found = _Evaluation(*getattr(function, ATTRIBUTE))
        except AssayError as error:
            raise pytest.UsageError(str(error)) from None
        setattr(function, f"{ATTRIBUTE}found", found)
    return found


def pytest_generate_tests(metafunc) -> None:
    if not hasattr(metafunc.function, ATTRIBUTE):
        return
    evaluation = _evaluation_of(metafunc.function)
    contexts = evaluation.contexts()
    values = {
        "inputs": [each.inputs for each in contexts],
        "expected": [each.expected for each in contexts],
        "testcase": [each.testcase for each in contexts],
        "trial": [each.trial for each in contexts],
        "context": contexts,
    }
    names = [name for name in NAMES if name in metafunc.fixturenames]
    metafunc.fixturenames.append(CALL)
    rows = list(zip(*(values[name] for name in names), contexts))
    metafunc.parametrize([*names, CALL], rows, ids=evaluation.names())


@pytest.hookimpl(hookwrapper=True)
def pytest_pycollect_makeitem(collector, name, obj):
    outcome = yield
    if not callable(obj) or not hasattr(obj, ATTRIBUTE):
        return
    items = outcome.get_result()
    if isinstance(items, list) and items:
        evaluation = _evaluation_of(getattr(obj, "__func__", obj))
        outcome.force_result(
            [*items, VerdictItem.from_parent(collector, name=_title(name, evaluation), of=evaluation)]
        )


def _title(name: str, evaluation: "_Evaluation") -> str:
    if evaluation.baseline is None:
        return f"{name} {'is within its limits' if evaluation.has_limits else 'has no baseline yet'}"
    return f"{name} is not worse than {evaluation.baseline.description}"


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Keeps the result of a test as a record, and what it raises as the record's error.

    Whoever runs the test runs it: pytest, or the plugin of an asynchronous one.
    """
    if not hasattr(pyfuncitem.obj, ATTRIBUTE):
        yield
        return
    test = pyfuncitem.function
    session = _evaluation_of(test).session
    context: CallContext = pyfuncitem.callspec.params[CALL]
    getattr(test, ANSWER).clear()
    started = time.monotonic()
    outcome = yield
    error = outcome.excinfo[1] if outcome.excinfo else None
    if isinstance(error, (KeyboardInterrupt, pytest.skip.Exception)):
        return
    answer = getattr(test, ANSWER).get("answer")
    with with_sentence(session.url, session):
        session.take(result_of(context, started, answer, error))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Runs asynchronous tests, unless a plugin that was asked to does."""
    for item in items:
        test = getattr(item, "function", None)
        is_ours = hasattr(test, ATTRIBUTE) and inspect.iscoroutinefunction(test)
        if is_ours and not any(item.get_closest_marker(name) for name in OF_PLUGINS):
            item.obj = _synchronous(item.obj)


def _synchronous(test: Any) -> Any:
    @functools.wraps(test)
    def run(*given: Any, **named: Any) -> None:
        _event_loop.wait_for(test(*given, **named))

    return run


class VerdictItem(pytest.Item):
    """Fails where the run is worse than the baseline, with the sentence of the comparison."""

    def __init__(self, *, of: "_Evaluation", **given):
        super().__init__(**given)
        self._evaluation = of

    def runtest(self) -> None:
        session = self._evaluation.session
        with with_sentence(session.url, session):
            evaluation = session.finish()
        is_alone = self._evaluation.baseline is None and not self._evaluation.has_limits
        if evaluation.outcome == "unknown" or is_alone:
            pytest.skip(f"{evaluation.reason} {evaluation.link}")
        if evaluation.outcome == "worse":
            raise AssayError(f"{evaluation.reason} {evaluation.link}", evaluation)

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, AssayError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, self.name

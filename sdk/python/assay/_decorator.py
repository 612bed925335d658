"""`@evaluates`: an evaluation whose system is a test."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict

from ._arguments import check_option_names, checks_arguments
from ._options import DEFAULTS, check_options

ATTRIBUTE = "__assay_evaluates__"
#: Where a decorated test puts what it returned last.
ANSWER = "__assay_answer__"
NOT_OF_TESTS = ("local", "quiet", "concurrency", "retries", "rate_limit")


@checks_arguments(
    "evaluates takes the name of a project, and options by name: "
    '@assay.evaluates("Support", testset="Questions").'
)
def evaluates(project: str, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Has pytest make a test of each testcase, and one after them that fails where it is worse.

    The test gets what it names of `inputs`, `expected`, `testcase`, `trial` and `context`, beside
    pytest's own fixtures. Its result is the record's outputs, and what it raises the record's error.
    """
    known = [name for name in DEFAULTS if name not in NOT_OF_TESTS]
    check_option_names("evaluates", options, known)

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        whole: Dict[str, Any] = {**DEFAULTS, **options}
        check_options(project, test, whole)
        answering = _answering(test)
        setattr(answering, ATTRIBUTE, (project, whole))
        return answering

    return decorate


def _answering(test: Callable[..., Any]) -> Callable[..., Any]:
    """The test with its answer beside it: the ways of running a test drop what it returns."""
    box: Dict[str, Any] = {}

    @functools.wraps(test)
    def run(*given: Any, **named: Any) -> None:
        box["answer"] = test(*given, **named)

    @functools.wraps(test)
    async def run_asynchronously(*given: Any, **named: Any) -> None:
        box["answer"] = await test(*given, **named)

    answering = run_asynchronously if inspect.iscoroutinefunction(test) else run
    setattr(answering, ANSWER, box)
    return answering

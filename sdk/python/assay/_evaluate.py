"""The evaluation from beginning to end."""

from __future__ import annotations

import contextlib
import queue
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional

from ._arguments import checks_arguments
from ._errors import AssayError, sentence_of
from ._evaluation import Evaluation
from ._execution import call_system
from ._interrupt import pause
from ._local import evaluate_locally
from ._notes import Note
from ._options import check_options
from ._provider_limits import ProviderLimits
from ._report import Progress, report_lines
from ._session import Session
from ._worker import Worker


@checks_arguments(
    "evaluate takes the name of a project, and options by name: "
    'assay.evaluate("Support", testset="Questions", system=answer).'
)
def evaluate(
    project: str,
    *,
    system: Optional[Callable[..., Any]] = None,
    testset: Optional[str] = None,
    metrics: Optional[List[Any]] = None,
    scores: Optional[Dict[str, Callable[..., Any]]] = None,
    config: Optional[Dict[str, Any]] = None,
    system_name: Optional[str] = None,
    version_name: Optional[str] = None,
    name: Optional[str] = None,
    labels: Optional[Dict[str, str]] = None,
    trials: int = 1,
    limit: Optional[int] = None,
    sample: Optional[int] = None,
    seed: int = 1,
    where: Optional[Dict[str, Any]] = None,
    keys: Optional[List[str]] = None,
    concurrency: int = 8,
    timeout_ms: int = 120_000,
    retries: int = 3,
    rate_limit: Optional[int] = None,
    budget_usd: Optional[float] = None,
    baseline: Optional[str] = None,
    gate: Optional[Dict[str, Any]] = None,
    set_baseline: bool = False,
    promote: bool = False,
    resume: Optional[str] = None,
    retry_errors: bool = False,
    url: Optional[str] = None,
    api_key: Optional[str] = None,
    patience_ms: int = 120_000,
    quiet: bool = False,
    local: bool = False,
    testcases: Any = None,
    key: Optional[str] = None,
    sync: bool = False,
    create_project: bool = False,
) -> Evaluation:
    """Runs a system on a testset, has its answers scored, and compares with the baseline.

    What the system raises becomes a record. What stands in the way of the evaluation itself, and a
    result that `gate` refuses, is an `AssayError` with a sentence that says what to do.

    `testcases` are rows, a table of pandas or polars, or the path of a file: the testset is made of
    them, or brought up to them by their keys, and the run is over them.
    """
    options = {**locals()}
    del options["project"], options["system"]
    check_options(project, system, options)
    if local:
        return evaluate_locally(project, system, options)
    with with_sentence(url or "ASSAY_URL"):
        session = Session(project, options)
    progress = Progress(session.progress, quiet)
    session.on_progress = progress.show
    workers: List[Worker] = []
    try:
        with with_sentence(session.url, session):
            limited = call_all(session, system, options, progress, workers)
            evaluation = session.finish(limited)
    except KeyboardInterrupt:
        progress.stop()
        raise pause(session, workers) from None
    finally:
        progress.stop()
    if not quiet:
        print("\n".join(report_lines(evaluation, session.title, session.kept())), flush=True)
    if gate is not None and evaluation.outcome != "passed":
        raise AssayError(f"{evaluation.reason} {evaluation.link}", evaluation)
    return evaluation


def call_all(
    session: Session,
    system: Callable[..., Any],
    options: Dict[str, Any],
    progress: Progress,
    workers: List[Worker],
) -> List[Note]:
    """Calls the system on every testcase, as often as a provider lets it.

    After a failure no further call is begun; it is raised when the calls under way have ended. Puts
    the threads that call into `workers`; at Ctrl-C they still have calls under way.
    """
    calls = session.calls()
    pulling = threading.Lock()
    failures: "queue.Queue[BaseException]" = queue.Queue()
    stopping = threading.Event()
    limits = ProviderLimits(
        options["concurrency"], options["retries"], options["rate_limit"], stopping
    )

    def work() -> None:
        try:
            while not stopping.is_set():
                with pulling:
                    call = next(calls, None)
                if call is None:
                    return
                session.begin()
                result = limits.call(lambda: call_system(system, *call, options["timeout_ms"]))
                if result is not None:
                    session.take(result)
        except BaseException as error:
            stopping.set()
            failures.put(error)

    workers.extend(Worker(work) for _ in range(options["concurrency"]))
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            while worker.is_at_work():
                worker.wait(0.1)
                progress.show()
    except KeyboardInterrupt:
        stopping.set()
        raise
    if not failures.empty():
        raise failures.get()
    return limits.notes()


@contextlib.contextmanager
def with_sentence(url: str, session: Optional[Session] = None) -> Iterator[None]:
    """Turns what the server refuses, or its absence, into a sentence that says what to do."""
    try:
        yield
    except Exception as error:
        sentence = sentence_of(error, url)
        if sentence is None:
            raise
        how = session.how_to_resume() if session else None
        raise AssayError(sentence if how is None else f"{sentence} {how}") from None

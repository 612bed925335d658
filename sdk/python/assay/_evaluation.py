"""The result of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ._rows import Row, to_pandas


@dataclass(frozen=True)
class MetricResult:
    """The scores of one metric."""

    name: str
    output_type: str
    #: Testcases that have a score.
    count: int
    #: Scores that could not be made.
    failed: int
    mean: Optional[float]
    pass_rate: Optional[float]
    confidence_interval: Optional[Dict[str, float]]
    #: Records on which the system failed: each counts as the worst value.
    errored: int = 0
    #: Scores outside of the scale, or of another type: they are in no mean.
    invalid: int = 0
    #: The ends of the scale where it is not that of the output type; None where one is missing.
    min: Optional[float] = None
    max: Optional[float] = None
    lower_is_better: bool = False


@dataclass(frozen=True)
class MetricVerdict:
    """The comparison of one metric with the baseline."""

    name: str
    #: "better", "worse" or "undecided".
    verdict: str
    difference: Optional[float]
    confidence_interval: Optional[Dict[str, float]]
    adjusted_p_value: Optional[float]
    baseline_mean: Optional[float]
    candidate_mean: Optional[float]
    #: The verdict whole, with its figures.
    sentence: str
    #: Testcases that both runs have a score for.
    paired: int = 0
    #: "scores", "judge" for the judge alone, or "people" for the judge that people correct.
    decided_by: str = "scores"
    lower_is_better: bool = False
    #: In the baseline and in the candidate, on average; None where no testcase is paired.
    records_per_testcase: Tuple[Optional[float], Optional[float]] = (1, 1)


@dataclass(frozen=True)
class Comparison:
    """The comparison with the baseline; `link` leads to it in the console."""

    baseline_run_id: str
    metrics: List[MetricVerdict]
    warnings: List[str]
    link: str
    #: How often the systems failed, compared like a metric.
    errors: Optional[MetricVerdict] = None


@dataclass(frozen=True)
class Evaluation:
    """The result: its outcome, and everything that led to it."""

    #: None without a server, as is the link.
    run_id: Optional[str]
    link: Optional[str]
    #: Records that were made by now, and those of them on which the system failed.
    records: int
    errors: int
    metrics: List[MetricResult]
    #: None where there is nothing to compare with.
    comparison: Optional[Comparison]
    #: "passed", "worse", or "unknown" where there is no comparison, or it cannot tell.
    outcome: str
    #: 0 for passed, 1 for worse, 2 for unknown.
    exit_code: int
    #: Why, in a sentence.
    reason: str
    #: Whether the system failed on every record of the run.
    every_call_failed: bool = False
    #: The sentences that are printed below the table, also where nothing is printed.
    notes: List[str] = field(default_factory=list)
    #: How often the system failed, in the form of a metric: the last row of the table.
    error_rate: Optional[MetricResult] = None
    #: Those of the notes that are printed; None: all.
    _shown_notes: Optional[List[str]] = field(default=None, repr=False, compare=False)
    _rows: Callable[[], Iterator[Row]] = field(default=lambda: iter(()), repr=False, compare=False)

    def rows(self) -> Iterator[Row]:
        """The records of the run, read from the server as they are asked for."""
        return self._rows()

    def to_pandas(self) -> Any:
        """A DataFrame with a line for each record: `inputs.question`, `outputs.answer`, `Same`, …

        Raises AssayError where pandas is not installed.
        """
        return to_pandas(self.rows())

    def _repr_html_(self) -> str:
        """The evaluation in a notebook: the verdicts above the table."""
        from ._html import html_of  # It imports this module.

        return html_of(self)


def metric_result(summary: Dict[str, Any]) -> MetricResult:
    return MetricResult(
        name=summary["name"],
        output_type=summary["outputType"],
        count=summary["count"],
        failed=summary["failed"],
        mean=summary["mean"],
        pass_rate=summary["passRate"],
        confidence_interval=summary["confidenceInterval"],
        errored=summary.get("errored", 0),
        invalid=summary.get("invalid", 0),
        min=summary.get("min"),
        max=summary.get("max"),
        lower_is_better=summary.get("lowerIsBetter", False),
    )

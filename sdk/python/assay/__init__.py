"""Evaluates AI systems on an Assay server.

    import assay
    assay.evaluate("Support", testset="Questions", metrics=["Helpful answer"],
                   system=lambda inputs: {"answer": ask(inputs["question"])})
"""

from ._decorator import evaluates
from ._errors import AssayError
from ._evaluate import evaluate
from ._evaluation import Comparison, Evaluation, MetricResult, MetricVerdict
from ._execution import CallContext
from ._provider_limits import Retry
from ._rows import Row
from ._scorer_metric import Score, scorer

__version__ = "0.2.0"

__all__ = [
    "AssayError",
    "CallContext",
    "Comparison",
    "Evaluation",
    "MetricResult",
    "MetricVerdict",
    "Retry",
    "Row",
    "Score",
    "evaluate",
    "evaluates",
    "scorer",
]

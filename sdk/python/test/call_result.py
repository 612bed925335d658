"""The result of a call, for tests of what is made of it."""

from assay import _execution


def result(error=None):
    return _execution.CallResult(
        testcase={"inputs": {"q": 1}, "expected": {}, "metadata": {}},
        trial=1,
        outputs={"a": 1},
        error=error,
        latency_ms=1,
        otel_link_id=None,
    )

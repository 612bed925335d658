"""Which testcases are evaluated, and what they are called."""

from __future__ import annotations

import hashlib
import heapq
import itertools
import json
import re
from typing import Any, Dict, Iterable, Iterator, Optional

NAME_CHARACTERS_MAX = 60


def choose_testcases(
    testcases: Iterable[Dict[str, Any]], limit: Optional[int], sample: Optional[int], seed: int
) -> Iterator[Dict[str, Any]]:
    """The first ones, or those with the lowest hashes of seed and id, in their order."""
    if sample is None:
        return itertools.islice(testcases, limit)

    def ranked():
        for index, testcase in enumerate(testcases):
            name = testcase.get("id") or testcase.get("key") or str(index)
            rank = hashlib.sha256(f"{seed}:{name}".encode()).hexdigest()
            yield rank, index, testcase

    drawn = heapq.nsmallest(sample, ranked(), key=lambda each: each[:2])
    return (testcase for _, _, testcase in sorted(drawn, key=lambda each: each[1]))


def name_of(testcase: Dict[str, Any], index: int) -> str:
    """The key of a testcase, else the beginning of its first input: for a list of tests."""
    first = testcase.get("key")
    # A key that is made of a hash tells people nothing.
    if first is None or re.fullmatch(r"row:[0-9a-f]{32}(:\d+)?", first):
        first = next(iter(testcase["inputs"].values()), f"testcase {index + 1}")
    text = first if isinstance(first, str) else json.dumps(first, ensure_ascii=False)
    line = re.sub(r"\s+", " ", "".join(c if c.isprintable() else " " for c in text)).strip()
    return f"{line[: NAME_CHARACTERS_MAX - 1]}…" if len(line) > NAME_CHARACTERS_MAX else line

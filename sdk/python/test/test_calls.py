"""How a system is called, how often, and what becomes of its answers."""

import asyncio
import collections
import collections.abc
import contextvars
import dataclasses
import datetime
import decimal
import enum
import fractions
import itertools
import json
import math
import pathlib
import random
import threading
import time
import types
import unittest
import uuid

import assay
from assay import _conversion, _execution, _provider_limits, _scorers

TESTCASE = {"inputs": {"q": 1}, "expected": {}, "metadata": {}}


def called(system, timeout_ms=10_000):
    return _execution.call_system(system, TESTCASE, 1, timeout_ms)


def in_threads(count, work):
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Asynchronous(unittest.TestCase):
    def test_all_calls_and_scorers_share_one_event_loop(self):
        loops = set()

        async def system(inputs):
            await asyncio.sleep(0)
            loops.add(asyncio.get_running_loop())
            return {"a": 1}

        async def scorer(outputs):
            loops.add(asyncio.get_running_loop())
            return outputs["a"] == 1

        results = []
        in_threads(4, lambda: [results.append(called(system)) for _ in range(5)])
        results.append(called(lambda inputs: system(inputs)))
        scorers = _scorers.Scorers({"S": scorer})
        self.assertEqual([scorers.score(each)[0].value for each in results], [True] * 21)
        self.assertEqual(len(loops), 1)

    def test_a_connection_of_one_call_serves_the_next(self):
        """As a client of a model does: what it opened belongs to the loop of its first call."""
        opened = {}

        async def system(inputs):
            if "queue" not in opened:
                opened["queue"] = asyncio.Queue()
                opened["server"] = asyncio.ensure_future(serve(opened["queue"]))
            answer = asyncio.get_running_loop().create_future()
            await opened["queue"].put(answer)
            return {"a": await answer}

        async def serve(queue):
            while True:
                (await queue.get()).set_result("yes")

        results = []
        in_threads(8, lambda: [results.append(called(system)) for _ in range(20)])
        opened["server"].get_loop().call_soon_threadsafe(opened["server"].cancel)
        self.assertEqual([each.outputs for each in results], [{"a": "yes"}] * 160)

    def test_a_call_that_is_out_of_time_is_cancelled(self):
        cancelled = threading.Event()

        async def system(inputs):
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.set()
                raise

        result = called(system, timeout_ms=50)
        self.assertEqual(result.error["name"], "TimeoutError")
        self.assertIn("within 50 ms", result.error["message"])
        self.assertTrue(cancelled.wait(10))

    def test_an_error_keeps_its_name_and_place(self):
        async def system(inputs):
            raise TimeoutError("of the model itself")

        error = called(system).error
        self.assertEqual([error["name"], error["message"]], ["TimeoutError", "of the model itself"])
        self.assertIn("in system", error["stack"])

    def test_it_sees_the_variables_of_the_caller(self):
        variable = contextvars.ContextVar("variable", default="none")

        async def system(inputs):
            return {"a": variable.get()}

        variable.set("seen")
        self.assertEqual(called(system).outputs, {"a": "seen"})
        self.assertEqual(called(lambda inputs: {"a": variable.get()}).outputs, {"a": "seen"})

    def test_generators_are_asked_within_the_time_and_fail_as_systems(self):
        def parts(inputs):
            yield "a"
            raise ConnectionError("lost")

        async def parts_later(inputs):
            yield "a"
            yield "b"

        self.assertEqual(called(parts).error["name"], "ConnectionError")
        self.assertEqual(called(parts_later).outputs, {"output": ["a", "b"]})


class Limited(Exception):
    status_code = 429

    def __init__(self, retry_after):
        super().__init__("slow down")
        self.headers = {"retry-after": retry_after}


class ProviderLimits(unittest.TestCase):
    def limits(self, concurrency=8, retries=3, rate_limit=None):
        return _provider_limits.ProviderLimits(
            concurrency, retries, rate_limit, threading.Event()
        )

    def test_a_call_is_made_again_until_the_provider_takes_it(self):
        refusals = [Limited("0"), assay.Retry(after=0)]
        answers = []

        def system(inputs):
            if refusals:
                raise refusals.pop()
            answers.append(time.monotonic())
            return {"a": 1}

        limits = self.limits()
        result = limits.call(lambda: called(system))
        self.assertEqual([result.outputs, result.error, result.attempts], [{"a": 1}, None, 3])
        self.assertIn("2 calls were made again", limits.notes()[0].text)

    def test_after_the_last_try_the_record_has_the_limit(self):
        calls = []

        def system(inputs):
            calls.append(1)
            raise assay.Retry("no quota", after=0)

        result = self.limits(retries=2).call(lambda: called(system))
        self.assertEqual([len(calls), result.attempts], [3, 3])
        error = result.error
        self.assertEqual([error["name"], error["message"], error["status"]], ["Retry", "no quota", 429])

    def test_another_error_is_not_tried_again(self):
        def system(inputs):
            raise ValueError("wrong")

        limits = self.limits()
        self.assertEqual(limits.call(lambda: called(system)).attempts, 1)
        self.assertEqual(limits.notes(), [])

    def test_a_provider_with_room_for_two_gets_every_call_answered(self):
        room = threading.Semaphore(2)
        most = []
        under_way = []

        def system(inputs):
            under_way.append(1)
            most.append(len(under_way))
            try:
                if not room.acquire(blocking=False):
                    raise Limited("0.01")
                time.sleep(0.005)
                room.release()
                return {"a": 1}
            finally:
                under_way.pop()

        limits = self.limits(retries=100)
        results = []
        in_threads(
            8, lambda: [results.append(limits.call(lambda: called(system))) for _ in range(10)]
        )
        self.assertEqual([each.outputs for each in results], [{"a": 1}] * 80)
        self.assertLessEqual(max(most), 8)

    def test_the_number_of_calls_at_once_halves_and_grows_back(self):
        limits = self.limits(concurrency=8)

        def once(error):
            limits._leave()
            limits._adapt(error, limits._halvings)

        limits._enter()
        once(True)
        self.assertEqual(limits._allowed, 4)
        before = limits._enter()
        limits._enter()
        once(True)
        limits._leave()
        limits._adapt(True, before)  # It began before the halving.
        self.assertEqual(limits._allowed, 2)
        for _ in range(60):
            limits._enter()
            once(False)
        self.assertEqual(limits._allowed, 8)

    def test_calls_begin_no_more_often_than_the_rate(self):
        limits = self.limits(rate_limit=1200)
        starts = []

        def system(inputs):
            starts.append(time.monotonic())

        for _ in range(5):
            limits.call(lambda: called(system))
        self.assertGreaterEqual(starts[-1] - starts[0], 4 * 0.05 - 0.02)

    def test_a_date_of_retry_after_is_read(self):
        later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=100)
        date = later.strftime("%a, %d %b %Y %H:%M:%S GMT")
        self.assertTrue(90 < _provider_limits._retry_after_of(Limited(date)) <= 101)
        self.assertIsNone(_provider_limits._retry_after_of(Limited("soon")))
        self.assertIsNone(_provider_limits._retry_after_of(ValueError()))


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    colour: Colour


class Model:
    """As pydantic's."""

    def model_dump(self):
        return {"at": datetime.date(2026, 1, 2)}


class Array:
    """As numpy's."""

    dtype = "float64"

    def tolist(self):
        return [1.5, math.nan]


class LongFloat:
    """As numpy's longdouble, which is no float of Python."""

    dtype = "longdouble"

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return self.text != "nan" and float(self.text) == other

    def tolist(self):
        return self

    def __str__(self):
        return self.text


class Mask:
    def tolist(self):
        return [[False, False], [True, False]]


class Masked:
    """As numpy's masked arrays."""

    dtype = "int64"
    mask = Mask()

    def filled(self):
        return self

    def tolist(self):
        return [[1, 2], [None, 4]]


class Times:
    """As numpy's arrays of times, of which one is none."""

    dtype = types.SimpleNamespace(kind="M")

    def tolist(self):
        return [datetime.date(2026, 1, 2), None]


class Lazy(collections.abc.Mapping):
    """Reads a member when it is asked for it."""

    def __init__(self, count):
        self.names = ["answer", *["lazy"] * count]

    def __len__(self):
        return len(self.names)

    def __iter__(self):
        return iter(self.names)

    def __getitem__(self, name):
        if name == "lazy":
            raise ValueError("locked")
        return "right"


class Table:
    """As polars'."""

    def to_dicts(self):
        return [{"a": 1}, {"a": 2}]


class Conversion(unittest.TestCase):
    def test_each_kind_of_value_has_its_json(self):
        identity = uuid.UUID(int=1)
        for value, expected in [
            (None, None),
            (10**30, 10**30),
            ({"half \ud800": "\udc00"}, {"half \ud800": "\udc00"}),
            (collections.deque([1, 2]), [1, 2]),
            (range(2), [0, 1]),
            ({"b": 1, "a": 2}.keys(), ["b", "a"]),
            ({"b": 1, "a": 2}.values(), [1, 2]),
            ({"b": 1}.items(), [["b", 1]]),
            (map(str, [1, 2]), ["1", "2"]),
            (fractions.Fraction(1, 4), 0.25),
            (fractions.Fraction(6, 3), 2),
            (fractions.Fraction(1, 3), "1/3"),
            (LongFloat("0.1"), 0.1),
            (LongFloat("-3"), -3),
            (Colour.RED, "red"),
            (Point(1, Colour.RED), {"x": 1, "colour": "red"}),
            (Model(), {"at": "2026-01-02"}),
            (Table(), [{"a": 1}, {"a": 2}]),
            ((1, 2), [1, 2]),
            ({3, 1, 2}, [1, 2, 3]),
            (collections.OrderedDict(a=1), {"a": 1}),
            (datetime.datetime(2026, 1, 2, 3, 4), "2026-01-02T03:04:00"),
            (datetime.timedelta(minutes=1), 60.0),
            (decimal.Decimal("1.5"), 1.5),
            (decimal.Decimal("7"), 7),
            (decimal.Decimal("0.1234567890123456789"), "0.1234567890123456789"),
            (identity, str(identity)),
            (pathlib.PurePosixPath("/a"), "/a"),
            (b"\xff", "/w=="),
            ({1: "a", None: "b", Colour.RED: "c", True: "d"}, None),
        ]:
            outputs, notes = _conversion.outputs_of({"x": value})
            self.assertEqual(notes, [], value)
            if expected is not None:
                self.assertEqual(outputs["x"], expected)
            json.dumps(outputs, allow_nan=False)
        self.assertEqual(_conversion.outputs_of(3)[0], {"output": 3})
        self.assertEqual(_conversion.outputs_of(Point(1, Colour.RED))[0]["x"], 1)

    def test_what_has_no_json_is_null_with_a_note_that_names_place_and_type(self):
        endless = {"a": [1]}
        endless["a"].append(endless)
        for value, path, type_name in [
            (math.nan, "/outputs/x", "nan"),
            (Array(), "/outputs/x/1", "nan"),
            (decimal.Decimal("NaN"), "/outputs/x", "decimal.Decimal"),
            ({"a/b": object()}, "/outputs/x/a~1b", "builtins.object"),
            (endless, "/outputs/x/a/1", "builtins.dict"),
            (10**5000, "/outputs/x", "digits"),
            ({1: "a", "1": "b"}, "/outputs/x/1", "same name is no JSON: it was left out."),
            (Masked(), "/outputs/x/1/0", "A masked element"),
            (Times(), "/outputs/x/1", "NaT"),
            (LongFloat("nan"), "/outputs/x", "nan"),
            (itertools.count(), "/outputs/x", "itertools.count"),
            (Lazy(1), "/outputs/x/lazy", "A property that failed with ValueError"),
        ]:
            outputs, [note] = _conversion.outputs_of({"x": value})
            self.assertEqual([note["code"], note["path"]], ["not_converted", path])
            self.assertIn(type_name, note["message"])
            json.dumps(outputs, allow_nan=False)

    def test_an_answer_keeps_its_other_members_where_one_has_no_json(self):
        self.assertEqual(_conversion.outputs_of(Lazy(1))[0], {"answer": "right", "lazy": None})
        self.assertEqual(_conversion.outputs_of(Masked())[0], {"output": [[1, 2], [None, 4]]})
        self.assertEqual(_conversion.outputs_of({1: "a", "1": "b"})[0], {"1": "a"})
        long = _conversion.outputs_of(LongFloat("0.1000000000000000055511"))[0]["output"]
        self.assertEqual(long.text, "0.1000000000000000055511")

    def test_the_evaluation_says_once_how_many(self):
        log = _conversion.ConversionLog()
        self.assertEqual(log.notes(), [])
        for value in (math.nan, 1, [math.inf, object()]):
            log.add(_conversion.outputs_of({"x": value})[1])
        [note] = log.notes()
        self.assertIn("3 values of 2 records could not be stored. The first: /outputs/x:", note.text)

    def test_any_nest_of_values_becomes_json_or_a_note(self):
        draw = random.Random(36)
        leaves = [
            lambda: None,
            lambda: draw.random(),
            lambda: draw.choice([math.nan, math.inf, -math.inf]),
            lambda: 10 ** draw.randrange(5000),
            lambda: chr(draw.randrange(0x11_0000)),
            lambda: decimal.Decimal(draw.randrange(100)).scaleb(draw.randrange(-500, 500)),
            lambda: draw.choice([object(), Model, Model(), Array(), Table(), Colour.RED, len]),
            lambda: bytes([draw.randrange(256)]),
            lambda: datetime.timedelta(seconds=draw.randrange(10**9)),
        ]

        def value(levels):
            kind = draw.randrange(5) if levels > 0 else 4
            count = draw.randrange(4)
            if kind == 0:
                return [value(levels - 1) for _ in range(count)]
            if kind == 1:
                return {draw.choice(leaves[:5])(): value(levels - 1) for _ in range(count)}
            if kind == 2:
                return tuple(value(levels - 1) for _ in range(count))
            if kind == 3:
                return Point(value(levels - 1), Colour.RED)
            return draw.choice(leaves)()

        for _ in range(2000):
            outputs, notes = _conversion.outputs_of(value(5))
            json.dumps(outputs, allow_nan=False).encode()
            json.dumps(outputs, allow_nan=False, ensure_ascii=False)
            self.assertLessEqual(len(notes), 20)
        deep = []
        for _ in range(100_000):
            deep = [deep]
        self.assertEqual(len(_conversion.outputs_of(deep)[1]), 1)


if __name__ == "__main__":
    unittest.main()

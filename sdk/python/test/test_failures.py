"""What systems and scorers fail with, and how it is told."""

import contextlib
import io
import unittest

from assay import _execution, _provider_limits, _scorers, _system_error
from call_result import result


class SystemErrors(unittest.TestCase):
    def test_an_exception_has_name_message_place_and_status(self):
        class RateLimitError(Exception):
            status_code = 429

        def fail():
            raise RateLimitError("slow down")

        try:
            fail()
        except RateLimitError as error:
            said = _system_error.system_error_of(error)
        self.assertEqual(
            [said["name"], said["message"], said["status"]], ["RateLimitError", "slow down", 429]
        )
        self.assertIn("in fail", said["stack"])
        self.assertNotIn("status", _system_error.system_error_of(ValueError("x")))

    def test_a_traceback_has_no_frames_of_this_package(self):
        def fail(inputs):
            raise ValueError("too far")

        async def fail_later(inputs):
            fail(inputs)

        for system in (fail, fail_later):
            with self.subTest(system.__name__):
                testcase = {"inputs": {}, "expected": {}, "metadata": {}}
                stack = _execution.call_system(system, testcase, 1, 60_000).error["stack"]
                lines = stack.splitlines()
                self.assertEqual(lines[0], "Traceback (most recent call last):")
                self.assertIn(f"in {system.__name__}", lines[1])
                self.assertEqual(lines[-1], "ValueError: too far")
                self.assertNotIn("_execution.py", stack)

    def test_an_exception_whose_properties_raise_is_an_error_like_any_other(self):
        class Unreadable(Exception):
            @property
            def response(self):
                raise RuntimeError("The response has not been set.")

            status = status_code = headers = response

        said = _system_error.system_error_of(Unreadable("model down"))
        self.assertEqual(said, {"name": "Unreadable", "message": "model down"})
        self.assertIsNone(_provider_limits._retry_after_of(Unreadable()))

    def test_texts_are_cut_to_what_a_record_takes(self):
        message = _system_error.system_error_of(ValueError("😀" * 5000))["message"]
        self.assertLessEqual(len(message.encode("utf-8")), 16 * 1024)
        name = _system_error.system_error_of(type("N" * 257, (Exception,), {})())["name"]
        self.assertEqual(name, "N" * 255 + "…")
        whole = _system_error.system_error_of(type("N" * 256, (Exception,), {})())["name"]
        self.assertEqual(whole, "N" * 256)
        self.assertTrue(message.endswith("😀…"))

    def test_all_of_them_are_told_in_a_sentence(self):
        log = _system_error.ErrorLog()
        self.assertIsNone(log.sentence())
        named = [("T", "late"), *[("C", "model\ndown")] * 2, ("K", "a"), ("K", "b"), ("K", "c")]
        for name, message in named:
            log.add({"name": name, "message": message})
        self.assertEqual(
            log.sentence(), "The system failed on 6 records: K (3), C: model down (2), T: late (1)."
        )

    def test_a_long_name_is_cut_in_the_sentence(self):
        log = _system_error.ErrorLog()
        log.add({"name": "N" * 256, "message": ""})
        self.assertEqual(
            log.sentence(), f"The system failed on 1 record: {'N' * 120}… (1)."
        )

    def test_only_scorers_that_take_the_error_are_called(self):
        called = []
        scorers = _scorers.Scorers(
            {
                "answer": lambda outputs: called.append("answer") or True,
                "all": lambda **record: called.append("all") or True,
                "kind": lambda error: called.append(error["name"]) or False,
            }
        )
        scores = scorers.score(result({"name": "TimeoutError", "message": "late"}))
        self.assertEqual(called, ["TimeoutError"])
        self.assertEqual([score.name for score in scores], ["kind"])

    def test_a_scorer_that_raises_is_told_with_its_first_traceback(self):
        def grade(outputs):
            return outputs["missing"]

        scorers = _scorers.Scorers({"S": grade})
        scorers.score(result())
        self.assertRegex(scorers.first_stack, r"in grade\n[\s\S]*KeyError: 'missing'\n$")
        self.assertNotIn("_scorers.py", scorers.first_stack)
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            _system_error.print_stacks(_system_error.ErrorLog(), scorers)
        self.assertEqual(told.getvalue(), f"{scorers.first_stack}\n")
        self.assertEqual(
            [note.text for note in _scorers.problem_notes(scorers)],
            [
                'The scorer "S" failed on 1 record, and gave no score there (counted as invalid). '
                "The scorer failed: KeyError: 'missing'"
            ],
        )

    def test_an_odd_exception_of_a_scorer_is_its_failure(self):
        class Odd(Exception):
            def __str__(self):
                raise ValueError("no text")

        def odd(outputs):
            raise Odd()

        def long(outputs):
            raise ValueError("\ud800" + "m" * 1_000_000)

        scorers = _scorers.Scorers({"Odd": odd, "Long": long})
        problems = [score.problem for score in scorers.score(result())]
        self.assertRegex(problems[0], "^The scorer failed: Odd: ")
        self.assertLessEqual(len(problems[1]), 10_000)
        for problem in problems:
            problem.encode("utf-8")

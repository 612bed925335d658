"""Numbers keep their digits from the server to the record; users' code is given floats."""

import unittest

from assay import _exact_numbers, _execution

TEXT = '{"id": 9007199254740993, "rate": 0.12345678901234567891, "far": 1e400, "near": [0.1, 1.50]}'


class ExactNumbers(unittest.TestCase):
    def test_what_is_read_is_written_with_each_digit(self):
        value = _exact_numbers.read_json(TEXT)
        self.assertEqual(_exact_numbers.write_json(value), TEXT.replace("1.50", "1.5"))
        for number in ("1e999999999999999999999", "7" * 5_000, "-0.30000000000000004", "1e-400"):
            read = _exact_numbers.read_json(f"[{number}]")
            self.assertEqual(_exact_numbers.write_json(read), f"[{number}]")

    def test_a_text_like_a_stand_in_stays_a_text(self):
        value = {"a": "1e400", "b": _exact_numbers.ExactNumber("1e400"), "c": '"'}
        self.assertEqual(_exact_numbers.write_json(value), '{"a": "1e400", "b": 1e400, "c": "\\""}')

    def test_a_value_without_such_numbers_is_given_as_it_is_however_deep(self):
        deep = _exact_numbers.read_json("[" * 500 + "1" + "]" * 500)
        self.assertIs(_exact_numbers.for_users_code(deep), deep)
        exact = _exact_numbers.read_json("[" * 500 + "1e400" + "]" * 500)
        told = []
        given = _exact_numbers.for_users_code(exact, lambda path, number: told.append(len(path)))
        for _ in range(500):
            [given] = given
        self.assertEqual([given, told], [float("inf"), [500]])

    def test_a_system_is_given_floats_and_the_record_says_so(self):
        testcase = {"inputs": _exact_numbers.read_json(TEXT), "expected": {}, "metadata": {}}
        seen = []

        def system(inputs, context):
            seen.extend([inputs, context.testcase["inputs"]])
            return {"id": inputs["id"], "rate": inputs["rate"]}

        result = _execution.call_system(system, testcase, 1, 5_000)
        self.assertIsNone(result.error)
        self.assertEqual(seen[0]["rate"], 0.12345678901234568)
        self.assertEqual(seen[0]["far"], float("inf"))
        self.assertEqual(seen[1], seen[0])
        self.assertEqual(result.outputs["id"], 9007199254740993)
        self.assertIs(result.testcase, testcase)
        self.assertEqual(
            [(note["code"], note["path"]) for note in result.notes],
            [("holds_doubles", "/inputs/rate"), ("holds_doubles", "/inputs/far")],
        )
        self.assertIn("holds 0.12345678901234567891: the system was given 0.12345678901234568.", result.notes[0]["message"])


if __name__ == "__main__":
    unittest.main()

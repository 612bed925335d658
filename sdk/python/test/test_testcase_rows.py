"""Rows of one's own as testcases, held to the examples of the TypeScript package."""

import datetime
import decimal
import json
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

import assay
from assay import _exact_numbers, _given_rows, _options, _run_part, _testcase_rows

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "sdk/typescript/test"


def examples_of(name):
    return json.loads((EXAMPLES / name).read_text("utf-8"))


def rows_of(given):
    return _given_rows.read_given_rows(given).rows


class Rows(unittest.TestCase):
    def test_rows_become_the_same_testcases_as_in_typescript(self):
        examples = examples_of("testcase-rows.json")
        self.assertGreater(len(examples), 20)
        for example in examples:
            with self.subTest(example["what"]):
                given = (example["rows"], example.get("testset"), example.get("key"))
                if "error" in example:
                    with self.assertRaises(assay.AssayError) as raised:
                        _testcase_rows.testcases_of_rows(*given)
                    self.assertIn(example["error"], str(raised.exception))
                    continue
                found = _testcase_rows.testcases_of_rows(*given)
                self.assertEqual(found.testcases, example["testcases"])
                self.assertEqual(found.field_mapping, example["fieldMapping"])
                self.assertEqual(found.renamed, example.get("renamed", []))

    def test_keys_of_any_inputs_are_those_of_typescript(self):
        for example in examples_of("row-keys.json"):
            with self.subTest(example["inputs"]):
                inputs = _exact_numbers.read_json(example["inputs"])
                self.assertEqual(_testcase_rows.row_key(inputs), example["key"])

    def test_files_have_the_same_rows_as_in_typescript(self):
        examples = examples_of("row-files.json")
        self.assertGreater(len(examples), 15)
        with tempfile.TemporaryDirectory() as folder:
            for example in examples:
                path = pathlib.Path(folder) / example["file"]
                path.write_bytes(example["text"].encode())
                with self.subTest(example["file"]):
                    if "rowsText" in example:
                        text = _exact_numbers.write_json(rows_of(path), separators=(",", ":"))
                        self.assertEqual(text, example["rowsText"])
                        continue
                    if "error" not in example:
                        self.assertEqual(rows_of(path), example["rows"])
                        continue
                    with self.assertRaises(assay.AssayError) as raised:
                        rows_of(str(path))
                    self.assertIn(example["error"], str(raised.exception))

    def test_a_local_evaluation_tells_what_of_a_file_was_rounded(self):
        examples = [example for example in examples_of("row-files.json") if "note" in example]
        self.assertTrue(examples)
        with tempfile.TemporaryDirectory() as folder:
            for example in examples:
                path = pathlib.Path(folder) / example["file"]
                path.write_bytes(example["text"].encode())
                with self.subTest(example["file"]):
                    options = {"local": True, "quiet": True, "system": lambda inputs: 1}
                    evaluation = assay.evaluate("P", testcases=path, **options)
                    self.assertIn(example["note"], evaluation.notes[1])

    def test_a_file_that_is_no_text_or_not_there_has_a_sentence(self):
        with self.assertRaisesRegex(assay.AssayError, "cannot be read from /nowhere.csv"):
            rows_of("/nowhere.csv")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "q.csv"
            path.write_bytes(b"q\n\xff\xfa\n")
            with self.assertRaisesRegex(assay.AssayError, "is not text in UTF-8"):
                rows_of(path)
            path.write_bytes("q\nä\n".encode("utf-16"))
            self.assertEqual(rows_of(path), [{"q": "ä"}])

    def test_parquet_is_read_by_a_package_that_is_there(self):
        table = types.SimpleNamespace(to_dicts=lambda: [{"q": 1}])
        polars = types.SimpleNamespace(read_parquet=lambda path: table)
        none = {"pyarrow": None, "pyarrow.parquet": None, "polars": None, "pandas": None}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "q.parquet"
            path.write_bytes(b"PAR1...")
            with mock.patch.dict(sys.modules, {**none, "polars": polars}):
                self.assertEqual(rows_of(path), [{"q": 1}])
            with mock.patch.dict(sys.modules, none):
                with self.assertRaisesRegex(assay.AssayError, "pip install pyarrow"):
                    rows_of(path)

    def test_tables_have_rows_and_their_nan_is_none(self):
        nan = float("nan")

        class Pandas:
            def to_dict(self, orient):
                return [{"q": "a", "n": nan}, {"q": "b", "n": [nan]}]

        class Polars:
            def iter_rows(self, named):
                return iter([{"q": "a", "n": None if named else 1}])

        class Other:
            def to_dict(self):
                return {}

            def __iter__(self):
                return iter([{"q": "a"}])

        found = _given_rows.read_given_rows(Pandas())
        self.assertEqual(found.rows, [{"q": "a", "n": None}, {"q": "b", "n": [None]}])
        self.assertIn("row 2, /n/0: nan is no JSON", found.notes[0].text)
        self.assertEqual(rows_of(Polars()), [{"q": "a", "n": None}])
        self.assertEqual(rows_of(Other()), [{"q": "a"}])

    def test_rows_are_converted_as_outputs_are(self):
        at = datetime.date(2024, 2, 29)
        rows = ({"input": number, "at": at} for number in (decimal.Decimal("0.5"), (1, 2)))
        expected = [{"input": 0.5, "at": "2024-02-29"}, {"input": [1, 2], "at": "2024-02-29"}]
        self.assertEqual(rows_of(rows), expected)

    def test_testcases_that_are_none_have_a_sentence(self):
        for given, sentence in [
            ([], "has no rows"),
            (["a"], "Row 1 of `testcases` must be an object"),
            ({"q": 1}, "must be a list or a generator"),
            (3, "must be a list or a generator"),
        ]:
            with self.assertRaisesRegex(assay.AssayError, sentence):
                rows_of(given)

    def test_options_of_testcases_that_are_none_have_a_sentence(self):
        for slip, sentence in [
            ({"key": "id"}, "`key` is about `testcases`"),
            ({"sync": True}, "`sync` is about `testcases`"),
            ({"sync": 1}, "`sync` must be True or False"),
            ({"create_project": "yes"}, "`create_project` must be True or False"),
            ({"local": True, "testcases": [], "key": "id"}, "need a server"),
        ]:
            options = {**_options.DEFAULTS, "testset": "T", **slip}
            with self.assertRaisesRegex(assay.AssayError, sentence):
                _options.check_options("P", len, options)

    def test_a_run_says_of_more_keys_than_it_names_how_many_they_are(self):
        none = {"limit": None, "sample": None, "seed": 1, "where": None}

        def body_of(keys):
            return _run_part.RunPart(None, {"id": "t"}, {**none, "keys": keys}).body()

        keys = [f"k{index}" for index in range(_run_part.RUN_KEYS_MAX)]
        self.assertEqual(body_of(keys), {"keys": keys})
        many = [*keys, "one more"]
        self.assertEqual(body_of(many), {"numTestcases": 1001})
        self.assertEqual(body_of([key.ljust(66, "-") for key in keys]), {"numTestcases": 1000})
        given = {**none, "keys": many}
        run = {"id": "r", "numTestcases": 1001}
        self.assertEqual(_run_part.choice_of(given, run), given)
        with self.assertRaisesRegex(assay.AssayError, "over 1001 testcases"):
            _run_part.choice_of({**none, "keys": [*many, "another"]}, run)


if __name__ == "__main__":
    unittest.main()

"""What an evaluation gives back: rows, a table for pandas, and HTML for notebooks."""

import sys
import types
import unittest
from unittest import mock

import assay
from assay import _report


def evaluation():
    def system(inputs):
        if inputs["q"] == "<b>":
            raise ConnectionError("model down")
        return {"answer": inputs["q"]}

    return assay.evaluate(
        "P",
        local=True,
        quiet=True,
        testcases=[{"inputs": {"q": "a"}, "expected": {"answer": "a"}}, {"inputs": {"q": "<b>"}}],
        system=system,
        scores={"error": lambda outputs, expected: outputs == expected, "Short <1>": lambda: True},
        concurrency=1,
    )


class Rows(unittest.TestCase):
    def test_a_row_has_everything_of_its_record(self):
        first, second = evaluation().rows()
        self.assertEqual([first.inputs, first.outputs], [{"q": "a"}, {"answer": "a"}])
        self.assertEqual([first.expected, first.error], [{"answer": "a"}, None])
        self.assertEqual(first.scores, {"error": True, "Short <1>": True})
        self.assertGreaterEqual(first.duration_ms, 0)
        self.assertEqual([second.outputs, second.error["name"]], [{}, "ConnectionError"])

    def test_a_table_for_pandas_has_a_column_for_each_field_and_metric(self):
        pandas = types.SimpleNamespace(DataFrame=lambda lines: lines)
        with mock.patch.dict(sys.modules, pandas=pandas):
            first, second = evaluation().to_pandas()
        self.assertEqual(first["inputs.q"], "a")
        self.assertEqual([first["score.error"], first["Short <1>"]], [True, True])
        self.assertEqual(second["error"], "ConnectionError: model down")

    def test_without_pandas_a_sentence_says_so(self):
        with mock.patch.dict(sys.modules, pandas=None):
            with self.assertRaisesRegex(assay.AssayError, "pip install pandas"):
                evaluation().to_pandas()

    def test_notes_are_there_though_nothing_is_printed(self):
        notes = evaluation().notes
        self.assertTrue(any("The system failed on 1 record" in note for note in notes), notes)

    def test_the_last_row_of_a_run_alone_says_how_often_the_system_failed(self):
        found = evaluation()
        errors = found.error_rate
        self.assertEqual([errors.name, errors.count, errors.mean], ["errors", 2, 0.5])
        lines = _report.report_lines(found, "T")
        self.assertRegex(lines[5], r"^errors +2 +50\.0 % +[\d.]+ % to [\d.]+ % +0$")
        self.assertRegex(found._repr_html_(), r"<tr><td>errors</td><td>2</td><td>50\.0 %</td>.*</tr></tbody>")

    def test_a_notebook_shows_a_table_in_which_texts_are_no_markup(self):
        html = evaluation()._repr_html_()
        self.assertIn("<th>METRIC</th>", html)
        self.assertIn("<td>Short &lt;1&gt;</td>", html)
        self.assertNotIn("<1>", html)


if __name__ == "__main__":
    unittest.main()

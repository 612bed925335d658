"""The names by which a scorer asks for the parts of a record."""

import unittest

import assay


class Levenshtein:
    """As autoevals has it."""

    def __call__(self, output, expected=None, **others):
        self.others = others
        return assay.Score(1.0 if output == expected else 0.0)


def evaluate(testcases, system, **scores):
    return assay.evaluate(
        "P", local=True, quiet=True, testcases=testcases, system=system, scores=scores
    )


def means(testcases, system, **scores):
    return {each.name: each.mean for each in evaluate(testcases, system, **scores).metrics}


class Names(unittest.TestCase):
    def test_a_singular_name_is_the_value_of_the_only_field(self):
        seen = {}

        def keep(name, **given):
            seen[name] = given
            return True

        levenshtein = Levenshtein()
        rows = [{"inputs": {"q": "a"}, "expected": {"answer": "A"}}]
        found = means(
            rows,
            lambda inputs: {"answer": inputs["q"].upper()},
            Lev=levenshtein,
            Rest=lambda output, expected, **others: output == expected and set(others) == {"input"},
            InputOutput=lambda input, output: (input, output) == ("a", "A"),
            Reference=lambda output, reference: output == reference == "A",
            References=lambda outputs, reference_outputs: outputs == reference_outputs,
            Whole=lambda inputs, outputs, expected: keep(
                "whole", inputs=inputs, outputs=outputs, expected=expected
            ),
            Alone=lambda expected: keep("alone", expected=expected),
            Positional=lambda output, /, expected: output == expected,
        )
        self.assertEqual(set(found.values()), {1.0}, found)
        self.assertEqual(levenshtein.others, {"input": "a"})
        whole = {"inputs": {"q": "a"}, "outputs": {"answer": "A"}, "expected": {"answer": "A"}}
        self.assertEqual(seen, {"whole": whole, "alone": {"expected": {"answer": "A"}}})

    def test_a_scorer_gets_the_metadata_of_the_testcase(self):
        rows = [{"inputs": {"q": "a"}, "metadata": {"lang": "de"}}]
        found = means(rows, lambda inputs: "A", Tagged=lambda metadata: metadata == {"lang": "de"})
        self.assertEqual(found, {"Tagged": 1.0})

    def test_a_value_without_a_name_is_found_beside_other_fields(self):
        rows = [{"inputs": {"input": "a", "hint": "b"}, "expected": {"expected": "A", "also": "B"}}]
        found = means(
            rows,
            lambda inputs: {"output": "A", "tokens": 3},
            Value=lambda input, output, expected: (input, output, expected) == ("a", "A", "A"),
        )
        self.assertEqual(found, {"Value": 1.0})

    def test_several_fields_without_such_a_name_are_one_object_and_none_is_none(self):
        found = means(
            [{"inputs": {"q": 1, "r": 2}}],
            lambda inputs: {"a": 1, "b": 2},
            Value=lambda input, output, expected: [input, output, expected]
            == [{"q": 1, "r": 2}, {"a": 1, "b": 2}, None],
        )
        self.assertEqual(found, {"Value": 1.0})

    def test_a_parameter_that_nothing_fills_is_told_before_the_first_call(self):
        calls = []
        told = (
            r'^The scorer "S" of `scores` has the parameter "{}", which nothing fills\. {}'
            "A scorer gets what it names of inputs, outputs, expected, metadata, error, input, "
            r"output, reference, reference_outputs\.$"
        )
        for scorer, name, advice in (
            (lambda foo: True, "foo", ""),
            (lambda ouput: True, "ouput", r'Did you mean "output".*\? '),
            (assay.scorer(lambda outputs, foo: 1, min=0, max=9), "foo", ""),
            (len, "obj", ""),
        ):
            with self.subTest(name=name):
                with self.assertRaisesRegex(assay.AssayError, told.format(name, advice)):
                    evaluate([{"inputs": {"q": 1}}], calls.append, S=scorer)
                with self.assertRaisesRegex(assay.AssayError, told.format(name, advice)):
                    assay.evaluates("P", testset="T", scores={"S": scorer})(print)
        with self.assertRaisesRegex(assay.AssayError, r"is a class: give .*, Levenshtein\(…\)\.$"):
            evaluate([{"inputs": {"q": 1}}], calls.append, S=Levenshtein)
        self.assertEqual(calls, [])
        evaluate([{"inputs": {"q": 1}}], lambda inputs: 1, S=lambda outputs, least=0, *others: True)


if __name__ == "__main__":
    unittest.main()

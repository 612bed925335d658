"""Wrong calls of the package's functions end in a sentence."""

import unittest

import assay

PROJECT = (
    "evaluate takes the name of a project, and options by name: "
    'assay.evaluate("Support", testset="Questions", system=answer).'
)


class Arguments(unittest.TestCase):
    def refusal(self, function, *given, **named):
        with self.assertRaises(assay.AssayError) as raised:
            function(*given, **named)
        return str(raised.exception)

    def test_an_option_that_evaluate_does_not_have_is_told_with_the_nearest(self):
        self.assertRegex(
            self.refusal(assay.evaluate, "Support", tesset="Questions"),
            r'^evaluate has no option "tesset"\. Did you mean "testset"',
        )

    def test_an_option_that_is_like_none_is_told_with_some_of_them(self):
        self.assertRegex(
            self.refusal(assay.evaluate, "Support", zzz=1),
            r'^evaluate has no option "zzz"\. There are "project", "system", "testset", "metrics", '
            r'"scores" and \d+ more, and none is like it\.$',
        )

    def test_data_that_json_cannot_say_is_told_with_its_place(self):
        told = "` must be data that JSON can say. /a"
        endless = {}
        endless["a"] = endless
        for value, fault in (
            (object(), ': "builtins.object" is no JSON.'),
            ([0, len], '/1: "builtins.builtin_function_or_method" is no JSON.'),
            (float("nan"), ": nan is no JSON."),
            (endless, '/a: "builtins.dict" that contains itself is no JSON.'),
        ):
            given = {"testset": "T", "system": len, "url": "http://127.0.0.1:9"}
            self.assertEqual(
                self.refusal(assay.evaluate, "P", config={"a": value}, **given),
                f"`config{told}{fault}",
            )
            self.assertEqual(
                self.refusal(assay.evaluate, "P", where={"/a": value}, **given),
                f"`where{told.replace('/a', '/~1a')}{fault}",
            )

    def test_a_version_without_a_config_is_told(self):
        self.assertEqual(
            self.refusal(assay.evaluate, "P", testset="T", system=len, version_name="v1"),
            "`version_name` names the version of `config`: give that, too.",
        )

    def test_a_project_that_is_missing_and_arguments_without_names_are_told(self):
        self.assertEqual(self.refusal(assay.evaluate), PROJECT)
        self.assertEqual(self.refusal(assay.evaluate, testset="Questions"), PROJECT)
        self.assertEqual(self.refusal(assay.evaluate, "Support", print), PROJECT)
        self.assertEqual(self.refusal(assay.evaluate, "Support", project="Support"), PROJECT)

    def test_scorer_and_the_decorator_tell_theirs(self):
        for expected, said in (
            (
                'evaluates has no option "trails". Did you mean "trials"',
                self.refusal(assay.evaluates, "Support", trails=2),
            ),
            ("evaluates takes the name of a project", self.refusal(assay.evaluates)),
            (
                'scorer has no option "minimum". Did you mean "min"',
                self.refusal(assay.scorer, print, minimum=0),
            ),
            ("scorer takes a function", self.refusal(assay.scorer, min=0)),
        ):
            self.assertIn(expected, said)


if __name__ == "__main__":
    unittest.main()

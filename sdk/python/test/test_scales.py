"""The scales of metrics and of scorers."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import assay  # noqa: E402
from assay import _gate, _scale, _scorer_metric, _scorers  # noqa: E402
from assay._execution import CallResult  # noqa: E402

SHARED = pathlib.Path(__file__).parents[3] / "shared"
SCALES = SHARED / "contracts/test/scales.json"
LOSSES = SHARED / "comparison/test/losses.json"


def scored(values, **scale):
    waiting = list(values)

    def say():
        return waiting.pop(0)

    scorers = _scorers.Scorers({"S": assay.scorer(say, **scale) if scale else say})
    testcase = {"inputs": {"q": 1}, "expected": {}, "metadata": {}}
    own = CallResult(testcase, 1, {}, None, 1.0, None)
    scores = [scorers.score(own)[0] for _ in values]
    scorers.settle()
    metric = scorers.metric_of("S")
    return metric, [_scorers.score_body(score, metric) for score in scores], scorers


class Scales(unittest.TestCase):
    def test_a_scale_says_what_it_says_in_the_other_language(self):
        for case in json.loads(SCALES.read_text(encoding="utf-8"))["cases"]:
            with self.subTest(case["name"]):
                metric = case["metric"]
                threshold = _scale.default_threshold(metric)
                words = case["words"].replace("true or false", "True or False")
                self.assertEqual(_scale.value_in_words(metric), words)
                self.assertEqual(threshold, case["threshold"])
                self.assertEqual(_scale.worst_of(metric), case["worst"])
                self.assertEqual(_scale.stated_scale(metric), case["stated"])
                for value in case["passing"]:
                    self.assertIs(_scale.passes(metric, threshold, value), True, value)
                for value in case["failing"]:
                    self.assertIs(_scale.passes(metric, threshold, value), False, value)
                for sent, value in case["taken"]:
                    self.assertEqual(_scale.score_value(metric, sent), value)
                for value in case["refused"]:
                    self.assertIsNone(_scale.score_value(metric, value), value)


class Losses(unittest.TestCase):
    def test_the_most_that_a_gate_allows_follows_the_direction(self):
        for case in json.loads(LOSSES.read_text(encoding="utf-8"))["cases"]:
            with self.subTest(**case):
                lower = case["metric"].get("lowerIsBetter", False)
                self.assertEqual(_gate.loss_of(lower, case["difference"]), case["loss"])
                metric = {"difference": case["difference"], "verdict": "undecided"}
                metric.update(metricId="m", lowerIsBetter=lower)
                _, regression = _gate._against(metric, {"max_regression": 0.1})
                expected = []
                if case["loss"] > 0.1:
                    size = f'this run is {case["loss"]} {case["direction"]}'
                    expected = [f"{size}, and max_regression allows 0.1."]
                self.assertEqual(regression, expected)


class ScaledScorers(unittest.TestCase):
    def test_a_scale_is_named_beside_the_scorer_before_any_value_is_there(self):
        scorers = _scorers.Scorers({"BLEU": assay.scorer(lambda: 37.2, min=0, max=100)})
        self.assertTrue(scorers.are_known())
        expected = {"outputType": "float", "min": 0, "max": 100}
        self.assertEqual(scorers.metric_of("BLEU"), expected)

    def test_a_scale_is_named_by_the_first_score(self):
        metric, bodies, _ = scored([assay.Score(37.2, "why", min=0, max=100), assay.Score(80), 3])
        self.assertEqual(metric, {"outputType": "float", "min": 0, "max": 100})
        self.assertEqual(
            bodies,
            [{"floatScore": 37.2, "reasoning": "why"}, {"floatScore": 80}, {"floatScore": 3}],
        )

    def test_a_direction_may_be_named_alone_and_an_end_may_be_missing(self):
        metric, _, _ = scored([True], lower_is_better=True)
        self.assertEqual(metric, {"outputType": "boolean", "lowerIsBetter": True})
        metric, bodies, _ = scored([842], min=1, max=None, lower_is_better=True)
        self.assertEqual(_scale.scale_of(metric), (1, float("inf")))
        self.assertEqual(bodies, [{"floatScore": 842}])

    def test_a_first_value_outside_of_the_unnamed_scale_ends_the_evaluation_with_the_remedy(self):
        for value in (37.2, 7, 1.5, -1):
            with self.subTest(value=value):
                with self.assertRaises(assay.AssayError) as raised:
                    scored([value])
                self.assertEqual(
                    str(raised.exception),
                    f'The scorer "S" returned {value}. Where no scale is named, a score is True or '
                    "False, a number from 0 to 1, or a whole number from 1 to 5. Name its scale: "
                    'scores={"S": assay.scorer(…, min=0, max=100)}.',
                )

    def test_a_later_value_outside_of_it_is_stored_counted_and_told(self):
        _, bodies, scorers = scored([0.5, 37.2, 0.7, 40])
        self.assertEqual(bodies[1], {"value": 37.2})
        (note,) = _scorers.problem_notes(scorers)
        self.assertEqual(
            note.text,
            '2 scores of "S" do not fit, and are in no mean: a score of it is a number from 0 to 1, '
            "and the first is 37.2. Name its scale: "
            'scores={"S": assay.scorer(…, min=0, max=100)}.',
        )

    def test_two_scales_of_one_scorer_are_refused(self):
        with self.assertRaisesRegex(assay.AssayError, "names two scales: it had max 100, not 10"):
            scored([assay.Score(3, min=0, max=100), assay.Score(3, max=10)])
        metric = _scorer_metric.ScorerMetric("S", {"min": 0, "max": 100})
        with self.assertRaisesRegex(assay.AssayError, "of the project has max 1, not 100: change"):
            metric.set_metric({"outputType": "float"})
        with self.assertRaisesRegex(assay.AssayError, "is none: it would go from 5 to 1"):
            scored([1], min=5, max=1)

    def test_scores_of_autoevals_are_read_with_their_rationale(self):
        class AutoevalsScore:
            name = "Factuality"

            def __init__(self, score, metadata):
                self.score, self.metadata = score, metadata

        said = [
            AutoevalsScore(0.6, {"rationale": "A part of it.", "choice": "B"}),
            AutoevalsScore(None, {}),
        ]
        self.assertEqual(
            scored(said)[1],
            [
                {"floatScore": 0.6, "reasoning": "A part of it."},
                {"value": None, "reasoning": "Does not apply."},
            ],
        )


class LocalScales(unittest.TestCase):
    def evaluate(self, system, **scores):
        return assay.evaluate(
            "P",
            local=True,
            quiet=True,
            testcases=[{"inputs": {"n": number}} for number in (0, 1, 2, 3)],
            system=system,
            scores=scores,
        ).metrics

    def test_a_local_evaluation_counts_by_the_scale_and_its_direction(self):
        def system(inputs):
            if inputs["n"] == 3:
                raise ValueError("no answer")
            return inputs

        bleu, toxicity, perplexity = self.evaluate(
            system,
            BLEU=assay.scorer(lambda outputs: 90 + outputs["n"], min=0, max=100),
            Toxicity=assay.scorer(lambda outputs: outputs["n"] / 10, lower_is_better=True),
            Perplexity=assay.scorer(
                lambda outputs: 10 + outputs["n"], min=1, max=None, lower_is_better=True
            ),
        )
        self.assertEqual((bleu.mean, bleu.pass_rate, bleu.max), ((90 + 91 + 92 + 0) / 4, 0.75, 100))
        self.assertAlmostEqual(toxicity.mean, (0 + 0.1 + 0.2 + 1) / 4)
        self.assertEqual((toxicity.pass_rate, toxicity.lower_is_better), (0.5, True))
        self.assertEqual((perplexity.count, perplexity.mean), (3, 11))
        self.assertEqual((perplexity.errored, perplexity.pass_rate), (1, None))

    def test_a_first_value_without_a_scale_ends_a_local_evaluation(self):
        with self.assertRaisesRegex(assay.AssayError, "Name its scale"):
            self.evaluate(lambda inputs: inputs, BLEU=lambda outputs: 37.2)


if __name__ == "__main__":
    unittest.main()

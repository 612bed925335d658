"""The parts of the package; whole evaluations are tried by test/system/clients.test.ts."""

import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import threading
import unittest
from unittest import mock

import assay
from assay import (
    _environment,
    _execution,
    _gate,
    _lookup,
    _notes,
    _options,
    _report,
    _run_part,
    _scorers,
    _testcases,
)
from assay._baseline_forms import near_forms
from call_result import result

SHARED = pathlib.Path(__file__).parents[3] / "shared"


def scored(values):
    waiting = list(values)
    scorers = _scorers.Scorers({"S": lambda: waiting.pop(0)})
    scores = [scorers.score(result())[0] for _ in values]
    scorers.settle()
    metric = scorers.metric_of("S")
    bodies = [_scorers.score_body(score, metric or {"outputType": "float"}) for score in scores]
    return (metric or {}).get("outputType"), bodies, scorers


class Waiting(unittest.TestCase):
    def test_what_scores_wait_for_is_told_with_its_fault_and_the_next_try(self):
        at = datetime.datetime(2026, 1, 31, 14, 5).astimezone(datetime.timezone.utc)
        awaited = {
            "model": "openai/gpt-4o",
            "message": "openai answered 503.",
            "nextProbeAt": at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        }
        sentence = "The judge openai/gpt-4o is away (openai answered 503): next try at 14:05."
        self.assertEqual(_report.waiting_sentences({"waitingFor": [awaited]}), [sentence])
        self.assertEqual(_report.waiting_sentences(None), [])


class RunParts(unittest.TestCase):
    def test_the_part_of_a_run_has_the_words_of_every_client(self):
        root = pathlib.Path(__file__).resolve().parents[3]
        examples = json.loads((root / "shared/client/test/part-of-run.json").read_text("utf-8"))
        self.assertGreater(len(examples), 5)
        for example in examples:
            self.assertEqual(_run_part.part_of_run(example["run"]), example["text"])

    def test_a_run_to_complete_says_which_testcases_are_meant(self):
        given = {"limit": None, "sample": None, "seed": 1, "where": None, "keys": None}
        numbered = {"id": "r", "numTestcases": 4, "numTestsetTestcases": 9}
        self.assertEqual(_run_part.choice_of(given, None), given)
        self.assertEqual(_run_part.choice_of(given, {"id": "r"}), given)
        self.assertEqual(
            _run_part.choice_of(given, {**numbered, "keys": ["a"]}), {**given, "keys": ["a"]}
        )
        sample = {**given, "sample": 4}
        self.assertEqual(_run_part.choice_of(sample, numbered), sample)
        whole = {**numbered, "numTestsetTestcases": 4}
        self.assertEqual(_run_part.choice_of({**given, "limit": 9}, whole)["limit"], 9)
        for wrong in (given, {**given, "limit": 9}):
            with self.assertRaisesRegex(assay.AssayError, "The run r is over 4 testcases: give"):
                _run_part.choice_of(wrong, numbered)

    def test_where_and_keys_are_checked_before_anything_is_asked(self):
        def refusal(**given):
            options = {**_options.DEFAULTS, "testset": "Q", **given}
            with self.assertRaises(assay.AssayError) as raised:
                _options.check_options("P", lambda inputs: inputs, options)
            return str(raised.exception)

        self.assertIn("leave out `limit` and `sample`", refusal(limit=3, keys=["a"]))
        self.assertIn("must be a dict of JSON Pointers", refusal(where={"lang": "de"}))
        self.assertIn("must be a dict of JSON Pointers", refusal(where={}))
        self.assertIn("must be a list of keys", refusal(keys="a"))
        self.assertIn("needs a run to complete", refusal(retry_errors=True))
        self.assertIn("need a testset on a server", refusal(local=True, testcases=[], keys=["a"]))


class Environment(unittest.TestCase):
    def test_the_branch_of_a_pipeline_is_the_one_that_the_pipeline_names(self):
        cases = [
            ("prompt-14", {"GITHUB_HEAD_REF": "prompt-14", "GITHUB_REF_NAME": "7/merge"}),
            ("main", {"GITHUB_HEAD_REF": "", "GITHUB_REF_NAME": "main"}),
            ("prompt-15", {"CI_COMMIT_REF_NAME": "prompt-15"}),
            (None, {}),
        ]
        for branch, variables in cases:
            with self.subTest(branch=branch), mock.patch.dict(os.environ, variables, clear=True):
                self.assertEqual(_environment._pipeline_branch(), branch)


class Scorers(unittest.TestCase):
    def test_the_first_value_that_tells_makes_the_type_of_the_metric(self):
        cases = [
            ("boolean", [None, True, False]),
            ("int", [1, 1, 3]),
            ("float", [1, 0.5]),
            ("float", [0]),
            ("float", [1.0, 1]),
            (None, [None]),
        ]
        for kind, values in cases:
            with self.subTest(values=values):
                self.assertEqual(scored(values)[0], kind)

    def test_a_score_has_the_field_of_its_type(self):
        _, bodies, _ = scored([{"value": 3, "reasoning": "why"}, None, 1.0])
        self.assertEqual(
            bodies,
            [
                {"intScore": 3, "reasoning": "why"},
                {"value": None, "reasoning": "Does not apply."},
                {"intScore": 1},
            ],
        )
        self.assertEqual(scored([True, 0.5])[1][1], {"value": 0.5})

    def test_a_value_that_is_no_score_is_a_problem_of_its_record_alone(self):
        for value in ("good", float("nan"), {}):
            with self.subTest(value=value):
                _, bodies, scorers = scored([value, True])
                self.assertIn("a score is True or False", bodies[0]["reasoning"])
                self.assertEqual(bodies[1], {"binaryScore": True})
                self.assertEqual(len(scorers.problems["S"]), 1)

    def test_nobody_scores_a_record_on_which_the_system_failed(self):
        scorers = _scorers.Scorers({"S": lambda: True})
        self.assertEqual(scorers.score(result({"name": "E", "message": "m"})), [])

    def test_a_scorer_gets_what_it_names_and_changes_nothing_of_the_record(self):
        def change(outputs, **rest):
            outputs["a"] = 2
            return sorted(rest) == ["expected", "inputs"]

        own = result()
        scores = _scorers.Scorers({"S": change, "T": lambda inputs: inputs["q"] == 1}).score(own)
        self.assertEqual([score.value for score in scores], [True, True])
        self.assertEqual(own.outputs, {"a": 1})


class Calls(unittest.TestCase):
    def call(self, system, timeout_ms=60_000):
        return _execution.call_system(system, {"inputs": {"q": 1}, "expected": {}, "metadata": {}}, 1, timeout_ms)

    def test_any_result_becomes_outputs(self):
        async def later(inputs):
            return inputs

        cases = [(lambda i: i, {"q": 1}), (lambda i: "t", {"output": "t"}), (later, {"q": 1})]
        for system, outputs in cases:
            self.assertEqual(self.call(system).outputs, outputs)

    def test_whatever_is_raised_is_a_result(self):
        def leave(_inputs):
            raise SystemExit(3)

        async def leave_later(_inputs):
            raise SystemExit(3)

        cases = [(lambda i: i["x"], "KeyError"), (leave, "SystemExit"), (leave_later, "SystemExit")]
        for system, name in cases:
            self.assertEqual(self.call(system).error["name"], name)

    def test_a_call_that_is_out_of_time_is_a_result_and_not_waited_for(self):
        ending = threading.Event()
        error = self.call(lambda i: ending.wait(60), 20).error
        ending.set()
        self.assertEqual(error["message"], "The system gave no answer within 20 ms.")

    def test_the_id_of_a_trace_is_kept_where_the_system_asked_for_it(self):
        asked = self.call(lambda inputs, context: context.otel_link_id)
        self.assertEqual(asked.outputs, {"output": asked.otel_link_id})
        self.assertIsNone(self.call(lambda inputs, flag=True: flag).otel_link_id)


class Names(unittest.TestCase):
    testcases = [{"id": f"t{index}", "inputs": {"q": index}} for index in range(50)]

    def test_a_sample_is_that_of_the_other_language(self):
        drawn = _testcases.choose_testcases(self.testcases, None, 6, 7)

        def rank(testcase):
            return hashlib.sha256(f"7:{testcase['id']}".encode()).hexdigest()

        lowest = sorted(self.testcases, key=rank)[:6]
        self.assertEqual(list(drawn), sorted(lowest, key=self.testcases.index))

    def test_a_testcase_is_called_by_its_key_or_its_first_input(self):
        self.assertEqual(_testcases.name_of({"key": "k", "inputs": {"q": 1}}, 0), "k")
        self.assertEqual(_testcases.name_of({"inputs": {"q": " a\n b\x1b[2J"}}, 0), "a b [2J")
        self.assertEqual(_testcases.name_of({"inputs": {}}, 2), "testcase 3")

    def test_names_that_are_near_are_told(self):
        items = [{"id": str(index), "name": f"Set {index}"} for index in range(30)]
        with self.assertRaisesRegex(assay.AssayError, '^There is no testset "Sets 7". Did you mean "Set 7"'):
            _lookup.choose(items, "testset", "Sets 7")


GATE = pathlib.Path(__file__).parents[3] / "shared/comparison/test/gate.json"


class Gate(unittest.TestCase):
    def judged(self, examples, case):
        limits, named = case.get("limits", {}), case.get("named", [])
        summary = {
            "metrics": [{**examples["summary"], **case.get("summary", {})}],
            "errors": {**examples["summaryErrors"], **case.get("summaryErrors", {})},
        }
        if case.get("isFirst"):
            return _gate.judge_first_run(summary, limits, named)
        errors = {**examples["errors"], **case.get("errors", {})}
        own = {**examples["metric"], **case.get("metric", {})}
        compared = {"metrics": [own], "errors": errors}
        filled = None
        if "filled" in case:
            filled = {"metrics": [{**own, **case["filled"]}], "errors": errors}
        return _gate.judge_comparison(compared, filled, summary, limits, named)

    def test_limits_are_numbers_of_their_kind_or_percentages(self):
        examples = json.loads(GATE.read_text(encoding="utf-8"))
        for name, has in [("shares", _gate.is_share), ("allowances", _gate.is_allowance)]:
            with self.subTest(name):
                self.assertEqual([v for v in examples[name]["taken"] if not has(v)], [])
                self.assertEqual([v for v in [*examples[name]["refused"], None] if has(v)], [])

    def test_the_rules_are_those_of_all_clients(self):
        examples = json.loads(GATE.read_text(encoding="utf-8"))
        for case in examples["cases"]:
            with self.subTest(case["name"]):
                judged = self.judged(examples, case)
                (finding,) = judged.findings
                found = (judged.outcome, finding.reasons, finding.lacking, judged.errors.reasons)
                wanted = ("outcome", "reasons", "lacking", "errorReasons")
                self.assertEqual(found, tuple(case[name] for name in wanted))

    def test_an_allowance_is_a_count_or_a_part(self):
        self.assertTrue(all(map(_gate.is_allowance, [3, 0, "5%", "0.5 %", "100%"])))
        self.assertFalse(any(map(_gate.is_allowance, [-1, 1.5, "5", "101%", "%", None, True])))


class Notes(unittest.TestCase):
    def test_notes_name_their_metric_and_equal_ones_are_one_line(self):
        few = [_notes.Note("Only 3 pairs.", metric=name) for name in "ABCDE"]
        lines = _notes.note_lines([*few, _notes.Note("Twice."), _notes.Note("Twice.")])
        self.assertEqual(lines, ['"A", "B", "C" and 2 more: Only 3 pairs.', "Twice. (2 times)"])

    def test_a_scorer_that_failed_is_never_hidden(self):
        others = [_notes.Note(f"Note {index}.") for index in range(9)]
        failures = [_notes.Note(f"Scorer {index}.", is_failure=True) for index in range(7)]
        lines = _notes.shown_lines([*others, *failures])
        self.assertEqual(lines[:7], [note.text for note in failures])
        self.assertEqual(lines[7:], [*(note.text for note in others[:5]), "(4 more)"])


    def test_what_the_result_rests_on_is_not_hidden_by_runs_that_were_passed_over(self):
        passed_over = [_notes.Note(f"Passed over {index}.") for index in range(9)]
        notes = [
            *passed_over,
            _notes.Note('Compared with run "A".', is_main=True),
            _notes.Note("The system failed on 1 record.", is_failure=True),
        ]
        kept = ["The system failed on 1 record.", 'Compared with run "A".']
        texts = [note.text for note in passed_over]
        self.assertEqual(_notes.shown_lines(notes), [*kept, *texts[:5], "(4 more)"])
        self.assertEqual(_notes.note_lines(notes), [*kept, *texts])


class NearForms(unittest.TestCase):
    def test_a_name_that_is_near_to_a_form_of_a_baseline_is_a_slip(self):
        examples = json.loads((SHARED / "client/test/baseline-forms.json").read_text())
        for example in examples["slips"]:
            with self.subTest(**example):
                self.assertEqual(near_forms(example["wanted"]), [example["near"]])
        for named in examples["names"]:
            with self.subTest(named=named):
                self.assertEqual(near_forms(named), [])


class Options(unittest.TestCase):
    def test_an_option_that_is_none_is_refused(self):
        cases = [
            ({"trials": 0}, "^`trials` must be a whole number from 1 to 100"),
            ({"limit": 1, "sample": 1}, "^`limit` and `sample` exclude each other"),
            ({"gate": {"max": 1}}, "^`gate` has no 'max'; there is 'max_regression', 'min_pass_rate'"),
            ({"gate": 0.02}, "^`gate` must be a dict"),
            (
                {"gate": {"min_pass_rate": 90}},
                '^`min_pass_rate` of `gate` must be a share from 0 to 1 such as 0.9, or a percentage such as "90%"',
            ),
            ({"gate": {"max_errors": "many"}}, "^`max_errors` of `gate` must be a count such as 3"),
            ({"gate": {"min_passes": 2}}, "^`min_passes` of `gate` says what passes for"),
            ({"gate": {"min_pass_rate": 0.9, "min_passes": 2}}, "has 1 record: no testcase could"),
            (
                {"trials": 3, "gate": {"min_pass_rate": 0.9, "min_passes": 4}},
                "is 4, and a testcase has 3 records",
            ),
            ({"metrics": "Same"}, "^`metrics` must be a list of names or ids"),
            ({"baseline": " "}, "^`baseline` must be an id, a name, branch:NAME"),
            ({"testset": None}, "^`testset` must be the name"),
            ({"scores": {"S": 1}}, '^The scorer "S"'),
        ]
        for slip, sentence in cases:
            with self.subTest(slip=slip), self.assertRaisesRegex(assay.AssayError, sentence):
                assay.evaluate("P", system=len, **{"testset": "T", **slip})
        with self.assertRaisesRegex(assay.AssayError, "^`system` must be a function that gets"):
            assay.evaluate("P", testset="T")
        wrong = [5, -1, 1.5, float("nan"), "x", b"x", [1], (), {1: 2}, object(), True, len]
        for name in [*_options.DEFAULTS, "project", "system"]:
            for value in wrong:
                for local in (False, True):
                    given = {"project": "P", "system": len, "url": "http://127.0.0.1:9"}
                    given.update({"testset": "T", "api_key": "k", "quiet": True})
                    if local:
                        given.update({"local": True, "testcases": [{"inputs": {}}]})
                    given[name] = value
                    with self.subTest(name=name, value=value, local=local):
                        try:
                            assay.evaluate(given.pop("project"), **given)
                        except assay.AssayError:
                            pass  # One sentence, of whatever is wrong, or of the server.
        with self.assertRaisesRegex(assay.AssayError, 'no option "tesset".*"testset"'):
            assay.evaluates("P", tesset="T")


class Conclusion(unittest.TestCase):
    def test_the_report_steers_no_terminal(self):
        metric = assay.MetricResult("\x1b[2J" + "m" * 99, "boolean", 1, 0, 0.5, 0.5, None)
        evaluation = assay.Evaluation(None, None, 1, 0, [metric], None, "unknown", 2, "")
        evaluation = dataclasses.replace(evaluation, notes=_notes.shown_lines([_notes.Note("n")] * 9))
        lines = _report.report_lines(evaluation, "T")
        self.assertEqual(lines[0], "T: 1 record")
        resumed = _report.report_lines(evaluation, "T", 1299)
        self.assertEqual(resumed[0], "T: 1,300 records, 1 of them answered now")
        self.assertNotIn("\x1b", "".join(lines))
        self.assertLess(max(map(len, lines)), 81)


class Local(unittest.TestCase):
    def test_own_scorers_and_exact_match_need_no_server(self):
        options = {"trim": True, "ignoreCase": True}
        evaluation = assay.evaluate(
            "P",
            local=True,
            quiet=True,
            trials=2,
            testcases=[{"inputs": {"q": text}, "expected": {"a": "A"}} for text in ("a ", "b")],
            system=lambda inputs: {"a": inputs["q"]},
            scores={"Half": lambda: 0.5},
            metrics=[{"name": "Same", "builtin": {"name": "exact_match", "options": options}}],
        )
        figures = [(metric.name, metric.count, metric.mean) for metric in evaluation.metrics]
        self.assertEqual(figures, [("Half", 2, 0.5), ("Same", 2, 0.5)])
        self.assertEqual((evaluation.records, evaluation.outcome), (4, "unknown"))


if __name__ == "__main__":
    unittest.main()

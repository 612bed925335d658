"""An evaluation under way: the run, and everything that is done with it."""

from __future__ import annotations

import threading
import urllib.parse
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from ._baseline import Baseline, NoBaselineYet, Search, find_baseline
from ._comparison import compare, conclude, lacking_notes
from ._conversion import ConversionLog, json_of
from ._environment import command_line, find_server, is_interactive
from ._errors import AssayError, quoted
from ._evaluation import Comparison, Evaluation, metric_result
from ._execution import CallResult
from ._gate import EVERY_CALL_FAILED, has_only_errors, has_only_limits, judge_first_run
from ._given_rows import read_given_rows
from ._notes import Note, note_lines, shown_lines
from ._preparation import prepare
from ._promotion import check_promotion, promote
from ._report import waiting_sentences
from ._rows import rows_of_run
from ._run_part import RunPart, choice_of, part_of_run
from ._scale import stated_scale
from ._scorers import OwnScore, Scorers, problem_notes, score_body
from ._sender import Sender, client_id_of
from ._stored_records import StoredRecords
from ._system_error import ErrorLog, print_stacks
from ._waiting import await_scores

#: Results that wait for the run at most: it is made when the types of own scores are known.
HELD_MAX = 200

Call = Tuple[Dict[str, Any], int]


class Session:
    def __init__(self, project_name: str, options: Dict[str, Any]):
        # Data becomes JSON by the rule of a system's answers.
        data = {name: json_of(options[name])[0] for name in ("config", "where")}
        options = {**options, **data}
        self.options = options
        testcases = options["testcases"]
        rows = None if testcases is None else read_given_rows(testcases)
        server = find_server(options["url"], options["api_key"], options["patience_ms"])
        self.client, self.url, self._waiting = server.client, server.console_url, server.waiting
        self.scorers = Scorers(options["scores"])
        self._prepared = prepare(self.client, project_name, options, self.scorers, rows)
        self._resumed = self._prepared.resumed
        own = self._prepared.own
        check_promotion(options, self._prepared.system_version_id, self._resumed, own)
        self.project, self.testset = self._prepared.project, self._prepared.testset
        self.title = f"{self.project['name']} · {self.testset['name']}"
        self._trials: int = self._resumed["repeats"] if self._resumed else options["trials"]
        choice = choice_of(own.choice if own else options, self._resumed)
        self._part = RunPart(self.client, self.testset, choice)
        self._stored = StoredRecords(self.client, self._resumed, options["retry_errors"])
        self._before: int = self._resumed["numRecords"] if self._resumed else 0
        self._run: Optional[Dict[str, Any]] = None
        self._sender: Optional[Sender] = None
        self._own_metric_ids: Dict[str, str] = {}
        self._held: List[Tuple[CallResult, List[OwnScore]]] = []
        self._opening = threading.RLock()
        self._counting = threading.Lock()
        #: Sentences on the choice of the baseline.
        self._of_choice: List[str] = []
        # A wrong baseline is told before a call of the system is paid for.
        self._baseline = self._find_baseline()
        self._takes_results = True
        self.records = 0
        self.error_log = ErrorLog()
        self.conversion_log = ConversionLog()

    def calls(self) -> Iterator[Call]:
        """The calls of the system that the run lacks, as the testcases come in."""
        count = 0
        for testcase in self._part.testcases():
            count += 1
            for trial in range(1, self._trials + 1):
                if not self._stored.is_done(client_id_of(testcase["id"], trial)):
                    yield testcase, trial
        if count == 0:
            kind = "testcases for which `where` holds" if self._part.has_condition else "testcases"
            raise AssayError(f"The testset {quoted(self.testset['name'])} has no {kind}.")

    def begin(self) -> None:
        """Makes the run, unless it waits for the types of own scores."""
        if self.scorers.are_known() or self._resumed:
            self._ensure_open()

    def baseline(self) -> Optional[Baseline]:
        """The run that the result will be compared with."""
        return self._baseline if isinstance(self._baseline, Baseline) else None

    def _find_baseline(self) -> Union[Baseline, NoBaselineYet]:
        """An AssayError where a baseline was named that can be compared in nothing."""
        named = self.options["baseline"]
        search = Search(
            self.client, self._prepared, self._run_id(), self._candidate(), self._of_choice
        )
        found = find_baseline(search, named, self.options["gate"] is not None)
        if named is None or not isinstance(found, Baseline):
            return found
        own = [metric["id"] for metric in self._prepared.own_metrics.values()]
        if set(found.metric_ids).isdisjoint([*self._prepared.metric_ids, *own]):
            raise AssayError(
                f"The baseline, {found.description}, has none of the metrics of this evaluation, "
                "so that nothing can be compared: give another one, or add its metrics."
            )
        return found

    def stop_taking(self) -> None:
        """From now on results come too late."""
        self._takes_results = False

    def take(self, result: CallResult) -> None:
        """Scores a result, and stores it soon: raises when earlier ones could not be stored."""
        if not self._takes_results:
            return
        scores = self.scorers.score(result)
        with self._counting:
            self._held.append((result, scores))
            self.records += 1
            if result.error is not None:
                self.error_log.add(result.error)
            self.conversion_log.add(result.notes)
            must_wait = not self.scorers.are_known() and len(self._held) < HELD_MAX
        if self._run is None and must_wait and not self._resumed:
            return
        self._ensure_open()
        self._flush_held()

    def finish(self, of_calls: Sequence[Note] = ()) -> Evaluation:
        """Waits for the scores, and compares. `of_calls` are notes on the calls of the system."""
        self._ensure_open()
        self._flush_held()
        self._sender.flush()
        run_id = self._run["id"]
        self._run = await_scores(self.client, run_id, self._note_progress)
        limits = self.options["gate"] or {}
        passes = limits.get("min_passes") or 0
        summary = self.client.request("GET", f"/runs/{run_id}/summary?minPasses={passes}")
        every_call_failed = has_only_errors(summary)
        found, conclusion, said = self._conclusion_on(run_id, summary, limits)
        outcome, exit_code, reason = conclusion
        promoted = promote(self.client, self._run, self.options, outcome)
        path = f"{self.url}/projects/{self.project['id']}"
        names = {each["metricVersionId"]: each["name"] for each in summary["metrics"]}
        failures = self._failure_notes(run_id, summary["metrics"])
        if not self.options.get("quiet"):
            print_stacks(self.error_log, self.scorers)
        errors = [*self.error_log.notes(), *self.conversion_log.notes()]
        if every_call_failed:
            errors = [*errors, Note(EVERY_CALL_FAILED, is_failure=True)]
        part = part_of_run(self._run)
        parts = [] if part is None else [Note(f"The run is {part}.", is_main=True)]
        stored = self._prepared.own.notes if self._prepared.own else []
        told = [*promoted, *stored, *errors, *parts, *map(Note, self._of_choice), *said]
        notes = [*told, *failures, *self._own_notes(every_call_failed), *of_calls]
        return Evaluation(
            run_id=run_id,
            link=found.link if found else f"{path}/runs/{run_id}",
            records=self.records,
            errors=self.error_log.count,
            metrics=[metric_result(metric) for metric in summary["metrics"]],
            comparison=found,
            error_rate=metric_result(summary["errors"]),
            outcome=outcome,
            exit_code=exit_code,
            reason=reason,
            every_call_failed=every_call_failed,
            notes=note_lines(notes),
            _shown_notes=shown_lines(notes),
            _rows=lambda: rows_of_run(self.client, run_id, names),
        )

    def _conclusion_on(
        self, run_id: str, summary: Dict[str, Any], limits: Dict[str, Any]
    ) -> Tuple[Optional[Comparison], Tuple[str, int, str], List[Note]]:
        """What the run is beside its baseline; of a first run, whether it is within its limits."""
        baseline = self._baseline
        if isinstance(baseline, NoBaselineYet):
            judged = judge_first_run(summary, limits)
            conclusion = ("unknown", 2, baseline.reason)
            start = "A first run:" if baseline.is_first else "Within its limits."
            is_told = baseline.is_first or has_only_limits(limits) or has_only_errors(summary)
            if is_told or judged.outcome == "worse":
                conclusion = conclude(judged, f"{start} {baseline.reason}")
            return None, conclusion, [Note(conclusion[2], is_main=True), *lacking_notes(judged)]
        query = urllib.parse.urlencode({"baseline": baseline.run_id, "candidate": run_id})
        link = f"{self.url}/projects/{self.project['id']}/compare?{query}"
        compared = compare(self.client, baseline, run_id, summary, limits, link)
        if isinstance(compared, str):
            return None, ("unknown", 2, compared), [Note(compared, is_main=True)]
        told = f"Compared with {baseline.description}."
        notes = [Note(told, is_main=True), *compared.notes]
        return compared.comparison, conclude(compared.judged), notes

    def pause(self) -> None:
        """Stores what there is, and pauses the scoring."""
        if self._run is None and not self._held:
            return
        self._ensure_open()
        self._flush_held()
        self._sender.flush()
        self.client.request("POST", f"/runs/{self._run['id']}/pause")

    def how_to_resume(self) -> Optional[str]:
        """The sentence that says how to go on; None as long as there is no run."""
        run_id = self._run_id()
        if run_id is None:
            return None
        if is_interactive():
            return f'To go on: evaluate again with resume="{run_id}".'
        return f"To go on: ASSAY_RESUME={run_id} {command_line()}"

    def kept(self) -> int:
        """How many records of the run are from before this evaluation."""
        run = self._run or self._resumed
        return max(run["numRecords"] - self.records, 0) if self._resumed else 0

    def failure(self) -> Optional[BaseException]:
        return self._sender.failure() if self._sender else None

    def progress(self) -> Dict[str, Any]:
        return {
            "records": self._before + self.records,
            "expected": self._expected(),
            "errors": self.error_log.count,
            "scoring": self._run["scoring"] if self._run else None,
            "waiting": self._waiting.reason() or next(iter(waiting_sentences(self._run)), None),
        }

    on_progress = staticmethod(lambda: None)

    def _note_progress(self, run: Dict[str, Any]) -> None:
        self._run = run
        self.on_progress()

    def _expected(self) -> Optional[int]:
        wanted = self.options["limit"] or self.options["sample"]
        expected = self._run["numExpectedRecords"] if self._run else None
        if wanted is None or expected is None:
            return expected if wanted is None else wanted * self._trials
        return min(wanted * self._trials, expected)

    def _run_id(self) -> Optional[str]:
        return (self._run or self._resumed or {}).get("id")

    def _candidate(self) -> Dict[str, Any]:
        """The run as those see it who look for its baseline, which may be before it is made."""
        run_id = self._run_id()
        if run_id is not None:
            return {"runId": run_id}
        own = self._prepared.own_metrics
        ids = self._part.testcase_ids()
        candidate: Dict[str, Any] = {"testsetId": self.testset["id"]}
        # Metrics of own scorers may still have to be made: then any metric is in common.
        if all(name in own for name in self.scorers.names):
            metric_ids = [metric["id"] for metric in own.values()]
            candidate["metricIds"] = [*self._prepared.metric_ids, *metric_ids]
        if ids is not None:
            candidate["testcaseIds"] = ids
        return candidate

    def _ensure_open(self) -> None:
        with self._opening:
            if self._sender is None:
                self._open()

    def _open(self) -> None:
        """Makes the run, or takes up the one to resume."""
        own = self._find_or_make_metrics()
        run = self._resumed
        if run is None:
            options = self.options
            body = {
                "testsetId": self.testset["id"],
                "metricIds": list(dict.fromkeys([*self._prepared.metric_ids, *own.values()])),
                "repeats": self._trials,
                **self._part.body(),
                "labels": self._prepared.labels,
                "systemVersionId": self._prepared.system_version_id,
                "name": options["name"],
                "budgetUsd": options["budget_usd"],
            }
            given = {name: value for name, value in body.items() if value is not None}
            run = self.client.request("POST", f"/projects/{self.project['id']}/runs", given)
        elif run["isPaused"]:
            self.client.request("POST", f"/runs/{run['id']}/resume")
        self._own_metric_ids = {
            name: metric_id for name, metric_id in own.items() if metric_id in run["metricIds"]
        }
        self._run = run
        self._sender = Sender(self.client, run["id"])

    def _find_or_make_metrics(self) -> Dict[str, str]:
        ids = {}
        self.scorers.settle()
        for name in self.scorers.names:
            existing = self._prepared.own_metrics.get(name)
            metric = self.scorers.metric_of(name)
            if existing is not None:
                ids[name] = existing["id"]
            elif metric is not None and self._resumed is None:
                body = {
                    "name": name,
                    "description": "Scored by the evaluations themselves.",
                    "evalType": "heuristic",
                    "outputType": metric["outputType"],
                    **stated_scale(metric),
                }
                path = f"/projects/{self.project['id']}/metrics"
                ids[name] = self.client.create_once(path, body)["id"]
        return ids

    def _flush_held(self) -> None:
        with self._counting:
            held, self._held = self._held, []
        for result, scores in held:
            own_scores = [
                {
                    "metricId": self._own_metric_ids[score.name],
                    "score": score_body(score, self.scorers.metric_of(score.name)),
                }
                for score in scores
                if score.name in self._own_metric_ids
            ]
            body: Dict[str, Any] = {
                "inputs": result.testcase["inputs"],
                "expected": result.testcase["expected"],
                "metrics": {"latencyMs": result.latency_ms},
                "systemAttempts": result.attempts,
            }
            if result.notes:
                body["notes"] = result.notes
            if result.error is not None:
                body["error"] = result.error
            else:
                body["outputs"] = result.outputs
            if result.otel_link_id is not None:
                body["otelLinkId"] = result.otel_link_id
            if own_scores:
                body["scores"] = own_scores
            if self._stored.make_room(client_id_of(result.testcase["id"], result.trial)):
                self._before -= 1
            self._sender.push(result.testcase["id"], result.trial, body)

    def _failure_notes(self, run_id: str, metrics: List[Dict[str, Any]]) -> List[Note]:
        scoring = self._run["scoring"]
        notes = []
        if scoring["pending"] > 0:
            text = f"{scoring['pending']} scores have still to be given, by people or programs."
            notes.append(Note(text))
        if scoring["failed"] == 0:
            return notes
        data = self.client.request("GET", f"/runs/{run_id}/failures?limit=100")["data"]
        reasons: Dict[str, str] = {}
        for each in data:
            reasons.setdefault(each["metricVersionId"], f": {each['code']}: {each['message']}")
        for metric in metrics:
            if metric["failed"] > 0:
                scores = "score" if metric["failed"] == 1 else "scores"
                why = reasons.get(metric["metricVersionId"], ".")
                text = f"{metric['failed']} {scores} failed{why}"
                notes.append(Note(text, metric=metric["name"], is_failure=True))
        return notes

    def _own_notes(self, every_call_failed: bool) -> List[Note]:
        notes = problem_notes(self.scorers)
        for name in self.scorers.names:
            # Without an answer there are no scores that could have been kept.
            if every_call_failed or name in self._own_metric_ids:
                continue
            why = (
                "the run was begun without that scorer."
                if self._resumed
                else "its first values do not tell what kind they are. "
                "Make its metric in the console first."
            )
            text = f"The scores of {quoted(name)} were not kept: {why}"
            notes.append(Note(text, is_failure=True))
        refused = self._sender.refused
        if refused:
            text = f"{len(refused)} records were refused. {refused[0]}"
            notes.append(Note(text, is_failure=True))
        return notes

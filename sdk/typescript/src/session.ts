import type { ReplyOf } from '@assay/client/operations';
import { partOfRun } from '@assay/client/part-of-run';
import { timeOfDay, waitingSentences } from '@assay/client/waiting-for';
import { everyCallFailedSentence, hasOnlyErrors } from '@assay/comparison/errors';
import { type BaselineSearch, findBaseline } from './baseline.ts';
import {
  compare,
  conclude,
  hasOnlyLimits,
  judgeAlone,
  lackingNotes,
  unknownFor,
} from './comparison.ts';
import { createConversionLog, jsonOf } from './conversion.ts';
import { commandLine } from './environment.ts';
import type { Evaluation, Json, ServerOptions } from './evaluation.ts';
import type { CallResult } from './execution.ts';
import { AssayError, sentenceOf } from './failure.ts';
import { readGivenRows } from './given-rows.ts';
import { type Note, noteLines, shownLines } from './notes.ts';
import { makeOwnMetric } from './own-metric.ts';
import { prepare } from './preparation.ts';
import type { ProgressState } from './progress.ts';
import { checkPromotion, promote } from './promotion.ts';
import { rowsOfRun } from './rows.ts';
import {
  choiceOfResumed,
  isPart,
  partBody,
  type StoredTestcase,
  testcaseIdsOf,
  testcasesOf,
} from './run-part.ts';
import { createScorers, type OwnScore, problemNotes, scoreBody } from './scorers.ts';
import { clientIdOf, createSender, type Sender } from './sender.ts';
import { findServer } from './server.ts';
import { readStoredRecords } from './stored-records.ts';
import { createErrorLog, printStacks } from './system-error.ts';
import { awaitScores, type Run } from './waiting.ts';

/** A call that is still to be made. */
export interface Call {
  testcase: StoredTestcase;
  trial: number;
}

/** An evaluation under way: the run, and everything that is done with it. */
export interface Session {
  /** "Support · Questions" */
  title: string;
  url: string;
  /** The calls of the system that the run lacks, as the testcases come in. */
  calls(): AsyncGenerator<Call>;
  /** Makes the run, unless it waits for the types of own scores. */
  begin(): Promise<void>;
  /** The run that the result will be compared with, or why there is none yet. */
  baseline(): BaselineSearch;
  /** Scores a result, and stores it soon: rejects when earlier ones could not be stored. */
  take(result: CallResult<StoredTestcase>): Promise<void>;
  /** Waits for the scores, and compares. `ofCalls` are notes on the calls of the system. */
  finish(ofCalls?: Note[]): Promise<Evaluation>;
  /** Stores the results that wait, and pauses the scoring. */
  pause(): Promise<void>;
  /** The sentence that says how to go on; undefined as long as there is no run. */
  howToResume(): string | undefined;
  progress(): ProgressState;
  /** How many records of the run are from before this evaluation. */
  kept(): number;
  /** The notes of the result as they are printed. */
  shownNotes(): string[];
}

type RunSummary = ReplyOf<'GET', '/runs/:runId/summary'>;
type RunMetric = RunSummary['metrics'][number];

/** Results that wait for the run at most: it is made when the types of own scores are known. */
const heldMax = 200;

export async function openSession(projectName: string, given: ServerOptions): Promise<Session> {
  const options = withJson(given);
  const { testcases } = options;
  const rows = testcases === undefined ? undefined : await readGivenRows(testcases);
  const server = await findServer(options);
  const { client, consoleUrl } = server;
  const scorers = createScorers(options.scores);
  const prepared = await prepare({ client, projectName, options, scorers, rows });
  const { project, testset, resumed, own } = prepared;
  checkPromotion(options, prepared);
  const trials = resumed?.repeats ?? options.trials ?? 1;
  const asked = own?.choice ?? options;
  const choice = resumed ? choiceOfResumed(resumed, asked) : asked;
  const subject = { client, testset, choice };
  const metricIds = [...prepared.metricIds, ...[...prepared.ownMetrics.values()].map(idOf)];
  const areMetricsMade = scorers.names.every((name) => prepared.ownMetrics.has(name));
  // A wrong baseline is told before a call of the system is paid for.
  const search = await findBaseline({
    client,
    projectId: project.id,
    testset,
    named: options.baseline,
    systemId: prepared.systemId,
    productionVersionId: prepared.productionVersionId,
    isGate: options.gate !== undefined,
    ownRunId: resumed?.id,
    metricIds: areMetricsMade ? metricIds : undefined,
    testcaseIds: !resumed && isPart(choice) ? await testcaseIdsOf(subject) : undefined,
  });
  checkCommonMetrics(options, search, metricIds);
  const stored = await readStoredRecords({
    client,
    run: resumed,
    retryErrors: options.retryErrors ?? false,
  });
  const counts = { records: 0, before: resumed?.numRecords ?? 0 };
  const errors = createErrorLog();
  const conversions = createConversionLog();
  const held: { result: CallResult<StoredTestcase>; scores: OwnScore[] }[] = [];
  let run: Run | undefined;
  let sender: Sender | undefined;
  let ownMetricIds = new Map<string, string>();
  let opening: Promise<void> | undefined;
  let notes: Note[] = [];

  /** Makes the run, or takes up the one to resume. */
  async function open(): Promise<void> {
    ownMetricIds = await findOrMakeMetrics();
    const metricIds = [...new Set([...prepared.metricIds, ...ownMetricIds.values()])];
    if (resumed?.isPaused)
      await client.request('POST', '/runs/:runId/resume', { params: { runId: resumed.id } });
    run =
      resumed ??
      (await client.request('POST', '/projects/:projectId/runs', {
        params: { projectId: project.id },
        body: {
          testsetId: testset.id,
          metricIds,
          repeats: trials,
          ...(await partBody(subject)),
          labels: prepared.labels,
          ...(prepared.systemVersionId ? { systemVersionId: prepared.systemVersionId } : {}),
          ...(options.name === undefined ? {} : { name: options.name }),
          ...(options.budgetUsd === undefined ? {} : { budgetUsd: options.budgetUsd }),
        },
      }));
    const isOfRun = ([, id]: [string, string]) => run!.metricIds.includes(id);
    ownMetricIds = new Map([...ownMetricIds].filter(isOfRun));
    sender = createSender({ client, runId: run.id });
  }

  /** Finds the metrics of own scorers, or makes them where the first values tell their type. */
  async function findOrMakeMetrics(): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    scorers.settle();
    for (const name of scorers.names) {
      const existing = prepared.ownMetrics.get(name);
      const metric = scorers.metricOf(name);
      if (!existing && (metric === undefined || resumed)) continue;
      const made = existing ?? (await makeOwnMetric(client, project.id, { name, ...metric! }));
      ids.set(name, made.id);
    }
    return ids;
  }

  async function* calls(): AsyncGenerator<Call> {
    let count = 0;
    for await (const testcase of testcasesOf(subject)) {
      count += 1;
      for (let trial = 1; trial <= trials; trial++)
        if (!stored.isDone(clientIdOf({ testcaseId: testcase.id, trial })))
          yield { testcase, trial };
    }
    if (count > 0) return;
    const kind = choice.where ? 'testcases for which `where` holds' : 'testcases';
    throw new AssayError(`The testset ${JSON.stringify(testset.name)} has no ${kind}.`);
  }

  async function flushHeld(): Promise<void> {
    for (const { result, scores } of held.splice(0)) {
      const { testcase, trial, outputs, error, otelLinkId, latencyMs, attempts, notes } = result;
      const ownScores = scores.flatMap((score) => {
        const metricId = ownMetricIds.get(score.name);
        return metricId
          ? [{ metricId, score: scoreBody(score, scorers.metricOf(score.name)!) }]
          : [];
      });
      const body: Json & { inputs: unknown; expected: unknown } = {
        inputs: testcase.inputs,
        expected: testcase.expected,
        ...(error ? { error } : { outputs }),
        metrics: { latencyMs },
        systemAttempts: attempts,
        ...(notes.length > 0 ? { notes } : {}),
        ...(otelLinkId ? { otelLinkId } : {}),
        ...(ownScores.length > 0 ? { scores: ownScores } : {}),
      };
      const name = { testcaseId: testcase.id, trial };
      if (await stored.makeRoom(clientIdOf(name))) counts.before -= 1;
      await sender!.push({ ...name, body });
    }
  }

  async function ensureOpen(): Promise<void> {
    opening ??= open();
    await opening;
  }

  async function finish(ofCalls: Note[] = []): Promise<Evaluation> {
    await ensureOpen();
    await flushHeld();
    await sender!.flush();
    const { id: runId } = run!;
    run = await awaitScores({ server, runId, onProgress: (latest) => (run = latest) });
    const summary = await client.request('GET', '/runs/:runId/summary', {
      params: { runId },
      query: { minPasses: options.gate?.minPasses ?? 0 },
    });
    const { metrics } = summary;
    const everyCallFailed = hasOnlyErrors(summary.errors);
    const { comparison, conclusion, ...said } = await conclusionOn(runId, summary);
    const promoted = await promote({ client, run, options, outcome: conclusion.outcome });
    if (!options.quiet) printStacks([errors, scorers]);
    const part = partOfRun(run);
    notes = [
      ...promoted,
      ...(own?.notes ?? []),
      ...(part === undefined ? [] : [{ text: `The run is ${part}.`, isMain: true }]),
      ...errors.notes(),
      ...conversions.notes(),
      ...(everyCallFailed ? [{ text: everyCallFailedSentence, isFailure: true }] : []),
      ...search.told.map((text) => ({ text })),
      ...said.notes,
      ...(await failureNotes(runId, metrics)),
      ...ownNotes(everyCallFailed),
      ...ofCalls,
    ];
    const names = new Map(metrics.map(({ metricVersionId, name }) => [metricVersionId, name]));
    return {
      runId,
      link: comparison?.link ?? `${consoleUrl}/projects/${project.id}/runs/${runId}`,
      records: counts.records,
      errors: errors.count(),
      metrics,
      errorRate: summary.errors,
      comparison,
      ...(everyCallFailed ? { everyCallFailed } : {}),
      ...conclusion,
      notes: noteLines(notes),
      rows: () => rowsOfRun({ client, runId, names }),
    };
  }

  /** The verdict beside the baseline; of a first run, whether it is within its limits. */
  async function conclusionOn(runId: string, summary: RunSummary) {
    const { gate } = options;
    const { baseline } = search;
    if (!baseline) {
      const judged = judgeAlone(summary, gate);
      const { isFirst, whyNone } = search;
      const isTold =
        isFirst ||
        hasOnlyLimits(gate) ||
        judged.outcome === 'worse' ||
        hasOnlyErrors(summary.errors);
      const alone = isFirst ? `A first run: ${whyNone}` : `Within its limits. ${whyNone}`;
      const conclusion = isTold ? conclude(judged, alone) : unknownFor(whyNone);
      const notes: Note[] = [{ text: conclusion.reason, isMain: true }, ...lackingNotes(judged)];
      return { comparison: null, conclusion, notes };
    }
    const query = new URLSearchParams({ baseline: baseline.runId, candidate: runId });
    const link = `${consoleUrl}/projects/${project.id}/compare?${query}`;
    const compared = await compare({ client, baseline, runId, summary, gate, link });
    if (typeof compared === 'string')
      return {
        comparison: null,
        conclusion: unknownFor(compared),
        notes: [{ text: compared, isMain: true }],
      };
    const { comparison, judged, notes } = compared;
    return {
      comparison,
      conclusion: conclude(judged),
      notes: [{ text: `Compared with ${baseline.description}.`, isMain: true }, ...notes],
    };
  }

  /** Why scores failed, by the service's own words. */
  async function failureNotes(runId: string, metrics: RunMetric[]): Promise<Note[]> {
    const { failed, pending } = run!.scoring;
    const awaited =
      pending > 0
        ? [{ text: `${pending} scores have still to be given, by people or programs.` }]
        : [];
    if (failed === 0) return awaited;
    const { data } = await client.request('GET', '/runs/:runId/failures', {
      params: { runId },
      query: { limit: 100 },
    });
    const failing = metrics.filter((metric) => metric.failed > 0);
    return [
      ...awaited,
      ...failing.map(({ name, metricVersionId, failed: count }) => {
        const first = data.find((failure) => failure.metricVersionId === metricVersionId);
        const why = first ? `: ${first.code}: ${first.message}` : '.';
        const text = `${count} ${count === 1 ? 'score' : 'scores'} failed${why}`;
        return { text, metric: name, isFailure: true };
      }),
    ];
  }

  function ownNotes(everyCallFailed: boolean): Note[] {
    // Without an answer there are no scores that could have been kept.
    const unknown = scorers.names.filter((name) => !everyCallFailed && !ownMetricIds.has(name));
    return [
      ...problemNotes(scorers),
      ...unknown.map((name) => ({
        text: `The scores of ${JSON.stringify(name)} were not kept: ${
          resumed
            ? 'the run was begun without that scorer.'
            : 'its first values do not tell what kind they are. Make its metric in the console first.'
        }`,
        isFailure: true,
      })),
      ...(sender!.refused.length > 0
        ? [
            {
              text: `${sender!.refused.length} records were refused. ${sender!.refused[0]!.message}`,
              isFailure: true,
            },
          ]
        : []),
    ];
  }

  const runId = () => run?.id ?? resumed?.id;
  return {
    title: `${project.name} · ${testset.name}`,
    url: consoleUrl,
    calls,
    begin: async () => {
      if (scorers.areKnown() || resumed) await ensureOpen();
    },
    baseline: () => search,
    finish,
    async take(result) {
      const scores = await scorers.score(result);
      held.push({ result, scores });
      counts.records += 1;
      if (result.error) errors.add(result.error);
      conversions.add(result.notes);
      const mustWait = !scorers.areKnown() && !resumed && held.length < heldMax;
      if (opening === undefined && mustWait) return;
      await ensureOpen();
      await flushHeld();
    },
    async pause() {
      if (run === undefined && held.length === 0) return;
      await ensureOpen();
      await flushHeld();
      await sender!.flush();
      await client.request('POST', '/runs/:runId/pause', { params: { runId: run!.id } });
    },
    shownNotes: () => shownLines(notes),
    kept: () => (resumed ? Math.max((run ?? resumed).numRecords - counts.records, 0) : 0),
    howToResume: () =>
      runId() === undefined ? undefined : `To go on: ASSAY_RESUME=${runId()} ${commandLine()}`,
    progress: () => ({
      records: counts.before + counts.records,
      recordsExpected: expectedRecords({ run, options, trials }),
      errors: errors.count(),
      scoring: run && run.scoring.expected > 0 ? run.scoring : undefined,
      waiting: server.waiting() ?? waitingSentences(run ?? {}, timeOfDay)[0],
    }),
  };
}

/** Options whose data is JSON, by the rule of a system's answers. */
function withJson(options: ServerOptions): ServerOptions {
  const jsonIn = (value: Json) => jsonOf(value, []).json as Json;
  const { config, where } = options;
  return {
    ...options,
    ...(config ? { config: jsonIn(config) } : {}),
    ...(where ? { where: jsonIn(where) } : {}),
  };
}

const idOf = ({ id }: { id: string }): string => id;

/** @throws AssayError where a baseline was named that can be compared in nothing. */
function checkCommonMetrics(
  { baseline: named }: ServerOptions,
  { baseline }: BaselineSearch,
  metricIds: string[],
): void {
  if (named === undefined || !baseline) return;
  if (metricIds.some((id) => baseline.metricIds.includes(id))) return;
  throw new AssayError(
    `The baseline, ${baseline.description}, has none of the metrics of this evaluation, so that nothing can be compared: give another one, or add its metrics.`,
  );
}

function expectedRecords({
  run,
  options: { limit, sample },
  trials,
}: {
  run: Run | undefined;
  options: ServerOptions;
  trials: number;
}): number | undefined {
  const wanted = limit ?? sample;
  const all = run?.numExpectedRecords ?? undefined;
  if (wanted === undefined) return all;
  return Math.min(wanted * trials, all ?? Number.POSITIVE_INFINITY);
}

/** Turns a refusal of the server, or its absence, into a sentence with advice. */
export async function withSentence<Result>(
  work: () => Promise<Result>,
  { url }: Pick<ServerOptions, 'url'>,
  session?: Session,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const sentence = sentenceOf(error, session?.url ?? url ?? 'ASSAY_URL');
    if (sentence === undefined) throw error;
    const howToResume = session?.howToResume();
    throw new AssayError(howToResume === undefined ? sentence : `${sentence} ${howToResume}`);
  }
}

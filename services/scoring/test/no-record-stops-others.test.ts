import { start as startCatalog } from '@assay/catalog/service';
import type { Identity } from '@assay/contracts/define';
import { Failure, unavailable } from '@assay/contracts/failure';
import type { MetricVersion } from '@assay/contracts/metrics';
import { JsonText } from '@assay/contracts/payload';
import type { Judgement } from '@assay/contracts/run-records';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { guardItem } from '@assay/runtime/concurrency/guard-item';
import { poll } from '@assay/testing/poll';
import { startWorld } from '@assay/testing/world';
import { describe, expect, test } from 'vitest';
import { createDeadLetters } from '../src/domain/dead-letters.ts';
import {
  createEvaluate,
  type EvaluationReply,
  type PendingScore,
} from '../src/domain/evaluation.ts';
import { createHandOver } from '../src/domain/hand-over.ts';
import { createPairJudging } from '../src/domain/pairwise/pair-judging.ts';
import { start } from '../src/service.ts';

const identity = { organizationId: 'o' } as Identity;
const text = (json: string) => new JsonText(Buffer.from(json));
const pendingScore = (recordId: string, outputs = '{}'): PendingScore => ({
  recordId,
  metric: {
    metricVersionId: 'v',
    outputType: 'float',
    builtin: { name: 'levenshtein', options: text('{}') },
  } as MetricVersion,
  inputs: text('{}'),
  expected: text('{}'),
  outputs: text(outputs),
});
const done = { evaluation: { ok: true as const, value: 1, reasoning: '' }, durationMs: 1 };

/** Evaluates by a worker that throws the errors of `read` for the texts of a group. */
const evaluateBy = (read: (outputs: string[]) => EvaluationReply[]) =>
  createEvaluate({
    inWorker: async (task) => ({
      result: read(task.scores.map(({ outputs }) => Buffer.from(outputs).toString())),
      ranMs: 1,
    }),
    schemaChecker: {} as never,
    codeSandbox: { evaluate: () => Promise.reject(new Error('the sandbox broke')) },
    inSandboxTurn: (work) => work(),
    runawayCode: { reason: () => undefined, note: () => undefined },
    findRounded: async () => [],
  });
const outcomes = (judgements: Judgement[]) =>
  Object.fromEntries(judgements.map(({ recordId, outcome }) => [recordId, outcome]));

describe('a record that an evaluator throws at', () => {
  test('fails alone with the sentence of the error, and the others of its group are scored', async () => {
    const scores = ['a', 'b', 'c'].map((id) => pendingScore(id, id === 'b' ? 'no JSON' : '{}'));
    const evaluate = evaluateBy((outputs) =>
      outputs.map((json) => {
        const guarded = guardItem(() => JSON.parse(json));
        return 'result' in guarded ? done : guarded;
      }),
    );
    expect(outcomes(await evaluate(scores, 1))).toMatchObject({
      a: { kind: 'score', value: 1 },
      b: {
        kind: 'failure',
        code: 'code_error',
        message: expect.stringMatching(/^levenshtein failed on this record: .*JSON/),
      },
      c: { kind: 'score', value: 1 },
    });
  });

  test('fails alone where it ends the whole worker', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `r${index}`);
    const evaluate = evaluateBy((outputs) => {
      if (outputs.includes('{"poison":1}')) throw new Error('could not be cloned');
      return outputs.map(() => done);
    });
    const scores = ids.map((id) => pendingScore(id, id === 'r57' ? '{"poison":1}' : '{}'));
    const judgements = await evaluate(scores, 1);
    expect(judgements).toHaveLength(100);
    const failed = judgements.filter(({ outcome }) => outcome.kind === 'failure');
    expect(failed.map(({ recordId }) => recordId)).toEqual(['r57']);
  });

  test('fails alone where the value is none of its metric', async () => {
    const evaluate = evaluateBy((outputs) =>
      outputs.map((_output, index) =>
        index === 0 ? { ...done, evaluation: { ...done.evaluation, value: Number.NaN } } : done,
      ),
    );
    expect(outcomes(await evaluate([pendingScore('a'), pendingScore('b')], 1))).toMatchObject({
      a: { kind: 'failure', code: 'code_error', message: expect.stringContaining('NaN') },
      b: { kind: 'score' },
    });
  });

  test('fails alone where its code cannot be run', async () => {
    const score = pendingScore('a');
    const metric = { ...score.metric, builtin: undefined, code: { language: 'javascript' } };
    const evaluate = evaluateBy(() => []);
    expect(outcomes(await evaluate([{ ...score, metric: metric as never }], 1))).toMatchObject({
      a: {
        code: 'code_error',
        message: 'The code failed on this record: the sandbox broke',
      },
    });
  });

  test('is tried again with all others where the fault is an outage', async () => {
    const evaluate = evaluateBy(() => {
      throw unavailable('The service is stopping: try again.');
    });
    await expect(evaluate([pendingScore('a')], 1)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});

describe('code that says that its metric does not apply', () => {
  const exempt: Judgement = {
    recordId: 'a',
    metricVersionId: 'v',
    outcome: {
      kind: 'notApplicable',
      reasoning: 'The answer cites nothing.',
      source: 'heuristic',
      provenance: {
        metricVersionId: 'v',
        evaluator: 'javascript',
        durationMs: 1,
        attempts: 1,
      },
    },
  };

  test('is no failure, and keeps its reason', async () => {
    const score = pendingScore('a');
    const metric = { ...score.metric, builtin: undefined, code: { language: 'javascript' } };
    const evaluate = createEvaluate({
      inWorker: () => Promise.reject(new Error('no worker')),
      schemaChecker: {} as never,
      codeSandbox: {
        evaluate: async () => ({
          ok: true,
          value: null,
          reasoning: 'The answer cites nothing.',
          durationMs: 1,
        }),
      },
      inSandboxTurn: (work) => work(),
      runawayCode: { reason: () => undefined, note: () => undefined },
      findRounded: async () => [],
    });
    expect(await evaluate([{ ...score, metric: metric as never }], 1)).toEqual([exempt]);
  });

  test('is a failure for a process of an earlier release, whose other scores are kept', async () => {
    const accepted: Judgement[][] = [];
    const handOver = createHandOver({
      runRecords: {
        acceptJudgements: async (_identity: Identity, body: { judgements: Judgement[] }) => {
          if (body.judgements.some(({ outcome }) => outcome.kind === 'notApplicable'))
            throw new Failure('VALIDATION_ERROR', 'not a kind of outcome');
          accepted.push(body.judgements);
        },
      } as never,
      store: { keepFailed: async () => undefined } as never,
      newId: () => 'id',
      now: () => new Date(),
    });
    const other = {
      ...exempt,
      recordId: 'b',
      outcome: { ...exempt.outcome, kind: 'score', value: 1 },
    };
    await handOver(identity, 'r', [exempt, other as Judgement]);
    expect(accepted).toEqual([
      [
        {
          ...exempt,
          outcome: expect.objectContaining({
            kind: 'failure',
            message: 'The metric does not apply: The answer cites nothing.',
          }),
        },
        other,
      ],
    ]);
  });
});

describe('a job that became a dead letter', () => {
  function settingOf() {
    const accepted: Judgement[] = [];
    const pages = [['a', 'b'], ['c']];
    const giveUp = createDeadLetters({
      runRecords: {
        readForScoring: async (_identity: Identity, { recordIds }: { recordIds: string[] }) => ({
          records: pages[recordIds.length === 3 ? 0 : 1]!.map((id) => ({ id, pending: ['v'] })),
          remaining: recordIds.length === 3 ? ['c'] : [],
        }),
        acceptJudgements: async (_identity: Identity, body: { judgements: Judgement[] }) => {
          accepted.push(...body.judgements);
        },
      } as never,
      store: { keepFailed: async () => undefined } as never,
      newId: () => 'id',
      now: () => new Date(),
    });
    return { giveUp, accepted, job: { runId: 'r', recordIds: ['a', 'b', 'c'] } };
  }

  test('is a failure of each score that it left pending, with its reason', async () => {
    const { giveUp, accepted, job } = settingOf();
    await giveUp(identity, job, new Failure('INTERNAL_ERROR', 'Something went wrong on our side.'));
    expect(accepted.map(({ recordId }) => recordId)).toEqual(['a', 'b', 'c']);
    expect(accepted[0]!.outcome).toEqual({
      kind: 'failure',
      code: 'code_error',
      message: 'The score was not made: Something went wrong on our side.',
      attempts: 0,
    });
  });

  test('is no failure after an outage: the sweep publishes it again', async () => {
    const { giveUp, accepted, job } = settingOf();
    await giveUp(identity, job, unavailable('The database does not answer.'));
    expect(accepted).toEqual([]);
  });
});

describe('a job of pairs that became a dead letter', () => {
  const job = { comparisonId: 'c', judgementIds: ['j'], model: 'gpt-4o' };

  async function keptAfter(error: unknown) {
    const kept: { order: string; answer: { failure: unknown } }[] = [];
    const pending = [{ id: 'j', comparisonId: 'c', forward: null, backward: { prefers: 'tie' } }];
    const { giveUp } = createPairJudging({
      store: {
        pairwise: {
          findPending: async () => pending,
          keepAnswer: async (_organizationId: string, answer: (typeof kept)[number]) =>
            void kept.push(answer),
        },
      } as never,
      comparedRuns: {} as never,
      judge: () => Promise.reject(new Error('no judge')),
      judges: {} as never,
      judgeConcurrency: 1,
      knownVersions: async () => new Map(),
      signal: new AbortController().signal,
    });
    await giveUp(identity, job, error);
    return kept;
  }

  test('is a failure of each question that it left open, with its reason', async () => {
    expect(await keptAfter(new Error('the pair is odd'))).toEqual([
      expect.objectContaining({
        order: 'forward',
        answer: expect.objectContaining({
          failure: { code: 'code_error', message: 'The score was not made: the pair is odd' },
        }),
      }),
    ]);
  });

  test('is no failure after an outage: the sweep publishes it again', async () => {
    expect(await keptAfter(unavailable('The database does not answer.'))).toEqual([]);
  });
});

test('one number beyond a double leaves the 59 other records of its upload scored, and the run completed', async () => {
  await using world = await startWorld({
    services: {
      catalog: startCatalog,
      metrics: startMetrics,
      'run-records': startRunRecords,
      scoring: start,
    },
  });
  const projectId = (await world.create('/projects', { name: '1e400', description: '' })).id;
  const metric = await world.create(`/projects/${projectId}/metrics`, {
    name: 'n',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'number_close', options: { output: '/v', expected: '/v' } },
  });
  const run = await world.create(`/projects/${projectId}/runs`, { metricIds: [metric.id] });
  const line = (index: number) =>
    `{"inputs":{},"expected":{"v":1},"outputs":{"v":${index === 20 ? '1e400' : 1}}}\n`;
  await world.request('POST', `/runs/${run.id}/records/bulk`, undefined, {
    headers: { 'content-type': 'application/x-ndjson' },
    raw: Array.from({ length: 60 }, (_, index) => line(index)).join(''),
  });
  const completed = await poll('the run is completed', async () => {
    const { body } = await world.request('GET', `/runs/${run.id}`);
    return body.status === 'completed' && body;
  });
  const { scored, failed, pending } = completed.scoring;
  // False where numbers are compared digit by digit, else a failure that says why.
  expect([60, 59]).toContain(scored);
  expect({ sum: scored + failed, pending }).toEqual({ sum: 60, pending: 0 });
  const failures = (await world.request('GET', `/runs/${run.id}/failures`)).body.data;
  expect(failures).toHaveLength(failed);
  for (const { code, message } of failures)
    expect({ code, message }).toMatchObject({ code: 'code_error', message: /number_close/ });
});

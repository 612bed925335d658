import type { Identity } from '@assay/contracts/define';
import { unavailable } from '@assay/contracts/failure';
import type { MetricVersion } from '@assay/contracts/metrics';
import { JsonText } from '@assay/contracts/payload';
import type { Judgement } from '@assay/contracts/run-records';
import { expect, test } from 'vitest';
import { createRecordScoring } from '../src/domain/record-scoring.ts';

const identity: Identity = {
  organizationId: 'o',
  userId: 'u',
  role: 'service',
  apiKeyId: null,
  requestId: 'r',
};
const empty = new JsonText(Buffer.from('{}'));
const metric = {
  metricVersionId: 'v',
  code: { language: 'javascript', source: '' },
} as unknown as MetricVersion;
const score: Judgement['outcome'] = {
  kind: 'score',
  value: true,
  reasoning: '',
  source: 'heuristic',
  provenance: { metricVersionId: 'v', evaluator: 'javascript', durationMs: 1, attempts: 1 },
};

test('scores that are made while other code got no processor are kept, and only the others are made again', async () => {
  const accepted: string[] = [];
  const unlucky = new Set(['b']);
  const { score: scoreRecords } = createRecordScoring({
    runRecords: {
      readForScoring: async (_identity, { recordIds }) => ({
        records: recordIds
          .filter((id) => !accepted.includes(id))
          .map((id) => ({ id, pending: ['v'], inputs: empty, expected: empty, outputs: empty })),
        remaining: [],
        budget: null,
      }),
      acceptJudgements: async (_identity, { judgements }) => {
        accepted.push(...judgements.map(({ recordId }) => recordId));
        return { accepted: judgements.length, isPaused: false, budget: null };
      },
      readForPreview: () => Promise.reject(new Error('no preview')),
      readForTrial: () => Promise.reject(new Error('no trial')),
    },
    evaluate: async (scores) => {
      if (scores.some(({ recordId }) => unlucky.delete(recordId)))
        throw unavailable('There is more to do here than this machine can.');
      return scores.map(({ recordId }) => ({ recordId, metricVersionId: 'v', outcome: score }));
    },
    knownVersions: async () => new Map([['v', metric]]),
    store: { keepFailed: async () => undefined } as never,
    judge: () => Promise.reject(new Error('no judge')),
    judges: {} as never,
    judgeConcurrency: 1,
    signal: new AbortController().signal,
    newId: () => 'id',
    now: () => new Date(),
  });
  const job = { runId: 'r', recordIds: ['a', 'b', 'c'], attempt: 1 };
  await expect(scoreRecords(identity, job)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(accepted).toEqual(['a', 'c']);
  expect(await scoreRecords(identity, job)).toBe('done');
  expect(accepted).toEqual(['a', 'c', 'b']);
});

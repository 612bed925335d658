import { expect, test } from 'vitest';
import { createAllowance, createEstimates } from '../src/domain/allowance.ts';

const callNanoUsd = 1_000_000_000;

/** A judgement whose answer fitted when the judge was asked for the first time. */
const fitting = {
  metricVersionId: 'v',
  outcome: {
    kind: 'score' as const,
    value: true,
    reasoning: 'r',
    source: 'ai' as const,
    provenance: {
      metricVersionId: 'v',
      evaluator: 'judge',
      costUsd: 1,
      durationMs: 1,
      attempts: 1,
    },
  },
};

test('a limit holds where no later answer fits, and each judgement is three calls', async () => {
  const estimates = createEstimates();
  estimates.learn(fitting);
  const allowance = createAllowance({ estimates, concurrency: 16 });
  const limitNanoUsd = 10 * callNanoUsd;
  let spentNanoUsd = callNanoUsd;
  allowance.update({ limitNanoUsd, spentNanoUsd });
  let judged = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      const permit = await allowance.take({ metricVersionId: 'v', model: 'm' });
      if (!permit) return;
      judged += 1;
      await new Promise(setImmediate);
      spentNanoUsd += 3 * callNanoUsd;
      allowance.update({ limitNanoUsd, spentNanoUsd });
      permit.giveBack();
    }),
  );
  expect([judged, spentNanoUsd]).toEqual([3, limitNanoUsd]);
});

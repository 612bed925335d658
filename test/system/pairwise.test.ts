import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { start as startTestcases } from '@assay/testcases/service';
import type { testConfig } from '@assay/testing/config';
import { readCollection } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { startWorld } from '@assay/testing/world';
import { expect, test } from 'vitest';
import { keys, startMockProviders } from '../../services/scoring/test/mock-providers.ts';
import {
  judgeOfPairs,
  preferLater,
  prepareRuns,
} from '../../services/scoring/test/pairwise-world.ts';
import { environmentOf, startProcess } from './processes.ts';

test('kill -9 of the process that asks loses no answer, and no kept answer is asked for again', async () => {
  const testcases = 40;
  let answerMs = 30;
  const mock = await startMockProviders(async (call) => {
    await new Promise((resolve) => setTimeout(resolve, answerMs));
    return preferLater(call);
  });
  await using world = await startWorld({
    services: {
      catalog: startCatalog,
      testcases: startTestcases,
      metrics: startMetrics,
      'run-records': startRunRecords,
    },
  });
  const startScoring = async () => {
    const scoring = await startProcess('scoring', {
      ...environmentOf(world.config as unknown as ReturnType<typeof testConfig>, 'scoring'),
      RUN_RECORDS_URL: world.urls['run-records']!,
      OPENAI_API_KEY: keys.OPENAI_API_KEY,
      OPENAI_BASE_URL: `http://127.0.0.1:${mock.port}/openai/v1`,
      JUDGE_CONCURRENCY: '4',
      SWEEP_INTERVAL_MS: '200',
      SWEEP_AFTER_MS: '1000',
    });
    world.urls.scoring = scoring.url;
    return scoring;
  };
  const first = await startScoring();
  const { metricId, runIds } = await prepareRuns(world.request, {
    answers: ['a', 'b'].map((text) => Array.from({ length: testcases }, () => text)),
    metric: judgeOfPairs,
  });
  const { id } = await world.create('/pairwise-comparisons', { metricId, runIds });
  const comparison = async () => (await world.request('GET', `/pairwise-comparisons/${id}`)).body;
  await poll('some are judged', async () => (await comparison()).account.judged >= 5);
  await first.kill();

  const kept = (await readCollection({
    uri: world.config.MONGODB_URI,
    prefix: world.config.DATABASE_PREFIX,
    service: 'scoring',
    collection: 'pair_judgements',
    projection: { forward: 1, backward: 1 },
  })) as unknown as { forward: object | null; backward: object | null }[];
  const answers = kept.flatMap(({ forward, backward }) => [forward, backward]).filter(Boolean);
  expect(answers.length).toBeGreaterThanOrEqual(10);
  expect(answers.length).toBeLessThan(2 * testcases);
  const before = mock.calls.length;
  answerMs = 0;
  const second = await startScoring();
  const finished = await poll('nothing is pending', async () => {
    const reply = await comparison();
    return reply.account.pending === 0 && reply;
  });
  expect(mock.calls.length - before).toBe(2 * testcases - answers.length);
  expect(finished.account).toEqual({
    expected: testcases,
    judged: testcases,
    failed: 0,
    pending: 0,
  });
  expect(finished.results.pairs[0].wins).toBe(testcases);
  await second.stop();
  await mock.stop();
}, 120_000);

import { asScoring, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { type ScoreStates, withJudgement } from '../src/domain/accounts/score-states.ts';

const { request, newMetric, newRun, newRecord, getRun, projectId } = useRunRecords();

const judged = {
  evalType: 'ai',
  outputType: 'boolean',
  promptTemplate: 'Is {{ outputs.answer }} right?',
  evalModelName: 'openai/small',
};

/** A run of two judged records. */
async function judgedRun(body: object = {}) {
  const run = await newRun({ metricIds: [await newMetric(judged)], ...body });
  const recordIds: string[] = [];
  for (let index = 0; index < 2; index++) recordIds.push((await newRecord(run.id)).body.id);
  const [metricVersionId] = run.metricVersionIds;
  const provenance = { metricVersionId, evaluator: 'judge', durationMs: 1, attempts: 0 };
  const score = (more: object = {}) => ({
    kind: 'score',
    value: true,
    reasoning: 'r',
    source: 'ai',
    votes: [true, true, true],
    provenance: { ...provenance, ...more },
  });
  const accept = (outcome: object) =>
    request(
      'POST',
      '/internal/judgements',
      {
        runId: run.id,
        judgements: recordIds.map((recordId) => ({ recordId, metricVersionId, outcome })),
      },
      asScoring,
    );
  const read = async () =>
    (
      await request(
        'POST',
        '/internal/records-for-scoring',
        { runId: run.id, recordIds, model: 'openai/small' },
        asScoring,
      )
    ).body;
  return {
    run,
    recordIds,
    metricVersionId,
    score,
    accept,
    read,
    /** For each record that has to be judged, whether the cache is bypassed. */
    bypassed: async () =>
      (await read()).records.map(({ uncached = [] }: { uncached?: string[] }) =>
        uncached.includes(metricVersionId),
      ),
    rescore: (body: object = {}) => request('POST', `/runs/${run.id}/rescore`, body),
  };
}

describe("a run's use of the answer cache", () => {
  test('is told at its creation, and to the scoring service with the project', async () => {
    const { run, read, bypassed } = await judgedRun();
    expect(run).toMatchObject({ cache: 'use', cachedAnswers: 0 });
    expect(await read()).toMatchObject({ projectId: projectId() });
    expect(await bypassed()).toEqual([false, false]);
    const other = await judgedRun({ cache: 'bypass' });
    expect(other.run.cache).toBe('bypass');
    expect(await other.bypassed()).toEqual([true, true]);
  });

  test('that is no word of the contract is refused with its place', async () => {
    const metricIds = [await newMetric(judged)];
    const created = await request('POST', `/projects/${projectId()}/runs`, {
      metricIds,
      cache: 'never',
    });
    const { rescore } = await judgedRun();
    for (const { status, body } of [created, await rescore({ cache: 'never' })])
      expect([status, body.details.issues[0].path]).toEqual([400, '/cache']);
  });

  test('is another for one rescore, until the score is made or somebody gives it', async () => {
    const { rescore, accept, bypassed, score, recordIds, metricVersionId } = await judgedRun();
    await accept(score());
    await rescore({ cache: 'bypass', recordIds: recordIds.slice(0, 1) });
    expect(await bypassed()).toEqual([true]);
    await rescore();
    expect(await bypassed()).toEqual([false, false]);
    await rescore({ cache: 'bypass' });
    await accept(score());
    await rescore();
    expect(await bypassed()).toEqual([false, false]);
    await rescore({ cache: 'bypass' });
    const path = `/records/${recordIds[0]}/scores/${metricVersionId}`;
    await request('PUT', path, { score: { binaryScore: true } });
    await request('DELETE', path);
    expect(await bypassed()).toEqual([false, true]);
  });

  test('of a rescore stays that of the retry when the scores fail', async () => {
    const { run, rescore, accept, bypassed, score } = await judgedRun({ cache: 'bypass' });
    await accept(score());
    await rescore({ cache: 'use' });
    await accept({ kind: 'failure', code: 'provider_error', message: 'm', attempts: 5 });
    await request('POST', `/runs/${run.id}/retry`);
    expect(await bypassed()).toEqual([false, false]);
  });
});

test("answers from the cache are counted in the run's account, and stay counted", async () => {
  const { run, rescore, accept, score, recordIds } = await judgedRun();
  await accept(score({ cachedVotes: 2, costUsd: 0.1 }));
  expect(await getRun(run.id)).toMatchObject({ cachedAnswers: 4, costUsd: 0.2 });
  await rescore();
  await accept(score({ cached: true, cachedVotes: 3, costUsd: 0 }));
  expect(await getRun(run.id)).toMatchObject({ cachedAnswers: 10, costUsd: 0.2 });
  const [{ provenance }] = (await request('GET', `/records/${recordIds[0]}`)).body.scores;
  expect(provenance).toMatchObject({ cached: true, cachedVotes: 3, costUsd: 0 });
});

test('a judgement from the cache that repeats the newest one does not crowd out those that were asked', () => {
  const none: ScoreStates = { pending: [], awaited: [], failures: [], scores: [] };
  const asked = { votes: [true, false, true], reasoning: 'r' };
  const cached = { ...asked, isCached: true as const };
  let states = withJudgement(none, 'v', asked);
  for (let times = 0; times < 20; times++) states = withJudgement(states, 'v', cached);
  expect(states.judged).toEqual([{ metricVersionId: 'v', judgements: [asked] }]);
  const other = { ...cached, votes: [false, false, true] };
  expect(withJudgement(states, 'v', other).judged![0]!.judgements).toEqual([asked, other]);
});

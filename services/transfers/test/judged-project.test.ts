import { start as startIdentity } from '@assay/identity/service';
import { start as startResults } from '@assay/results/service';
import { start as startSessions } from '@assay/sessions/service';
import { start as startSystems } from '@assay/systems/service';
import { poll } from '@assay/testing/poll';
import { start as startTraces } from '@assay/traces/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { say } from '../../scoring/test/mock-providers.ts';
import {
  type PairwiseWorld,
  preferLater,
  shown,
  startPairwiseWorld,
} from '../../scoring/test/pairwise-world.ts';
import { start } from '../src/service.ts';
import { linesOf, withoutIds } from './transferred-project.ts';

let world: PairwiseWorld;
beforeAll(async () => {
  world = await startPairwiseWorld({
    services: {
      identity: startIdentity,
      systems: startSystems,
      results: startResults,
      sessions: startSessions,
      traces: startTraces,
      transfers: start,
    },
    settings: {
      JUDGE_CONCURRENCY: 4,
      STORAGE: 'disk',
      ATTACHMENTS_FOLDER: 'never-written',
      PUBLIC_URL: 'http://localhost/v2',
    },
  });
});
afterAll(() => world.stop());

const exportOf = (projectId: string) => world.request('GET', `/projects/${projectId}/export`);
const importOf = (file: string) =>
  world.request('POST', '/projects/import', undefined, {
    raw: file,
    headers: { 'content-type': 'application/x-ndjson' },
  });
async function bodyOf(path: string) {
  const reply = await world.request('GET', path);
  expect(reply.status, `${path} ${reply.text}`).toBe(200);
  return reply.body;
}
/** The same with ids replaced by their places. */
const comparable = (value: unknown) => withoutIds(JSON.stringify(value));

/** Imports the project of an export: its id, the new id of each former one, and its file. */
async function moved(file: string) {
  const answers = linesOf(await importOf(file));
  expect(answers.at(-1)).toMatchObject({ done: true });
  const { projectId } = answers.at(-1);
  return {
    projectId: projectId as string,
    newIds: new Map<string, string>(answers.map(({ from, to }) => [from, to])),
    file: (await exportOf(projectId)).text,
  };
}

test('a pairwise comparison has the same results, answers and costs in the imported project, and no judge is asked', async () => {
  const { projectId, metricId, runIds } = await world.prepare({
    answers: [
      ['a', 'b', 'x', 'x', 'same'],
      ['b', 'a', 'y', 'y', 'same'],
      ['c', 'c', 'z', 'w', 'same'],
    ],
  });
  // Of one testcase the judge takes the first place, and about another it fails.
  world.answers((call) => {
    const answers = shown(call);
    if (answers.includes('w')) return { status: 400 };
    if (answers.includes('b'))
      return say({ reasoning: 'The first, <b>of course</b>.', preferred: 'first' });
    return preferLater(call);
  });
  const { id } = await world.create('/pairwise-comparisons', { metricId, runIds, budgetUsd: 5 });
  const finished = await world.finished(id);
  expect(finished.account.failed).toBeGreaterThan(0);
  const calls = world.mock.calls.length;

  const first = (await exportOf(projectId)).text;
  const imported = await moved(first);
  expect(withoutIds(imported.file)).toEqual(withoutIds(first));
  const path = `/pairwise-comparisons/${imported.newIds.get(id)}`;
  const there = await bodyOf(path);
  expect(there.runIds).toEqual(runIds.map((runId) => imported.newIds.get(runId)));
  expect(comparable(there)).toEqual(comparable(finished));
  const judgements = '/judgements?limit=100';
  expect(comparable(await bodyOf(path + judgements))).toEqual(
    comparable(await bodyOf(`/pairwise-comparisons/${id}${judgements}`)),
  );
  const { data } = await bodyOf(`/projects/${imported.projectId}/pairwise-comparisons`);
  expect(data).toHaveLength(1);
  expect(world.mock.calls.length).toBe(calls);

  world.answers(preferLater);
  const retried = await world.request('POST', `${path}/retry`, {});
  expect(retried.body.queued).toBe(there.account.failed);
  expect((await world.finished(imported.newIds.get(id)!)).account.failed).toBe(0);
});

test('the open pairs of a comparison are not judged after its import, unless somebody asks for them', async () => {
  const { projectId, metricId, runIds } = await world.prepare({ answers: [['a'], ['b']] });
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  world.answers(async (call) => {
    await released;
    return preferLater(call);
  });
  const { id } = await world.create('/pairwise-comparisons', { metricId, runIds });
  const imported = await moved((await exportOf(projectId)).text);
  const path = `/pairwise-comparisons/${imported.newIds.get(id)}`;
  expect((await bodyOf(path)).account).toEqual({ expected: 1, judged: 0, failed: 1, pending: 0 });
  const { data } = await bodyOf(`${path}/judgements`);
  expect(data[0].answers[0].failure.message).toMatch(/A retry asks the judge/);
  release();
});

test('pairs that name other runs, or another comparison, are refused', async () => {
  const { projectId, metricId, runIds } = await world.prepare({ answers: [['a'], ['b']] });
  world.answers(preferLater);
  const { id } = await world.create('/pairwise-comparisons', { metricId, runIds });
  await world.finished(id);
  const file = (await exportOf(projectId)).text;
  for (const [member, sentence] of [
    ['comparisonId', /comparison before it/],
    ['candidateRunId', /must be runs of the comparison/],
  ] as const) {
    const wrong = file.replace(
      new RegExp(`("kind":"pairJudgement".*"${member}":")[^"]*`),
      `$1${projectId}`,
    );
    expect(linesOf(await importOf(wrong)).at(-1).message).toMatch(sentence);
  }
});

test('a run that stopped early keeps its decision, and its draw for people is gone on with', async () => {
  world.answers(({ body }) =>
    say({
      reasoning: 'r',
      binaryScore: /good/.test(body.messages.at(-1).content),
    }),
  );
  const count = 100;
  const { projectId, testsetId, testcaseIds } = await world.prepare({
    answers: [Array.from({ length: count }, () => 'a')],
  });
  const inProject = `/projects/${projectId}`;
  const judge = await world.create(`${inProject}/metrics`, {
    name: 'Good?',
    evalType: 'ai',
    outputType: 'boolean',
    promptTemplate: '{{ outputs.answer }}',
    evalModelName: 'gpt-4o',
  });
  const human = await world.create(`${inProject}/metrics`, {
    name: 'People',
    evalType: 'human',
    outputType: 'boolean',
  });
  const newRun = async (answer: string, body: object) => {
    const run = await world.create(`${inProject}/runs`, {
      testsetId,
      metricIds: [judge.id, human.id],
      ...body,
    });
    const raw = testcaseIds
      .map((testcaseId) =>
        JSON.stringify({ testcaseId, inputs: {}, expected: {}, outputs: { answer } }),
      )
      .join('\n');
    await world.request('POST', `/runs/${run.id}/records/bulk`, undefined, {
      raw,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    await poll('the judge is done', async () => {
      const { scored, failed, stopped = 0 } = (await bodyOf(`/runs/${run.id}`)).scoring;
      return scored + failed + stopped === count;
    });
    return run.id as string;
  };
  const baselineRunId = await newRun('bad', {});
  const candidateRunId = await newRun('good', { compareWith: baselineRunId, stopWhen: {} });
  const stopped = await poll('it is decided', async () => {
    const run = await bodyOf(`/runs/${candidateRunId}`);
    return run.decision && run;
  });
  expect(stopped.decision.outcome).toBe('better');
  expect(stopped.scoring.stopped).toBeGreaterThan(0);
  const runs = { baselineRunId, candidateRunId, metricId: judge.id };
  const drawn = await world.request('POST', '/label-draws', {
    ...runs,
    humanMetricId: human.id,
    testcases: 5,
  });
  expect(drawn.status, drawn.text).toBe(200);

  const first = (await exportOf(projectId)).text;
  const kinds = linesOf({ text: first }).map(({ kind }) => kind);
  expect(kinds).toContain('labelDraw');
  const imported = await moved(first);
  expect(withoutIds(imported.file)).toEqual(withoutIds(first));
  const newId = (id: string) => imported.newIds.get(id)!;
  const there = await bodyOf(`/runs/${newId(candidateRunId)}`);
  expect(comparable(there)).toEqual(comparable(stopped));
  const drawOf = (ids: typeof runs) => bodyOf(`/label-draws?${new URLSearchParams(ids)}`);
  const newRuns = {
    baselineRunId: newId(baselineRunId),
    candidateRunId: newId(candidateRunId),
    metricId: newId(judge.id),
  };
  expect(comparable(await drawOf(newRuns))).toEqual(comparable(await drawOf(runs)));
});

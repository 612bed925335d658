import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  callUsd,
  judgeOfPairs,
  type PairwiseReply,
  type PairwiseWorld,
  type PreparedRuns,
  startPairwiseWorld,
} from './pairwise-world.ts';

let world: PairwiseWorld;
beforeAll(async () => {
  world = await startPairwiseWorld();
});
afterAll(() => world.stop());

async function compare(
  { metricId, runIds }: Pick<PreparedRuns, 'metricId' | 'runIds'>,
  more: object = {},
): Promise<PairwiseReply> {
  const body = { metricId, runIds, ...more };
  const reply = await world.request('POST', '/pairwise-comparisons', body);
  if (reply.status !== 201) throw new Error(reply.text);
  return world.finished(reply.body.id);
}

describe('a metric that judges pairs', () => {
  test('reads the two outputs in its template, and a metric of records does not', async () => {
    const { projectId } = await world.prepare({ answers: [['a'], ['b']] });
    const create = (change: object) =>
      world.request('POST', `/projects/${projectId}/metrics`, { ...judgeOfPairs, ...change });
    expect((await create({ promptTemplate: '{{ outputs.answer }}' })).body.details.issues).toEqual([
      {
        path: '/promptTemplate',
        line: 1,
        column: 4,
        message:
          'names the unknown variable `outputs`; there are inputs, expected, first, second, guidelines, all',
      },
    ]);
    expect((await create({ subject: 'record' })).body.details.issues[0]).toMatchObject({
      path: '/promptTemplate',
      message: expect.stringContaining('unknown variable `first`'),
    });
    for (const outputType of ['int', 'float']) {
      const { status, body } = await create({ outputType });
      expect([status, body.details.issues[0].path]).toEqual([400, '/subject']);
    }
  });

  test('keeps its subject: a change of its template is checked as one of pairs', async () => {
    const { metricId } = await world.prepare({ answers: [['a'], ['b']] });
    const change = (fields: object) =>
      world.request('PATCH', `/metrics/${metricId}`, {
        evalType: 'ai',
        outputType: 'boolean',
        ...fields,
      });
    expect((await change({ promptTemplate: '{{ second.outputs.a }}' })).body).toMatchObject({
      subject: 'pair',
      promptTemplate: '{{ second.outputs.a }}',
    });
    expect((await change({ subject: 'pair' })).status).toBe(200);
    expect((await change({ subject: 'record' })).body.details.issues).toEqual([
      { path: '/subject', message: "must be the metric's own, pair" },
    ]);
    expect((await change({ promptTemplate: '{{ outputs.a }}' })).status).toBe(400);
  });

  test('scores no records: runs, scoring anew and previews refuse it with its place', async () => {
    const { projectId, metricId, runIds } = await world.prepare({ answers: [['a'], ['b']] });
    const message =
      'judges pairs of runs and scores no records: POST /pairwise-comparisons asks it';
    const issues = [{ path: '/metricIds/0', message }];
    const run = await world.request('POST', `/projects/${projectId}/runs`, {
      metricIds: [metricId],
    });
    expect([run.status, run.body.details.issues]).toEqual([400, issues]);
    const rescored = await world.request('POST', `/runs/${runIds[0]}/rescore`, {
      metricIds: [metricId],
    });
    expect([rescored.status, rescored.body.details.issues]).toEqual([400, issues]);
    const preview = await world.request('POST', `/metrics/${metricId}/preview`, {
      change: { evalType: 'ai', outputType: 'boolean' },
      runId: runIds[0],
    });
    expect([preview.status, preview.body.details.issues[0].path]).toEqual([400, '/change']);
  });

  test('shows its prompt with a record in both places', async () => {
    const { projectId, runIds } = await world.prepare({ answers: [['a'], ['b']] });
    const records = await world.request('GET', `/runs/${runIds[0]}/records`);
    const { body } = await world.request('POST', `/projects/${projectId}/metrics/check`, {
      ...judgeOfPairs,
      recordId: records.body.data[0].id,
    });
    const { prompt, delimiter, instructions } = body.renderedPrompt;
    const data = `<${delimiter}>a</${delimiter}>`;
    expect(prompt).toBe(`One: ${data} Two: ${data}`);
    expect(instructions).toContain('"preferred"');
  });
});

describe('a request', () => {
  test('is refused with the place of what is wrong with it', async () => {
    const [own, other] = [
      await world.prepare({ answers: [['a'], ['b'], ['c']] }),
      await world.prepare({ answers: [['a'], ['b']] }),
    ];
    const human = await world.create(`/projects/${own.projectId}/metrics`, {
      name: 'm',
      evalType: 'human',
      outputType: 'boolean',
    });
    const empty = await world.create(`/projects/${own.projectId}/runs`, {
      metricIds: [],
      testsetId: own.testsetId,
    });
    const [one, two] = own.runIds as [string, string];
    const { metricId } = own;
    const refused: [object, string][] = [
      [{ metricId: 'none', runIds: [one, two] }, '/metricId'],
      [{ metricId: human.id, runIds: [one, two] }, '/metricId'],
      [{ metricId: other.metricId, runIds: [one, two] }, '/metricId'],
      [{ metricId, runIds: [one] }, '/runIds'],
      [{ metricId, runIds: [one, one] }, '/runIds/1'],
      [{ metricId, runIds: [one, 'none'] }, '/runIds/1'],
      [{ metricId, runIds: [one, other.runIds[0]] }, '/runIds/1'],
      [{ metricId, runIds: [one, empty.id] }, '/runIds'],
      [{ metricId, runIds: [one, two], testcases: 0 }, '/testcases'],
      [{ metricId, runIds: [one, two], budgetUsd: -1 }, '/budgetUsd'],
      [{ metricId, runIds: Array.from({ length: 9 }, () => one) }, '/runIds'],
    ];
    for (const [body, path] of refused) {
      const reply = await world.request('POST', '/pairwise-comparisons', body);
      expect([reply.status, reply.body.details.issues[0].path], JSON.stringify(body)).toEqual([
        400,
        path,
      ]);
    }
  });
});

describe('a comparison', () => {
  test('is listed with its runs, and is gone when it is deleted', async () => {
    const prepared = await world.prepare({ answers: [['a'], ['b'], ['c']] });
    const [one, two, three] = prepared.runIds as [string, string, string];
    const older = await compare({ ...prepared, runIds: [one, two] });
    const newer = await compare({ ...prepared, runIds: [two, three] });
    const ids = async (query = '') =>
      (
        await world.request('GET', `/projects/${prepared.projectId}/pairwise-comparisons${query}`)
      ).body.data.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual([newer.id, older.id]);
    expect(await ids(`?runId=${one}`)).toEqual([older.id]);
    expect(await ids('?limit=1')).toEqual([newer.id]);
    const remove = () => world.request('DELETE', `/pairwise-comparisons/${older.id}`);
    expect((await remove()).body).toEqual({ success: true });
    expect((await remove()).status).toBe(404);
    for (const path of ['', '/judgements'])
      expect((await world.request('GET', `/pairwise-comparisons/${older.id}${path}`)).status).toBe(
        404,
      );
    expect(await ids()).toEqual([newer.id]);
  });

  test('stays when its runs are deleted, and goes with its project', async () => {
    const prepared = await world.prepare({ answers: [['a'], ['b']] });
    const { id } = await compare(prepared);
    await world.request('DELETE', `/runs/${prepared.runIds[0]}`);
    expect((await world.request('GET', `/pairwise-comparisons/${id}`)).body.account.judged).toBe(1);
    await world.request('DELETE', `/projects/${prepared.projectId}`);
    expect((await world.request('GET', `/pairwise-comparisons/${id}`)).status).toBe(404);
  });

  test('of another organization is not there', async () => {
    const prepared = await world.prepare({ answers: [['a'], ['b']] });
    const { id } = await compare(prepared);
    const identity = { organizationId: '00000000-0000-7000-8000-000000000001' };
    const status = async (method: string, path: string, body?: unknown) =>
      (await world.request(method, path, body, { identity })).status;
    expect(await status('GET', `/pairwise-comparisons/${id}`)).toBe(404);
    expect(await status('GET', `/pairwise-comparisons/${id}/judgements`)).toBe(404);
    expect(await status('POST', `/pairwise-comparisons/${id}/retry`)).toBe(404);
    expect(await status('DELETE', `/pairwise-comparisons/${id}`)).toBe(404);
    const { metricId, runIds } = prepared;
    expect(await status('POST', '/pairwise-comparisons', { metricId, runIds })).toBe(400);
  });
});

test("the organization's budget of a day holds for pairs too: past it they fail with that reason", async () => {
  const limited = await startPairwiseWorld({
    settings: {
      JUDGE_BUDGET_USD_PER_DAY: 4 * callUsd,
      JUDGE_CONCURRENCY: 1,
    },
  });
  const { metricId, runIds } = await limited.prepare({
    answers: [
      ['a', 'a', 'a'],
      ['b', 'b', 'b'],
    ],
  });
  const { id } = await limited.create('/pairwise-comparisons', { metricId, runIds });
  const { account } = await limited.finished(id);
  expect(limited.mock.calls.length).toBe(4);
  expect(account).toMatchObject({ expected: 3, pending: 0 });
  expect(account.failed).toBeGreaterThan(0);
  const { body } = await limited.request(
    'GET',
    `/pairwise-comparisons/${id}/judgements?outcome=failed`,
  );
  // Which of the two orders found the budget spent depends on which was asked first.
  const codes = body.data[0].answers.map(
    ({ failure }: { failure?: { code: string } }) => failure?.code,
  );
  expect(codes).toContain('budget_exhausted');
  await limited.stop();
});

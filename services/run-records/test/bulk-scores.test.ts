import { randomUUID } from 'node:crypto';
import {
  asMember,
  heuristic,
  missingId,
  payloads,
  useRunRecords,
} from '@assay/testing/run-records';
import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { migrations } from '../src/migrations.ts';

const setting = useRunRecords();
const { newRun, newMetric, newRecord, getRun, request } = setting;

const fromClients = { evalType: 'heuristic', outputType: 'float' };
const fromPeople = { evalType: 'human', outputType: 'int' };

interface Answer {
  status: number;
  id?: string;
  details?: { resource?: string; issues?: { path: string }[] };
}

async function send(
  method: 'PUT' | 'POST',
  path: string,
  lines: unknown[],
  identity = {},
): Promise<Answer[]> {
  const raw = lines
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const { text } = await request(method, path, undefined, { raw, headers, ...identity });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const putScores = (runId: string, lines: unknown[], identity = {}) =>
  send('PUT', `/runs/${runId}/scores/bulk`, lines, identity);
const addRecords = (runId: string, lines: unknown[]) =>
  send('POST', `/runs/${runId}/records/bulk`, lines);
const getRecord = async (id: string) => (await request('GET', `/records/${id}`)).body;

const unknownIds = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

/** A run with one metric, and its records. */
async function scoredRun({ metric = fromClients as object, records = 1 } = {}) {
  const metricId = await newMetric(metric);
  const run = await newRun({ metricIds: [metricId] });
  const answers = await addRecords(
    run.id,
    Array.from({ length: records }, () => payloads),
  );
  const metricConfigId = run.metricVersionIds[0] as string;
  const ids = answers.map(({ id }) => id as string);
  return { run, metricId, metricConfigId, ids };
}

describe('scores that come with a record', () => {
  test('complete the run in the same step as its records, and nothing is awaited for them', async () => {
    const metricIds = [await newMetric(fromClients), await newMetric(fromPeople)];
    const run = await newRun({ metricIds });
    const scores = [
      { metricId: metricIds[0], score: { value: 0.5, reasoning: 'half' } },
      { metricConfigId: run.metricVersionIds[1], score: { intScore: 4 } },
    ];
    const single = await newRecord(run.id, { scores });
    const [line] = await addRecords(run.id, [{ ...payloads, scores }]);
    expect([single.status, line!.status]).toEqual([201, 201]);
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      numScores: 4,
      scoring: { expected: 4, scored: 4, failed: 0, pending: 0 },
    });
    for (const id of [single.body.id, line!.id!]) {
      const record = await getRecord(id);
      expect(record.missingScores).toEqual([]);
      expect(record.scores).toMatchObject([
        { score: scores[0]!.score, source: 'heuristic', userId: setting.identity().userId },
        { score: scores[1]!.score, source: 'human' },
      ]);
    }
  });

  test('leave what they do not cover missing, and take the place of an evaluator’s', async () => {
    const metricIds = [await newMetric(heuristic), await newMetric(fromClients)];
    const run = await newRun({ metricIds });
    const scores = [{ metricId: metricIds[0], score: { value: false } }];
    const { body } = await newRecord(run.id, { scores });
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 2,
      scored: 1,
      failed: 0,
      pending: 1,
    });
    expect((await getRecord(body.id)).missingScores).toEqual([
      { metricConfigId: run.metricVersionIds[1], state: 'awaited' },
    ]);
  });

  test('are counted by one of several annotators, and the rest stays awaited', async () => {
    const metricId = await newMetric({ ...fromPeople, annotators: 2 });
    const run = await newRun({ metricIds: [metricId] });
    await newRecord(run.id, { scores: [{ metricId, score: { value: 3 } }] });
    expect(await getRun(run.id)).toMatchObject({
      status: 'awaiting_human_scoring',
      scoring: { expected: 1, scored: 0, pending: 1 },
    });
  });

  test.each([
    ['of a metric that the run lacks', { metricId: missingId }, '/scores/0/metricId'],
    ['of a version that is nowhere', { metricConfigId: missingId }, '/scores/0/metricConfigId'],
    ['of no metric', {}, '/scores/0'],
    ['of two metrics', { metricId: missingId, metricConfigId: missingId }, '/scores/0'],
  ])(
    'are refused at their place where one is %s, and no record is made',
    async (_, target, path) => {
      const { run } = await scoredRun({ records: 0 });
      const scores = [{ ...target, score: { value: 1 } }];
      const single = await newRecord(run.id, { scores });
      const [line] = await addRecords(run.id, [{ ...payloads, scores }]);
      for (const { status, details } of [{ ...single.body, status: single.status }, line!])
        expect([status, details.issues[0].path]).toEqual([400, path]);
      expect((await getRun(run.id)).numRecords).toBe(0);
    },
  );

  test('are refused where two are of one metric, or all together are too large', async () => {
    const { run, metricId, metricConfigId } = await scoredRun({ records: 0 });
    const twice = [
      { metricId, score: { value: 1 } },
      { metricConfigId, score: { value: 0 } },
    ];
    const { body } = await newRecord(run.id, { scores: twice });
    expect(body.details.issues[0].path).toBe('/scores/1');
    const metricIds = await Promise.all(Array.from({ length: 20 }, () => newMetric(fromClients)));
    const large = await newRun({ metricIds });
    const scores = metricIds.map((id) => ({
      metricId: id,
      score: { value: 1, reasoning: 'x'.repeat(60_000) },
    }));
    const refused = await newRecord(large.id, { scores });
    expect([refused.status, refused.body.details.issues[0].path]).toEqual([400, '/scores']);
    expect((await newRecord(large.id, { scores: scores.slice(0, 10) })).status).toBe(201);
  });

  test('are passed over where they name a record: an exported record is made again without its scores', async () => {
    const { run, metricId, metricConfigId } = await scoredRun({ records: 0 });
    await newRecord(run.id, { scores: [{ metricId, score: { value: 1 } }] });
    const { text } = await request('GET', `/runs/${run.id}/records/export`);
    const copy = await newRun({ metricIds: [metricId] });
    const [made] = await addRecords(copy.id, [text.trim()]);
    expect([made!.status, (await getRecord(made!.id!)).missingScores]).toEqual([
      201,
      [{ metricConfigId, state: 'awaited' }],
    ]);
  });

  test('of a repeat by clientId change nothing', async () => {
    const { run, metricId } = await scoredRun({ records: 0 });
    const scored = (value: number) => ({
      ...payloads,
      clientId: 'c',
      scores: [{ metricId, score: { value } }],
    });
    const [first] = await addRecords(run.id, [scored(1)]);
    const [again] = await addRecords(run.id, [scored(0)]);
    expect([again!.status, again!.id]).toEqual([200, first!.id]);
    expect((await getRecord(first!.id!)).scores[0].score).toEqual({ value: 1 });
  });
});

describe('scores in bulk', () => {
  test('are what single PUTs would make them, each answered at its line', async () => {
    const { run, metricConfigId, ids } = await scoredRun({ records: 3 });
    const people = await newMetric(fromPeople);
    await request('POST', `/runs/${run.id}/rescore`, { metricIds: [people] });
    const answers = await putScores(run.id, [
      { recordId: ids[0], metricConfigId, score: { value: 0.25, reasoning: 'why' } },
      { recordId: ids[1], metricConfigId, score: { value: 7 } },
      { recordId: ids[0], metricId: people, score: { value: 5 } },
      { recordId: ids[1], metricId: people },
    ]);
    expect(answers).toEqual([
      { index: 0, status: 200 },
      { index: 1, status: 200, validationErrors: [expect.any(Object)] },
      { index: 2, status: 200 },
      { index: 3, status: 200 },
    ]);
    const [first, second] = [await getRecord(ids[0]!), await getRecord(ids[1]!)];
    expect(first.scores).toMatchObject([
      { score: { value: 0.25, reasoning: 'why' }, source: 'heuristic' },
      { score: { value: 5 }, source: 'human' },
    ]);
    expect(second.scores[1].score).toEqual({});
    expect(await getRun(run.id)).toMatchObject({
      status: 'awaiting_human_scoring',
      scoring: { expected: 6, scored: 2, failed: 0, pending: 3, invalid: 1 },
    });
  });

  test('a wrong line has its own answer at its place, and the others are stored', async () => {
    const { run, metricConfigId, ids } = await scoredRun({ records: 2 });
    const foreign = await scoredRun();
    const score = { value: 1 };
    const answers = await putScores(run.id, [
      { recordId: missingId, metricConfigId, score },
      { recordId: ids[0], metricConfigId: missingId, score },
      { recordId: foreign.ids[0], metricConfigId, score },
      { recordId: ids[0], metricConfigId },
      { recordId: ids[0], metricConfigId, score: [] },
      { recordId: ids[0], metricConfigId, score, userId: missingId },
      { recordId: ids[0], metricId: missingId, score },
      { recordId: ids[0], score },
      '{"recordId":',
      `{"recordId":"${ids[0]}","x":"${'x'.repeat(1024 * 1024)}"}`,
      { recordId: ids[1], metricConfigId, score },
    ]);
    expect(
      answers.map(({ status, details }) => [
        status,
        details?.resource ?? details?.issues?.[0]?.path,
      ]),
    ).toEqual([
      [404, 'record'],
      [404, 'metric version'],
      [404, 'record'],
      [400, '/score'],
      [400, '/score'],
      [400, '/userId'],
      [400, '/metricId'],
      [400, ''],
      [400, undefined],
      [413, undefined],
      [200, undefined],
    ]);
    expect((await getRun(run.id)).numScores).toBe(1);
  });

  test('the last of several lines of one record and metric counts, once', async () => {
    const { run, metricConfigId, ids } = await scoredRun();
    const lines = Array.from({ length: 3000 }, (_, n) => ({
      recordId: ids[0],
      metricConfigId,
      score: { value: n / 3000 },
    }));
    const answers = await putScores(run.id, lines);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect((await getRecord(ids[0]!)).scores).toMatchObject([{ score: { value: 2999 / 3000 } }]);
    expect(await getRun(run.id)).toMatchObject({ status: 'completed', numScores: 1 });
  });

  test('the last line of a record and metric counts, also where the lines before it are read slowly', async () => {
    const { run, metricConfigId, ids } = await scoredRun();
    const [recordId] = ids;
    // The line after the last newline is read in a batch of its own, and needs no other service.
    const answers = await putScores(run.id, [
      ...unknownIds(200).map((id) => ({ recordId, metricConfigId: id, score: { value: 0 } })),
      { recordId, metricConfigId, score: { value: 0.25 } },
      { recordId, metricConfigId, score: { value: 0.5 } },
    ]);
    expect(answers.slice(-2).map(({ status }) => status)).toEqual([200, 200]);
    expect((await getRecord(recordId!)).scores).toMatchObject([{ score: { value: 0.5 } }]);
  });

  test('two clients that score the same records at once lose no score, and the account adds up', async () => {
    const metricIds = [await newMetric(fromClients), await newMetric(fromClients)];
    const run = await newRun({ metricIds });
    const records = await addRecords(
      run.id,
      Array.from({ length: 1000 }, () => payloads),
    );
    const linesOf = (version: number) =>
      records.map(({ id }) => ({
        recordId: id,
        metricConfigId: run.metricVersionIds[version],
        score: { value: 1 },
      }));
    const uploads = await Promise.all([
      putScores(run.id, linesOf(0)),
      putScores(run.id, linesOf(1).toReversed()),
      putScores(run.id, linesOf(1)),
    ]);
    expect(uploads.flat().filter(({ status }) => status !== 200)).toEqual([]);
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      numScores: 2000,
      scoring: { expected: 2000, scored: 2000, failed: 0, pending: 0 },
    });
  });

  test('move the run’s events, and end the lease of the member who gave them', async () => {
    const { run, metricConfigId, ids } = await scoredRun({ metric: fromPeople, records: 2 });
    const member = await setting.newMember();
    const next = async (identity = {}) =>
      (
        await request(
          'POST',
          '/review-queue/next',
          { projectId: setting.projectId(), runId: run.id },
          identity,
        )
      ).body;
    const taken = await next(asMember(member));
    const [own, other] = [taken.item.record.id, ids.find((id) => id !== taken.item.record.id)];
    await putScores(
      run.id,
      [{ recordId: own, metricConfigId, score: { value: 2 } }],
      asMember(member),
    );
    expect((await next(asMember(member))).item.record.id).toBe(other);
    await putScores(run.id, [{ recordId: other, metricConfigId, score: { value: 2 } }]);
    const { text } = await request('GET', `/runs/${run.id}/events`);
    expect(text).toContain('event: completed');
  });

  test('need a run that is there', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const reply = await request('PUT', `/runs/${missingId}/scores/bulk`, undefined, {
      raw: '{}',
      headers,
    });
    expect(reply.body).toMatchObject({ code: 'NOT_FOUND', details: { resource: 'run' } });
  });
});

test('scores of earlier releases that programs gave lose the source of people, and no others do', async () => {
  const metricIds = [await newMetric(fromClients), await newMetric(fromPeople)];
  const run = await newRun({ metricIds: [metricIds[1]] });
  const other = await newRun({ metricIds });
  const scores = other.metricVersionIds.map((metricConfigId: string) => ({
    metricConfigId,
    score: { value: 1 },
  }));
  const ids = [
    (await newRecord(run.id, { scores })).body.id,
    (await newRecord(other.id, { scores })).body.id,
  ];
  const { MONGODB_URI, DATABASE_PREFIX } = setting.config();
  const client = await MongoClient.connect(MONGODB_URI);
  const database = client.db(`${DATABASE_PREFIX}_run-records`);
  await database
    .collection<{ _id: string }>('records')
    .updateMany({ _id: { $in: ids } }, { $set: { 'scores.$[].source': 'human' } });
  const migration = migrations.find(({ name }) => name === '13-scores-of-programs')!;
  for (let time = 0; time < 2; time++) await migration.up(database as never);
  await client.close();
  for (const id of ids)
    expect(
      (await getRecord(id)).scores.map(({ source }: { source: string }) => source).sort(),
    ).toEqual(['heuristic', 'human']);
});

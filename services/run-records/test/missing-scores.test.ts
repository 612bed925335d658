import { asScoring, heuristic, useRunRecords } from '@assay/testing/run-records';
import { expect, test } from 'vitest';

const { newMetric, newRecord, newRun, request } = useRunRecords();

/** A run with a metric that the service scores, one that people score, and some records. */
async function newMixedRun(count: number) {
  const metricIds = [await newMetric(), await newMetric({ evalType: 'human', outputType: 'int' })];
  const run = await newRun({ metricIds });
  const records: string[] = [];
  for (let index = 0; index < count; index += 1)
    records.push((await newRecord(run.id, { outputs: { answer: `answer ${index}` } })).body.id);
  const [byService, byPeople] = run.metricVersionIds as [string, string];
  const judge = (outcome: object, recordId: string) =>
    request(
      'POST',
      '/internal/judgements',
      { runId: run.id, judgements: [{ recordId, metricVersionId: byService, outcome }] },
      asScoring,
    );
  return { run, records, byService, byPeople, judge };
}

const failure = { kind: 'failure', code: 'timeout', message: 'It was too slow.', attempts: 6 };
const score = {
  kind: 'score',
  value: true,
  reasoning: 'same',
  source: 'heuristic',
  provenance: { metricVersionId: 'm', evaluator: 'exact_match', durationMs: 1, attempts: 1 },
};

const missingOf = async (recordId: string) =>
  (await request('GET', `/records/${recordId}`)).body.missingScores;

test('a record says which of its scores the service makes, and which people have to give', async () => {
  const { records, byService, byPeople } = await newMixedRun(1);
  expect(await missingOf(records[0]!)).toEqual([
    { metricConfigId: byService, state: 'pending' },
    { metricConfigId: byPeople, state: 'awaited' },
  ]);
});

test('a record says why a score failed, and pending again after a retry', async () => {
  const { run, records, byService, byPeople, judge } = await newMixedRun(1);
  await judge(failure, records[0]!);
  expect(await missingOf(records[0]!)).toEqual([
    { metricConfigId: byService, state: 'failed', code: 'timeout', message: 'It was too slow.' },
    { metricConfigId: byPeople, state: 'awaited' },
  ]);
  await request('POST', `/runs/${run.id}/retry`);
  expect((await missingOf(records[0]!))[0]).toEqual({
    metricConfigId: byService,
    state: 'pending',
  });
});

test('a record with all its scores misses none, also where a value does not fit', async () => {
  const { records, byPeople, judge } = await newMixedRun(1);
  await judge(score, records[0]!);
  await request('PUT', `/records/${records[0]}/scores/${byPeople}`, { score: { value: 'good' } });
  expect(await missingOf(records[0]!)).toEqual([]);
});

test('a metric version that joined the run for other records does not apply to a record', async () => {
  const { run, records, byService, byPeople, judge } = await newMixedRun(2);
  for (const id of records) await judge(score, id);
  await request('PATCH', `/metrics/${run.metricIds[0]}`, { ...heuristic, guidelines: 'changed' });
  await request('POST', `/runs/${run.id}/rescore`, { recordIds: [records[0]] });
  const { metricVersionIds } = (await request('GET', `/runs/${run.id}`)).body;
  const joined = metricVersionIds.find((id: string) => id !== byService && id !== byPeople);
  expect(await missingOf(records[0]!)).toContainEqual({ metricConfigId: joined, state: 'pending' });
  expect(await missingOf(records[1]!)).toContainEqual({
    metricConfigId: joined,
    state: 'notApplicable',
  });
});

test('a score that waits for a second annotator is awaited although the first is there', async () => {
  const metric = await newMetric({ evalType: 'human', outputType: 'int', annotators: 2 });
  const run = await newRun({ metricIds: [metric] });
  const { id } = (await newRecord(run.id)).body;
  const [metricConfigId] = run.metricVersionIds;
  await request('PUT', `/records/${id}/scores/${metricConfigId}`, { score: { value: 4 } });
  const record = (await request('GET', `/records/${id}`)).body;
  expect(record.scores).toHaveLength(1);
  expect(record.missingScores).toEqual([{ metricConfigId, state: 'awaited' }]);
});

test('lists, previews and the search say the same of a record as the record itself', async () => {
  const { run, records, judge } = await newMixedRun(3);
  await judge(failure, records[0]!);
  await judge(score, records[1]!);
  const expected = await Promise.all(records.map(missingOf));
  const shown = async (method: string, path: string, body?: object) =>
    (await request(method, `/runs/${run.id}/${path}`, body)).body.data.map(
      ({ missingScores }: { missingScores: object[] }) => missingScores,
    );
  expect(await shown('GET', 'records')).toEqual(expected);
  expect(await shown('GET', 'records?preview=20&fields=/outputs/answer')).toEqual(expected);
  expect(await shown('POST', 'records/search?preview=20', { text: 'answer' })).toEqual(expected);
});

import { useRunRecords } from '@assay/testing/run-records';
import { expect, test } from 'vitest';

const { request, newMetric, newRecord, newRun } = useRunRecords();

/** Two runs that can be compared; the candidate may still get scores. */
async function twoRuns() {
  const metricIds = [await newMetric({ evalType: 'heuristic', outputType: 'float' })];
  const [baseline, candidate] = [await newRun({ metricIds }), await newRun({ metricIds })];
  const body = { baselineRunId: baseline.id, candidateRunId: candidate.id };
  const compare = (key: string, change: object = {}) =>
    request(
      'POST',
      '/comparisons',
      { ...body, ...change },
      { headers: { 'idempotency-key': `${candidate.id} ${key}` } },
    );
  const score = async () => {
    const { id } = (await newRecord(candidate.id)).body;
    await request('PUT', `/records/${id}/scores/${candidate.metricVersionIds[0]}`, {
      score: { value: 1 },
    });
  };
  return { compare, score };
}

const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed');

test('a comparison that comes again with its Idempotency-Key gets the first answer, whatever the runs are by then', async () => {
  const { compare, score } = await twoRuns();
  const first = await compare('a');
  expect([first.status, replayed(first)]).toEqual([200, null]);
  await score();
  const again = await compare('a');
  expect([again.status, replayed(again), again.body]).toEqual([200, 'true', first.body]);
  const other = await compare('b');
  expect(replayed(other)).toBeNull();
  expect(other.body).not.toEqual(first.body);
});

test('the key of a comparison with another body is a 409', async () => {
  const { compare } = await twoRuns();
  await compare('a');
  const { status, body } = await compare('a', { level: 0.9 });
  expect([status, body.code]).toEqual([409, 'CONFLICT']);
});

test('comparisons with one key that come at once get one answer', async () => {
  const { compare } = await twoRuns();
  const replies = await Promise.all(Array.from({ length: 5 }, () => compare('a')));
  expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(replies.filter((reply) => replayed(reply) === null)).toHaveLength(1);
});

test('a comparison that is refused is not remembered', async () => {
  const { compare } = await twoRuns();
  expect((await compare('a', { metricIds: ['none'] })).status).toBe(400);
  expect((await compare('a')).status).toBe(200);
});

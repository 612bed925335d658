import { useRunRecords } from '@assay/testing/run-records';
import { expect, test } from 'vitest';

const { create, request, newMetric, newRun, newRecord, projectId } = useRunRecords();

/** JSON texts: some are equal as JSON, and rows of their own as texts. */
const topics = [
  '"rise"',
  '"rise"',
  '1',
  '1.0',
  '"1"',
  'null',
  '"none"',
  '["a", "b"]',
  '{"deep":"x"}',
  '{"deep":"y"}',
  `"${'long'.repeat(60)}"`,
  `"${'a'.repeat(64)}"`,
  '"Z\\u00fcrich"',
  '"a,b"',
  undefined,
];
const tagged = [['slow', 'a,b'], ['slow'], ['none'], ['a']];

/** A run with a record for each topic, whose testcase has the same one as its level. */
async function newBrokenDownRun() {
  const fieldMapping = { inputs: ['topic'], expected: [], metadata: [] };
  const body = { name: 't', description: '', jsonSchema: {}, fieldMapping };
  const testsetId = (await create(`/projects/${projectId()}/testsets`, body)).id as string;
  const metricIds = [await newMetric({ evalType: 'heuristic', outputType: 'boolean' })];
  const run = await newRun({ metricIds, testsetId });
  const ids: string[] = [];
  for (const [place, topic] of topics.entries()) {
    const raw = `{"items":[{"jsonData":{${topic === undefined ? '' : `"level":${topic}`}}}]}`;
    const made = await request('POST', `/testsets/${testsetId}/testcases`, undefined, { raw });
    const testcaseId = made.body.items[0].id;
    const inputs = topic === undefined ? '{}' : `{"topic":${topic}}`;
    const record = `{"inputs":${inputs},"expected":{},"outputs":{},"testcaseId":"${testcaseId}"}`;
    const stored = await request('POST', `/runs/${run.id}/records`, undefined, { raw: record });
    expect(stored.status, stored.text).toBe(201);
    ids.push(stored.body.id);
    for (const text of tagged[place] ?? [])
      await request('POST', `/records/${stored.body.id}/tags`, { text });
  }
  // One without a testcase has no metadata.
  ids.push((await newRecord(run.id, { inputs: { topic: 'rise' } })).body.id);
  return { run, ids };
}

test('the records of each row of a breakdown are found by the row, as many as it counts', async () => {
  const { run, ids } = await newBrokenDownRun();
  const recordsOf = async (query: Record<string, string>): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const asked = new URLSearchParams({ ...query, limit: '1', ...(cursor ? { cursor } : {}) });
      const { status, text, body } = await request('GET', `/runs/${run.id}/records?${asked}`);
      expect(status, text).toBe(200);
      found.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    }
    return found;
  };
  for (const asked of [
    '/topic',
    '/topic/deep',
    '/metadata/level',
    '/metadata/level/deep',
    'tags',
  ]) {
    const summary = `/runs/${run.id}/summary?breakdownBy=${encodeURIComponent(asked)}`;
    const { by, rows } = (await request('GET', summary)).body.breakdown;
    const all: string[] = [];
    for (const { value, records } of rows) {
      const row = { breakdownBy: by, breakdownValue: value ?? 'none' };
      const found = await recordsOf(row);
      expect(found.length, `${by} ${value}`).toBe(records);
      expect(await recordsOf({ ...row, order: 'desc' })).toEqual(found.toReversed());
      all.push(...found);
    }
    expect([...new Set(all)].sort()).toEqual(ids.toSorted());
    if (asked !== 'tags') expect(all).toHaveLength(ids.length);
  }
  const last = { breakdownBy: '/inputs/topic', breakdownValue: '"rise"' };
  expect(await recordsOf(last)).toEqual([ids[0], ids[1], ids.at(-1)]);
  expect(await recordsOf({ ...last, tags: 'a,b' })).toEqual([ids[0]]);
  expect(await recordsOf({ ...last, breakdownValue: '"fall"' })).toEqual([]);
});

test('a row is named by its field and its value, each of which needs the other', async () => {
  const run = await newRun();
  const issuesOf = async (query: string) =>
    (await request('GET', `/runs/${run.id}/records?${query}`)).body.details.issues;
  expect(await issuesOf('breakdownBy=tags')).toEqual([
    { path: '?breakdownBy', message: 'needs breakdownValue beside it' },
  ]);
  expect(await issuesOf('breakdownValue=1')).toEqual([
    { path: '?breakdownValue', message: 'needs breakdownBy beside it' },
  ]);
  for (const field of ['/topic', '/inputs', 'inputs/topic', '/inputs/~'])
    expect(await issuesOf(`breakdownBy=${encodeURIComponent(field)}&breakdownValue=1`)).toEqual([
      { path: '?breakdownBy', message: 'must be the `by` of a breakdown, such as /inputs/topic' },
    ]);
});

import { openDatabase } from '@assay/runtime/mongo/database';
import { missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { createDeletion } from '../src/domain/runs/deletion.ts';
import { createStore } from '../src/store.ts';

const { config, identity, newMetric, newRecord, newRun, request } = useRunRecords();

const asResults = { identity: { role: 'service' as const } };
const human = { evalType: 'human', outputType: 'boolean' };

async function newDraw() {
  const people = await newMetric(human);
  const runs = [await newRun({ metricIds: [people] }), await newRun({ metricIds: [people] })];
  const recordIds = await Promise.all(runs.map(async ({ id }) => (await newRecord(id)).body.id));
  const [baseline, candidate] = runs as { id: string }[];
  const testcase = {
    testcaseId: missingId,
    weight: 1,
    baselineRecordId: recordIds[0],
    candidateRecordId: recordIds[1],
  };
  const kept = (version: number, probability: number) => ({
    baselineRunId: baseline!.id,
    candidateRunId: candidate!.id,
    metricId: missingId,
    humanMetricId: people,
    version,
    keyIds: [],
    testcases: [{ ...testcase, probability }],
  });
  return {
    baseline: baseline!,
    candidate: candidate!,
    keep: async (version: number, probability: number) => {
      const draw = kept(version, probability);
      const ids = { baseline: [recordIds[0]], candidate: [recordIds[1]] };
      const body = { draw, recordIds: ids, assigneeUserIds: [] };
      return (await request('POST', '/internal/label-draws', body, asResults)).body.isKept;
    },
    find: async (runId: string, as: Parameters<typeof request>[3] = asResults) => {
      const body = { runIds: [runId], metricId: missingId };
      const { text } = await request('POST', '/internal/label-draws/find', body, as);
      return text
        .split('\n')
        .filter(Boolean)
        .map((line: string) => JSON.parse(line));
    },
  };
}

describe('a kept draw', () => {
  test('is replaced by the one that goes on from it, and by no other', async () => {
    const { keep, find, baseline, candidate } = await newDraw();
    expect([await keep(2, 0.1), await keep(1, 0.2), await keep(1, 0.3)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(await Promise.all([keep(2, 0.4), keep(2, 0.5)])).toContain(false);
    const [draw] = await find(baseline.id);
    expect(draw.version).toBe(2);
    expect([0.4, 0.5]).toContain(draw.testcases[0].probability);
    expect(await find(candidate.id)).toEqual([draw]);
    expect(
      await find(candidate.id, { identity: { role: 'service', organizationId: missingId } }),
    ).toEqual([]);
  });

  test('goes with either of its runs', async () => {
    const { keep, find, baseline, candidate } = await newDraw();
    await keep(1, 0.2);
    const database = await openDatabase({
      uri: config().MONGODB_URI,
      name: `${config().DATABASE_PREFIX}_run-records`,
    });
    const { deleteAll } = createDeletion({
      ask: { results: { forgetRun: async () => ({}) } } as never,
      store: createStore(database, { sweepAfterMs: 1000, announceLinks: async () => {} }),
      now: () => new Date(),
    });
    for await (const _batch of deleteAll(identity().organizationId, candidate.id));
    expect(await find(baseline.id)).toEqual([]);
    await database.close();
  });
});

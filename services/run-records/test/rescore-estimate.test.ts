import { newId } from '@assay/runtime/ids';
import { asScoring, heuristic, missingId, useRunRecords } from '@assay/testing/run-records';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const { request, newMetric, newRun, newRecord, getRun } = useRunRecords();

const byPeople = { evalType: 'human', outputType: 'boolean' };

const estimate = (runId: string, body?: object, as = {}) =>
  request('POST', `/runs/${runId}/rescore/estimate`, body, as);

/** How each record stands before the rescoring. */
const standing = fc.constantFrom('pending', 'scored', 'overridden', 'errored', 'reviewed');
type Standing = 'pending' | 'scored' | 'overridden' | 'errored' | 'reviewed';

async function newRecords(run: { id: string; metricVersionIds: string[] }, standings: Standing[]) {
  const [rule, people] = run.metricVersionIds;
  const ids: string[] = [];
  for (const each of standings) {
    const error = each === 'errored' ? { error: { name: 'TimeoutError', message: '' } } : {};
    const { id } = (await newRecord(run.id, error)).body;
    ids.push(id);
    const put = (version: string) =>
      request('PUT', `/records/${id}/scores/${version}`, { score: { value: true } });
    if (each === 'overridden') await put(rule!);
    if (each === 'reviewed') await put(people!);
    if (each === 'scored') {
      const score = { binaryScore: true, value: true, reasoning: 'same' };
      const outcome = { kind: 'score', score, value: true, source: 'heuristic' };
      const judgements = [{ recordId: id, metricVersionId: rule, outcome }];
      await request('POST', '/internal/judgements', { runId: run.id, judgements }, asScoring);
    }
  }
  return ids;
}

describe('the estimate of a rescoring', () => {
  test('tells the scores that the rescoring then makes and awaits, and makes none', async () => {
    const metricIds = [await newMetric(), await newMetric(byPeople)];
    const joining = [await newMetric(), await newMetric(byPeople)];
    await fc.assert(
      fc.asyncProperty(
        fc.array(standing, { minLength: 1, maxLength: 5 }),
        fc.subarray([...metricIds, ...joining], { minLength: 1 }),
        fc.option(fc.nat()),
        async (standings, wanted, some) => {
          const run = await newRun({ metricIds });
          const records = await newRecords(run, standings);
          const recordIds = records.slice(0, 1 + ((some ?? 0) % records.length));
          const body = { metricIds: wanted, ...(some === null ? {} : { recordIds }) };
          const before = await getRun(run.id);
          const estimated = await estimate(run.id, body);
          expect(estimated.status).toBe(200);
          expect(await getRun(run.id)).toEqual(before);
          const rescored = await request('POST', `/runs/${run.id}/rescore`, body);
          expect(rescored.status).toBe(202);
          const { metrics, queued, awaited, costUsd } = estimated.body;
          expect({ queued, awaited }).toEqual(rescored.body);
          expect(costUsd).toBe(0);
          expect(metrics.map(({ metricId }: { metricId: string }) => metricId).sort()).toEqual(
            wanted.toSorted(),
          );
        },
      ),
      { numRuns: volume(60) },
    );
  });

  test('without metrics names those of the run that the service scores, by their versions of now', async () => {
    const metricId = await newMetric();
    const byClients = await newMetric({ evalType: 'heuristic', outputType: 'boolean' });
    const run = await newRun({ metricIds: [metricId, byClients, await newMetric(byPeople)] });
    await newRecord(run.id);
    await request('PATCH', `/metrics/${metricId}`, { ...heuristic, guidelines: 'changed' });
    const { body } = await estimate(run.id);
    expect(body).toEqual({
      metrics: [
        {
          metricId,
          metricVersionId: expect.any(String),
          name: 'm',
          evalType: 'heuristic',
          queued: 1,
          awaited: 0,
          costUsd: 0,
        },
      ],
      queued: 1,
      awaited: 0,
      costUsd: 0,
      budgetLeftUsd: null,
    });
    expect(run.metricVersionIds).not.toContain(body.metrics[0].metricVersionId);
    expect((await getRun(run.id)).metricVersionIds).toEqual(run.metricVersionIds);
    await request('PATCH', `/runs/${run.id}`, { budgetUsd: 2.5 });
    expect((await estimate(run.id)).body.budgetLeftUsd).toBe(2.5);
  });

  test('is refused like the rescoring, and to everybody else', async () => {
    const run = await newRun({ metricIds: [await newMetric()] });
    const pathOf = ({ body }: Awaited<ReturnType<typeof request>>) => body.details.issues[0].path;
    expect(pathOf(await estimate(run.id, { metricIds: ['x'] }))).toBe('/metricIds/0');
    expect(pathOf(await estimate(run.id, { recordIds: [missingId] }))).toBe('/recordIds/0');
    const stranger = { identity: { organizationId: newId(), userId: newId() } };
    expect((await estimate(run.id, {}, stranger)).status).toBe(404);
  });
});

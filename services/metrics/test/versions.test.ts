import { describe, expect, test } from 'vitest';
import { absent, builtin, judged, times, useMetrics } from './setting.ts';

const { request, ask, identity, newProject, newMetric, change, currentVersion } = useMetrics();

describe('versions of a metric', () => {
  test.each([
    ['ai', 'int', { guidelines: 'new' }],
    ['ai', 'int', { passingThreshold: 5 }],
    ['ai', 'int', { promptTemplate: 'new' }],
    ['ai', 'int', { evalModelName: 'new' }],
    ['ai', 'int', { temperature: null }],
    ['ai', 'float', { passingThreshold: 0 }],
    ['human', 'float', { passingThreshold: 0.5 }],
    ['heuristic', 'float', { builtin: { name: 'levenshtein', options: { output: '/response' } } }],
    ['heuristic', 'float', { builtin: { name: 'levenshtein' } }],
    ['heuristic', 'float', { builtin: { name: 'rouge_l' } }],
  ])('%s %s: a change of %j makes one, and the former stays as it was', async (evalType, outputType, changed) => {
    const projectId = await newProject();
    const parts = evalType === 'ai' ? judged : evalType === 'heuristic' ? { builtin } : {};
    const metric = await newMetric(projectId, { evalType, outputType, ...parts });
    const before = await currentVersion(projectId, metric.id);
    expect((await change(metric, changed)).body).toEqual({ ...metric, ...changed });
    const after = await currentVersion(projectId, metric.id);
    expect(after.metricVersionId).not.toBe(before.metricVersionId);
    for (const version of [before, after]) expect(await ask().version(identity(), version)).toEqual({ version });
    expect((await change(metric, changed)).status).toBe(200);
    expect(await currentVersion(projectId, metric.id)).toEqual(after);
  });

  test('are not made by another name or description, nor by what is the same in another order', async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId, { evalType: 'heuristic', outputType: 'float', builtin });
    const before = await currentVersion(projectId, metric.id);
    await change(metric, { name: 'Other', description: 'x' });
    const reordered = { options: { expected: '/idealAnswer', output: '/response' }, name: 'levenshtein' };
    const same = await change(metric, { builtin: reordered, guidelines: '', passingThreshold: 0.9, description: null });
    expect(same.body).toEqual({ ...metric, name: 'Other' });
    expect(await currentVersion(projectId, metric.id)).toEqual({ ...before, name: 'Other' });
  });

  test('say all that scores, with null for what a shape does not have', async () => {
    const projectId = await newProject();
    const ai = await newMetric(projectId, { evalType: 'ai', outputType: 'int', ...judged });
    expect(await currentVersion(projectId, ai.id)).toEqual({
      metricVersionId: expect.any(String),
      metricId: ai.id,
      isScoredByService: true,
      name: 'Correct',
      evalType: 'ai',
      outputType: 'int',
      guidelines: '',
      passingThreshold: 4,
      judge: judged,
      builtin: null,
    });
    const exact = await newMetric(projectId, { evalType: 'heuristic', builtin: { name: 'exact_match' } });
    expect(await currentVersion(projectId, exact.id)).toMatchObject({
      passingThreshold: null,
      judge: null,
      builtin: { name: 'exact_match', options: {} },
    });
    const byClients = await newMetric(projectId, { evalType: 'heuristic' });
    expect(await currentVersion(projectId, byClients.id)).toMatchObject({ passingThreshold: null, judge: null, builtin: null });
  });

  test('are answered in the order asked, and what is no metric of the project is told', async () => {
    const projectId = await newProject();
    const [first, second] = [await newMetric(projectId), await newMetric(projectId)];
    const foreign = await newMetric(await newProject());
    const deleted = await newMetric(projectId);
    await request('DELETE', `/metrics/${deleted.id}`);
    const metricIds = [second.id, 'x', first.id, foreign.id, deleted.id];
    const { versions, missing } = await ask().currentVersions(identity(), { projectId, metricIds });
    expect(versions.map(({ metricId }) => metricId)).toEqual([second.id, first.id]);
    expect(missing).toEqual(['x', foreign.id, deleted.id]);
  });

  test('of a deleted metric can still be read, those of another organization cannot', async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId);
    const version = await currentVersion(projectId, metric.id);
    expect((await request('DELETE', `/metrics/${metric.id}`)).body).toEqual({ success: true });
    for (const method of ['GET', 'DELETE']) expect((await request(method, `/metrics/${metric.id}`)).status).toBe(404);
    expect((await change(metric, { name: 'x' })).status).toBe(404);
    expect(await ask().version(identity(), version)).toEqual({ version });
    expect(await ask().version({ ...identity(), organizationId: absent }, version)).toEqual({ version: null });
    for (const metricVersionId of [absent, 'x']) expect(await ask().version(identity(), { metricVersionId })).toEqual({ version: null });
  });

  test('of changes made at once are all kept: none undoes another', async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId, { evalType: 'ai', outputType: 'int', ...judged });
    const changes = [
      { guidelines: 'g' },
      { passingThreshold: 1 },
      { temperature: 1 },
      { evalModelName: 'm' },
      { promptTemplate: 'p' },
      { name: 'n' },
    ];
    const replies = await Promise.all(changes.map((body) => change(metric, body)));
    expect(replies.map(({ status }) => status)).toEqual(Array(changes.length).fill(200));
    expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(Object.assign({}, metric, ...changes));
    expect(await currentVersion(projectId, metric.id)).toMatchObject({ name: 'n', guidelines: 'g', passingThreshold: 1 });
  });

  test('of the same change made by ten at once are one', async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId);
    await times(10, () => change(metric, { guidelines: 'same' }));
    const { metricVersionId } = await currentVersion(projectId, metric.id);
    await times(3, () => change(metric, { guidelines: 'same' }));
    expect((await currentVersion(projectId, metric.id)).metricVersionId).toBe(metricVersionId);
  });
});

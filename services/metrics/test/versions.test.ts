import { describe, expect, test } from 'vitest';
import { absent, builtin, code, judged, times, useMetrics } from './setting.ts';

const { request, ask, identity, newProject, newMetric, change, currentVersion } = useMetrics();

const plain = 'function evaluate() { return true }';

/** What the service sees of an evaluator, as clients see it. */
const shown = ({ builtin, code }: { builtin: object | null; code: object | null }) => ({
  ...(builtin && { builtin }),
  ...(code && { code }),
});

describe('versions of a metric', () => {
  test.each([
    ['ai', 'int', { guidelines: 'new' }],
    ['ai', 'int', { passingThreshold: 5 }],
    ['ai', 'int', { promptTemplate: 'new' }],
    ['ai', 'int', { evalModelName: 'new' }],
    ['ai', 'int', { temperature: null }],
    ['ai', 'int', { votes: 3 }],
    ['ai', 'int', { seed: 0 }],
    ['ai', 'float', { passingThreshold: 0 }],
    ['human', 'float', { passingThreshold: 0.5 }],
    ['human', 'float', { annotators: 2 }],
    ['heuristic', 'float', { builtin: { name: 'levenshtein', options: { output: '/response' } } }],
    ['heuristic', 'float', { builtin: { name: 'levenshtein' } }],
    ['heuristic', 'float', { builtin: { name: 'rouge_l' } }],
  ])(
    '%s %s: a change of %j makes one, and the former stays as it was',
    async (evalType, outputType, changed) => {
      const projectId = await newProject();
      const parts = evalType === 'ai' ? judged : evalType === 'heuristic' ? { builtin } : {};
      const metric = await newMetric(projectId, { evalType, outputType, ...parts });
      const before = await currentVersion(projectId, metric.id);
      expect((await change(metric, changed)).body).toEqual({ ...metric, ...changed });
      const after = await currentVersion(projectId, metric.id);
      expect(after.metricVersionId).not.toBe(before.metricVersionId);
      for (const version of [before, after])
        expect(await ask().version(identity(), version)).toEqual({ version });
      expect((await change(metric, changed)).status).toBe(200);
      expect(await currentVersion(projectId, metric.id)).toEqual(after);
    },
  );

  test('are not made by another name or description, nor by what is the same in another order', async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId, {
      evalType: 'heuristic',
      outputType: 'float',
      builtin,
    });
    const before = await currentVersion(projectId, metric.id);
    await change(metric, { name: 'Other', description: 'x' });
    const reordered = {
      options: { expected: '/idealAnswer', output: '/response' },
      name: 'levenshtein',
    };
    const same = await change(metric, {
      builtin: reordered,
      guidelines: '',
      passingThreshold: 0.9,
      description: null,
    });
    expect(same.body).toEqual({ ...metric, name: 'Other' });
    expect(await currentVersion(projectId, metric.id)).toEqual({ ...before, name: 'Other' });
  });

  test('are not made by a default that is sent, and the metric shows what was sent', async () => {
    const projectId = await newProject();
    for (const [parts, sent] of [
      [{ evalType: 'ai', ...judged }, { votes: 1 }],
      [{ evalType: 'human' }, { annotators: 1 }],
    ] as const) {
      const metric = await newMetric(projectId, parts);
      const before = await currentVersion(projectId, metric.id);
      expect((await change(metric, sent)).body).toEqual({ ...metric, ...sent });
      expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual({ ...metric, ...sent });
      expect(await currentVersion(projectId, metric.id)).toEqual(before);
    }
  });

  test('are made where a seed is taken away by null, which is not shown', async () => {
    const projectId = await newProject();
    const { seed, ...metric } = await newMetric(projectId, { evalType: 'ai', ...judged, seed: 7 });
    const before = await currentVersion(projectId, metric.id);
    expect([seed, before.judge!.seed]).toEqual([7, 7]);
    expect((await change(metric, { seed: null })).body).toEqual(metric);
    const after = await currentVersion(projectId, metric.id);
    expect([after.judge!.seed, after.metricVersionId === before.metricVersionId]).toEqual([
      null,
      false,
    ]);
  });

  test('are made where code takes the place of a built-in evaluator, and the other way round', async () => {
    const projectId = await newProject();
    const { builtin: _, ...bare } = await newMetric(projectId, {
      evalType: 'heuristic',
      outputType: 'float',
      builtin,
    });
    const ids = new Set<string>();
    for (const [sent, scores] of [
      [{}, { builtin, code: null }],
      [{ code }, { builtin: null, code }],
      [
        { code: { ...code, source: `${code.source}\n` } },
        { builtin: null, code: { ...code, source: `${code.source}\n` } },
      ],
      [
        { code: { ...code, language: 'javascript', source: plain } },
        { builtin: null, code: { language: 'javascript', source: plain } },
      ],
      [{ builtin }, { builtin, code: null }],
    ] as const) {
      expect((await change(bare, sent)).body).toEqual({ ...bare, ...shown(scores) });
      const version = await currentVersion(projectId, bare.id);
      const kept = version.builtin && {
        ...version.builtin,
        options: version.builtin.options.parse(),
      };
      expect(kept).toEqual(scores.builtin);
      expect(version).toMatchObject({ code: scores.code, isScoredByService: true });
      ids.add(version.metricVersionId);
    }
    expect(ids.size).toBe(5);
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
      evalModelName: 'gpt-4o',
      annotators: 1,
      judge: { ...judged, votes: 1, seed: null },
      builtin: null,
      code: null,
    });
    const voting = await newMetric(projectId, { evalType: 'ai', ...judged, votes: 5, seed: 7 });
    expect((await currentVersion(projectId, voting.id)).judge).toEqual({
      ...judged,
      votes: 5,
      seed: 7,
    });
    const human = await newMetric(projectId, { annotators: 3 });
    expect(await currentVersion(projectId, human.id)).toMatchObject({
      annotators: 3,
      evalModelName: null,
      isScoredByService: false,
      judge: null,
      code: null,
    });
    const coded = await newMetric(projectId, { evalType: 'heuristic', code });
    expect(await currentVersion(projectId, coded.id)).toMatchObject({
      isScoredByService: true,
      judge: null,
      builtin: null,
      code,
    });
    const exact = await newMetric(projectId, {
      evalType: 'heuristic',
      builtin: { name: 'exact_match' },
    });
    expect(await currentVersion(projectId, exact.id)).toMatchObject({
      passingThreshold: null,
      judge: null,
      builtin: { name: 'exact_match', options: {} },
    });
    const byClients = await newMetric(projectId, { evalType: 'heuristic' });
    expect(await currentVersion(projectId, byClients.id)).toMatchObject({
      isScoredByService: false,
      passingThreshold: null,
      judge: null,
      builtin: null,
      code: null,
    });
  });

  test('are answered in the order asked, and what does not belong to the project is told', async () => {
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
    for (const method of ['GET', 'DELETE'])
      expect((await request(method, `/metrics/${metric.id}`)).status).toBe(404);
    expect((await change(metric, { name: 'x' })).status).toBe(404);
    expect(await ask().version(identity(), version)).toEqual({ version });
    expect(await ask().version({ ...identity(), organizationId: absent }, version)).toEqual({
      version: null,
    });
    for (const metricVersionId of [absent, 'x'])
      expect(await ask().version(identity(), { metricVersionId })).toEqual({ version: null });
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
      { votes: 5 },
      { seed: 1 },
      { name: 'n' },
    ];
    const replies = await Promise.all(changes.map((body) => change(metric, body)));
    expect(replies.map(({ status }) => status)).toEqual(Array(changes.length).fill(200));
    expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(
      Object.assign({}, metric, ...changes),
    );
    expect(await currentVersion(projectId, metric.id)).toMatchObject({
      name: 'n',
      guidelines: 'g',
      passingThreshold: 1,
    });
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

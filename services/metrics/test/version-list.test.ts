import { openDatabase } from '@assay/runtime/mongo/database';
import { describe, expect, test } from 'vitest';
import { absent, builtin, code, judged, useMetrics } from './setting.ts';

const { world, request, identity, newProject, newMetric, change, currentVersion } = useMetrics();

interface Version {
  id: string;
  changes: string[];
}

const list = (metricId: string, query = '', as = {}) =>
  request('GET', `/metrics/${metricId}/versions${query}`, undefined, { identity: as });

async function walk(metricId: string, limit: number): Promise<Version[]> {
  const versions: Version[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await list(metricId, `?limit=${limit}${cursor}`);
    versions.push(...body.data);
    if (!body.hasMore) return versions;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

const changesOf = async (metricId: string) =>
  (await walk(metricId, 100)).map(({ changes }) => changes);

describe('the versions of a metric', () => {
  test('are listed newest first, with what each scores by, when and by whom it was made', async () => {
    const before = Date.now();
    const projectId = await newProject();
    const types = { evalType: 'ai', outputType: 'int' };
    const metric = await newMetric(projectId, { ...types, ...judged });
    const first = await currentVersion(projectId, metric.id);
    const editor = { identity: { userId: absent, role: 'member' as const } };
    const body = { ...types, temperature: 1, votes: 3 };
    await request('PATCH', `/metrics/${metric.id}`, body, editor);
    const second = await currentVersion(projectId, metric.id);
    const { id: metricId, name: _name, description: _description, ...config } = metric;
    const reply = await list(metricId);
    expect(reply.body).toEqual({
      data: [
        {
          id: second.metricVersionId,
          metricId,
          createdAt: expect.any(String),
          createdByUserId: absent,
          changes: ['temperature', 'votes'],
          config: { ...config, temperature: 1, votes: 3 },
        },
        {
          id: first.metricVersionId,
          metricId,
          createdAt: expect.any(String),
          createdByUserId: identity().userId,
          changes: [],
          config,
        },
      ],
      nextCursor: null,
      hasMore: false,
    });
    for (const { createdAt } of reply.body.data) {
      expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
    }
  });

  test('say which fields changed, by the names that clients know', async () => {
    const projectId = await newProject();
    const coded = await newMetric(projectId, {
      evalType: 'heuristic',
      outputType: 'float',
      builtin,
    });
    await change(coded, { code });
    await change(coded, { guidelines: 'g', passingThreshold: 0.5 });
    await change(coded, { name: 'Another name makes none', description: 'd' });
    expect(await changesOf(coded.id)).toEqual([
      ['guidelines', 'passingThreshold'],
      ['builtin', 'code'],
      [],
    ]);
    const human = await newMetric(projectId, { evalType: 'human' });
    await change(human, { annotators: 2 });
    await change(human, { annotators: 1 });
    expect(await changesOf(human.id)).toEqual([['annotators'], ['annotators'], []]);
    const ai = await newMetric(projectId, { evalType: 'ai', ...judged, seed: 7 });
    await change(ai, { promptTemplate: 'p', evalModelName: 'm' });
    await change(ai, { seed: null, temperature: null });
    expect(await changesOf(ai.id)).toEqual([
      ['seed', 'temperature'],
      ['evalModelName', 'promptTemplate'],
      [],
    ]);
  });

  test('are the same on every page, with the changes of its last one', async () => {
    const metric = await newMetric(await newProject());
    for (let index = 0; index < 4; index++) await change(metric, { guidelines: `g${index}` });
    const all = await walk(metric.id, 100);
    expect(all.map(({ changes }) => changes.length)).toEqual([1, 1, 1, 1, 0]);
    expect(await walk(metric.id, 1)).toEqual(all);
    expect(await walk(metric.id, 2)).toEqual(all);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
  });

  test('of an earlier release have no author', async () => {
    const metric = await newMetric(await newProject());
    const { DATABASE_PREFIX, MONGODB_URI } = world().config;
    const database = await openDatabase({ uri: MONGODB_URI, name: `${DATABASE_PREFIX}_metrics` });
    await database
      .collection('versions')
      .updateMany({ metricId: metric.id }, { $unset: { createdByUserId: '' } });
    await database.close();
    await change(metric, { guidelines: 'new' });
    const { data } = (await list(metric.id)).body;
    expect(data.map((version: { createdByUserId: unknown }) => version.createdByUserId)).toEqual([
      identity().userId,
      null,
    ]);
  });

  test('of a metric that is deleted, or of another organization, are not found', async () => {
    const metric = await newMetric(await newProject());
    const unknown = { status: 404, body: { details: { resource: 'metric', id: metric.id } } };
    expect(await list(metric.id, '', { organizationId: absent })).toMatchObject(unknown);
    await request('DELETE', `/metrics/${metric.id}`);
    expect(await list(metric.id)).toMatchObject(unknown);
  });
});

import { poll } from '@assay/testing/poll';
import { startWorld } from '@assay/testing/world';
import { describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { absent, services, times, useMetrics } from './setting.ts';

const { request, ask, create, identity, newProject, newMetric, currentVersion } = useMetrics();

describe('a metric group', () => {
  const newGroup = (projectId: string, body: object) =>
    request('POST', `/projects/${projectId}/metric-groups`, { name: 'Release', ...body });

  test('is created, read, listed newest first, changed and deleted', async () => {
    const projectId = await newProject();
    const [first, second] = [await newMetric(projectId), await newMetric(projectId)];
    const created = await newGroup(projectId, { metricIds: [second.id, first.id] });
    expect(created.status).toBe(201);
    const { createdAt, updatedAt } = created.body;
    expect(new Date(createdAt).toISOString()).toBe(createdAt);
    expect(updatedAt).toBe(createdAt);
    const metricIds = [second.id, first.id];
    expect(created.body).toEqual({
      id: expect.any(String),
      projectId,
      name: 'Release',
      description: '',
      metricIds,
      createdAt,
      updatedAt,
    });
    const path = `/metric-groups/${created.body.id}`;
    expect((await request('GET', path)).text).toBe(created.text);
    const newer = (await newGroup(projectId, { metricIds: [], description: 'none' })).body;
    expect((await request('GET', `/projects/${projectId}/metric-groups`)).body.data).toEqual([
      newer,
      created.body,
    ]);
    const changed = (await request('PATCH', path, { name: 'Nightly', metricIds: [first.id] })).body;
    expect(changed).toEqual({
      ...created.body,
      name: 'Nightly',
      metricIds: [first.id],
      updatedAt: expect.any(String),
    });
    expect(changed.updatedAt >= updatedAt).toBe(true);
    expect((await request('DELETE', path)).body).toEqual({ success: true });
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const gone = await request(method, path, method === 'PATCH' ? {} : undefined);
      expect([gone.status, gone.body.details.resource]).toEqual([404, 'metric group']);
    }
    expect((await request('GET', `/metrics/${first.id}`)).status).toBe(200);
  });

  test('takes metrics of its project alone, and tells the place of each other; one sent twice is in it once', async () => {
    const projectId = await newProject();
    const own = await newMetric(projectId);
    const foreign = await newMetric(await newProject());
    const metricIds = [own.id, foreign.id, own.id, 'x'];
    const issues = [1, 3].map((index) => ({
      path: `/metricIds/${index}`,
      message: 'must be a metric of the project',
    }));
    const refused = await newGroup(projectId, { metricIds });
    expect([refused.status, refused.body.details.issues]).toEqual([400, issues]);
    const group = (await newGroup(projectId, { metricIds: [own.id, own.id] })).body;
    expect(group.metricIds).toEqual([own.id]);
    const change = await request('PATCH', `/metric-groups/${group.id}`, {
      metricIds,
      name: 'never',
    });
    expect([change.status, change.body.details.issues]).toEqual([400, issues]);
    expect((await request('GET', `/metric-groups/${group.id}`)).body).toEqual(group);
  });

  test('is left by a metric that is deleted, even when it is created at that moment', async () => {
    const projectId = await newProject();
    const stays = await newMetric(projectId);
    for (let round = 0; round < 5; round++) {
      const goes = await newMetric(projectId);
      const before = (await newGroup(projectId, { metricIds: [goes.id, stays.id] })).body;
      const [created, deleted] = await Promise.all([
        newGroup(projectId, { metricIds: [stays.id, goes.id] }),
        request('DELETE', `/metrics/${goes.id}`),
      ]);
      expect(deleted.status).toBe(200);
      expect([201, 400]).toContain(created.status);
      const ids = created.status === 201 ? [before.id, created.body.id] : [before.id];
      for (const id of ids)
        expect((await request('GET', `/metric-groups/${id}`)).body.metricIds).toEqual([stays.id]);
    }
  });
});

describe('belonging', () => {
  test("another organization's metrics and groups answer exactly as what does not exist", async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId);
    const group = (
      await request('POST', `/projects/${projectId}/metric-groups`, {
        name: 'g',
        metricIds: [metric.id],
      })
    ).body;
    const types = { evalType: 'human', outputType: 'boolean' };
    const calls = [
      ['GET', (id: string) => `/metrics/${id}`, metric.id],
      ['PATCH', (id: string) => `/metrics/${id}`, metric.id, { ...types, name: 'x' }],
      ['DELETE', (id: string) => `/metrics/${id}`, metric.id],
      ['GET', (id: string) => `/metric-groups/${id}`, group.id],
      ['PATCH', (id: string) => `/metric-groups/${id}`, group.id, { name: 'x' }],
      ['DELETE', (id: string) => `/metric-groups/${id}`, group.id],
      ['GET', (id: string) => `/projects/${id}/metrics`, projectId],
      ['POST', (id: string) => `/projects/${id}/metrics`, projectId, { ...types, name: 'x' }],
      ['GET', (id: string) => `/projects/${id}/metric-groups`, projectId],
      [
        'POST',
        (id: string) => `/projects/${id}/metric-groups`,
        projectId,
        { name: 'x', metricIds: [] },
      ],
    ] as const;
    for (const [method, path, id, body] of calls) {
      const foreign = await request(method, path(id), body, {
        identity: { organizationId: absent },
      });
      const missing = await request(method, path(absent), body);
      expect(foreign.status).toBe(404);
      expect(foreign.text).toBe(missing.text.replace(absent, id));
    }
    expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
    expect((await request('GET', `/metric-groups/${group.id}`)).body).toEqual(group);
  });

  test('a deleted project takes its metrics, versions and groups along at once', async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId);
    const { metricVersionId } = await currentVersion(projectId, metric.id);
    const group = (
      await request('POST', `/projects/${projectId}/metric-groups`, {
        name: 'g',
        metricIds: [metric.id],
      })
    ).body;
    await request('DELETE', `/projects/${projectId}`);
    for (const path of [
      `/metrics/${metric.id}`,
      `/metric-groups/${group.id}`,
      `/projects/${projectId}/metrics`,
      `/projects/${projectId}/metric-groups`,
    ])
      expect((await request('GET', path)).status).toBe(404);
    expect(await ask().version(identity(), { metricVersionId })).toEqual({ version: null });
  });

  test('what is made while its project is forgotten is gone afterwards, and nothing can be made', async () => {
    const projectId = await newProject();
    const creations = times(4, (index) =>
      create(projectId, { name: `m${index}`, evalType: 'human', outputType: 'int' }),
    );
    const groups = times(4, () =>
      request('POST', `/projects/${projectId}/metric-groups`, { name: 'g', metricIds: [] }),
    );
    await Promise.all([creations, groups, ask().forgetProject(identity(), { projectId })]);
    for (const { status } of [...(await creations), ...(await groups)])
      expect([201, 404]).toContain(status);
    for (const list of ['metrics', 'metric-groups']) {
      expect((await request('GET', `/projects/${projectId}/${list}`)).body.data).toEqual([]);
      const late = { name: 'late', evalType: 'human', outputType: 'int', metricIds: [] };
      expect((await request('POST', `/projects/${projectId}/${list}`, late)).status).toBe(404);
    }
  });

  test('a project that was deleted while the service was down is forgotten when it is up again', async () => {
    await using parts = await startWorld({ services: { catalog: services.catalog } });
    const before = await start(parts.config);
    parts.urls.metrics = before.url;
    const projectId = (await parts.request('POST', '/projects', { name: 'p', description: '' }))
      .body.id;
    const body = { name: 'm', evalType: 'human', outputType: 'int' };
    const metric = (await parts.request('POST', `/projects/${projectId}/metrics`, body)).body;
    await before.stop();
    expect((await parts.request('DELETE', `/projects/${projectId}`)).status).toBe(200);
    const after = await start(parts.config);
    parts.urls.metrics = after.url;
    await poll(
      'the metric is gone',
      async () => (await parts.request('GET', `/metrics/${metric.id}`)).status === 404,
    );
    await after.stop();
  });
});

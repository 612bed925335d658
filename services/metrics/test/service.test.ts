import { start as startCatalog } from '@assay/catalog/service';
import { metrics } from '@assay/contracts/metrics';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, metrics: start } });
});
afterAll(() => world.stop());

const absent = '00000000-0000-7000-8000-000000000000';
const newProject = async () => (await world.request('POST', '/projects', { name: 'Support', description: '' })).body.id as string;
const create = (projectId: string, body: object) => world.request('POST', `/projects/${projectId}/metrics`, body);
const newMetric = async (projectId: string, change = {}) =>
  (await create(projectId, { name: 'Correct', evalType: 'human', outputType: 'boolean', ...change })).body;
const change = (metric: { id: string; evalType: string; outputType: string }, body: object) =>
  world.request('PATCH', `/metrics/${metric.id}`, { evalType: metric.evalType, outputType: metric.outputType, ...body });
const ask = () => world.bus.asks(metrics).metrics;
const currentVersion = async (projectId: string, metricId: string) =>
  (await ask().currentVersions(world.identity, { projectId, metricIds: [metricId] })).versions[0]!;
const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const judged = { promptTemplate: 'Is {{ outputs.response }} right?', evalModelName: 'gpt-4o', temperature: 0 };
const builtin = { name: 'levenshtein', options: { output: '/response', expected: '/idealAnswer' } };
const defaults = { description: null, guidelines: '' };
const threshold = { int: { passingThreshold: 4 }, float: { passingThreshold: 0.9 }, boolean: {} };

/** What is sent, and what comes back besides it: the nine shapes, the heuristic ones with an evaluator and without. */
const shapes = [
  ...(['int', 'float', 'boolean'] as const).flatMap((outputType) => [
    [
      { evalType: 'ai', outputType, promptTemplate: judged.promptTemplate },
      { ...defaults, ...judged, ...threshold[outputType] },
    ] as const,
    [
      { evalType: 'human', outputType },
      { ...defaults, ...threshold[outputType] },
    ] as const,
    [
      { evalType: 'heuristic', outputType },
      { ...defaults, ...threshold[outputType] },
    ] as const,
  ]),
  [
    {
      evalType: 'ai',
      outputType: 'int',
      guidelines: 'strict',
      description: 'd',
      passingThreshold: 2,
      ...judged,
      evalModelName: 'm',
      temperature: null,
    },
    {},
  ] as const,
  [{ evalType: 'ai', outputType: 'float', description: '', passingThreshold: 0, ...judged, temperature: 2 }, { guidelines: '' }] as const,
  [{ evalType: 'human', outputType: 'float', passingThreshold: 1 }, defaults] as const,
  [
    { evalType: 'heuristic', outputType: 'float', builtin },
    { ...defaults, ...threshold.float },
  ] as const,
  [{ evalType: 'heuristic', outputType: 'boolean', builtin: { name: 'exact_match' } }, defaults] as const,
  [{ evalType: 'heuristic', outputType: 'boolean', builtin: { name: 'exact_match', options: {} } }, defaults] as const,
] as const;

describe('a metric', () => {
  test.each(shapes)('of the shape %j comes back with its fields and no others', async (sent, added) => {
    const projectId = await newProject();
    const created = await create(projectId, { name: 'm', ...sent, other: 1 });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ id: expect.any(String), name: 'm', ...sent, ...added });
    expect((await world.request('GET', `/metrics/${created.body.id}`)).text).toBe(created.text);
    expect((await world.request('GET', `/projects/${projectId}/metrics`)).body.data).toEqual([created.body]);
    expect((await change(created.body, {})).text).toBe(created.text);
    const { evalType, outputType, ...fields } = { ...sent, ...added };
    expect((await change(created.body, { name: 'n', ...fields })).body).toEqual({ ...created.body, name: 'n' });
  });

  test.each([
    [{ evalType: 'ai', outputType: 'int' }, '/promptTemplate', 'is required'],
    [{ evalType: 'ai', outputType: 'int', promptTemplate: '' }, '/promptTemplate', 'must have at least 1 character'],
    [{ evalType: 'ai', outputType: 'int', ...judged, temperature: 2.1 }, '/temperature', 'must be at most 2'],
    [{ evalType: 'human', outputType: 'int', passingThreshold: 6 }, '/passingThreshold', 'must be at most 5'],
    [{ evalType: 'human', outputType: 'int', passingThreshold: 0 }, '/passingThreshold', 'must be at least 1'],
    [{ evalType: 'human', outputType: 'int', passingThreshold: 4.5 }, '/passingThreshold', expect.stringContaining('must be an integer')],
    [{ evalType: 'human', outputType: 'float', passingThreshold: 1.1 }, '/passingThreshold', 'must be at most 1'],
    [{ evalType: 'heuristic', outputType: 'boolean', builtin: { name: 'nothing' } }, '/builtin/name', expect.any(String)],
    [{ evalType: 'heuristic', outputType: 'int', builtin }, '/builtin/name', expect.any(String)],
    [{ evalType: 'heuristic', outputType: 'boolean', builtin }, '/builtin/options/threshold', expect.any(String)],
    [
      { evalType: 'heuristic', outputType: 'boolean', builtin: { name: 'json_schema', options: { schema: { type: 'strng' } } } },
      '/builtin/options/schema/type',
      expect.any(String),
    ],
    [{ evalType: 'toString', outputType: 'int' }, '/evalType', expect.any(String)],
    [{ evalType: 'ai', ...judged }, '/outputType', expect.any(String)],
  ])('like %j is refused at its place', async (body, path, message) => {
    const reply = await create(await newProject(), { name: 'm', ...body });
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues).toEqual([{ path, message }]);
  });

  test('with a template that does not parse is refused at creation and at change, with line and column', async () => {
    const projectId = await newProject();
    const promptTemplate = 'Question:\n  {% if inputs.question %}\n{{ inputs.question }}';
    const issue = { path: '/promptTemplate', line: 2, column: 3, message: 'has `{% if %}` without its `{% endif %}`' };
    const refused = await create(projectId, { name: 'm', evalType: 'ai', outputType: 'int', promptTemplate });
    expect([refused.status, refused.body.details.issues]).toEqual([400, [issue]]);
    const metric = await newMetric(projectId, { evalType: 'ai', ...judged });
    const changed = await change(metric, { promptTemplate });
    expect([changed.status, changed.body.details.issues]).toEqual([400, [issue]]);
    expect((await world.request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
  });

  test('that is boolean ignores a threshold, even one that none could have', async () => {
    const metric = await newMetric(await newProject(), { passingThreshold: 99 });
    expect(metric).not.toHaveProperty('passingThreshold');
    expect((await change(metric, { passingThreshold: 'x' })).body).toEqual(metric);
  });

  test('cannot change its types, and says what they are', async () => {
    const metric = await newMetric(await newProject());
    const reply = await world.request('PATCH', `/metrics/${metric.id}`, { evalType: 'ai', outputType: 'int', promptTemplate: '{{' });
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues).toEqual([
      { path: '/evalType', message: "must be the metric's own, human" },
      { path: '/outputType', message: "must be the metric's own, boolean" },
    ]);
    const one = await world.request('PATCH', `/metrics/${metric.id}`, { evalType: 'human', outputType: 'float' });
    expect(one.body.details.issues.map(({ path }: { path: string }) => path)).toEqual(['/outputType']);
    for (const [body, path] of [
      [{ name: 'x', outputType: 'boolean' }, '/evalType'],
      [{ name: 'x', evalType: 'human' }, '/outputType'],
    ] as const) {
      const lacking = await world.request('PATCH', `/metrics/${metric.id}`, body);
      expect([lacking.status, lacking.body.details.issues[0].path]).toEqual([400, path]);
    }
  });

  test('keeps the options of its evaluator as they were sent, whatever their names', async () => {
    const projectId = await newProject();
    const schema =
      '{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"__proto__":{"type":"string"},"a.$b":{},"toString":{}}}';
    const raw = `{"name":"m","evalType":"heuristic","outputType":"boolean","builtin":{"name":"json_schema","options":{"schema":${schema}}}}`;
    const created = await world.request('POST', `/projects/${projectId}/metrics`, undefined, { raw });
    expect(created.status).toBe(201);
    expect(created.text).toContain(`"options":{"schema":${schema}}`);
    expect((await world.request('GET', `/metrics/${created.body.id}`)).text).toBe(created.text);
    const { builtin } = await currentVersion(projectId, created.body.id);
    expect(JSON.stringify(builtin!.options)).toBe(`{"schema":${schema}}`);
  });

  test('is listed newest first, page by page', async () => {
    const projectId = await newProject();
    const made = [];
    for (const name of ['c', 'a', 'b']) made.unshift(await newMetric(projectId, { name }));
    const page = (await world.request('GET', `/projects/${projectId}/metrics?limit=2`)).body;
    expect(page.hasMore).toBe(true);
    const rest = (await world.request('GET', `/projects/${projectId}/metrics?limit=2&cursor=${page.nextCursor}`)).body;
    expect([...page.data, ...rest.data]).toEqual(made);
    expect(rest.nextCursor).toBe(null);
  });

  test('may have the name of another, and the configured model judges where none is named', async () => {
    await using other = await startWorld({
      services: { catalog: startCatalog, metrics: start },
      config: { DEFAULT_JUDGE_MODEL: 'small-1' },
    });
    const projectId = (await other.request('POST', '/projects', { name: 'p', description: '' })).body.id;
    const body = { name: 'm', evalType: 'ai', outputType: 'boolean', promptTemplate: 'x' };
    for (const _ of [1, 2]) {
      const reply = await other.request('POST', `/projects/${projectId}/metrics`, body);
      expect([reply.status, reply.body.evalModelName]).toEqual([201, 'small-1']);
    }
  });
});

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
    const { versions } = await ask().versions(world.identity, { metricVersionIds: [before.metricVersionId, after.metricVersionId] });
    expect(versions).toEqual([before, after]);
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
      projectId,
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
    await world.request('DELETE', `/metrics/${deleted.id}`);
    const metricIds = [second.id, 'x', first.id, foreign.id, deleted.id];
    const { versions, missing } = await ask().currentVersions(world.identity, { projectId, metricIds });
    expect(versions.map(({ metricId }) => metricId)).toEqual([second.id, first.id]);
    expect(missing).toEqual(['x', foreign.id, deleted.id]);
  });

  test('of a deleted metric can still be read, those of another organization cannot', async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId);
    const version = await currentVersion(projectId, metric.id);
    expect((await world.request('DELETE', `/metrics/${metric.id}`)).body).toEqual({ success: true });
    for (const method of ['GET', 'DELETE']) expect((await world.request(method, `/metrics/${metric.id}`)).status).toBe(404);
    expect((await change(metric, { name: 'x' })).status).toBe(404);
    const question = { metricVersionIds: [absent, version.metricVersionId, 'x'] };
    expect(await ask().versions(world.identity, question)).toEqual({ versions: [version] });
    expect(await ask().versions({ ...world.identity, organizationId: absent }, question)).toEqual({ versions: [] });
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
    expect((await world.request('GET', `/metrics/${metric.id}`)).body).toEqual(Object.assign({}, metric, ...changes));
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

describe('a metric group', () => {
  const newGroup = (projectId: string, body: object) =>
    world.request('POST', `/projects/${projectId}/metric-groups`, { name: 'Release', ...body });

  test('is created, read, listed newest first, changed and deleted', async () => {
    const projectId = await newProject();
    const [first, second] = [await newMetric(projectId), await newMetric(projectId)];
    const created = await newGroup(projectId, { metricIds: [second.id, first.id] });
    expect(created.status).toBe(201);
    const { createdAt, updatedAt } = created.body;
    expect(new Date(createdAt).toISOString()).toBe(createdAt);
    expect(updatedAt).toBe(createdAt);
    const metricIds = [second.id, first.id];
    expect(created.body).toEqual({ id: expect.any(String), projectId, name: 'Release', description: '', metricIds, createdAt, updatedAt });
    const path = `/metric-groups/${created.body.id}`;
    expect((await world.request('GET', path)).text).toBe(created.text);
    const newer = (await newGroup(projectId, { metricIds: [], description: 'none' })).body;
    expect((await world.request('GET', `/projects/${projectId}/metric-groups`)).body.data).toEqual([newer, created.body]);
    const changed = (await world.request('PATCH', path, { name: 'Nightly', metricIds: [first.id] })).body;
    expect(changed).toEqual({ ...created.body, name: 'Nightly', metricIds: [first.id], updatedAt: expect.any(String) });
    expect(changed.updatedAt >= updatedAt).toBe(true);
    expect((await world.request('DELETE', path)).body).toEqual({ success: true });
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const gone = await world.request(method, path, method === 'PATCH' ? {} : undefined);
      expect([gone.status, gone.body.details.resource]).toEqual([404, 'metric group']);
    }
    expect((await world.request('GET', `/metrics/${first.id}`)).status).toBe(200);
  });

  test('takes metrics of its project alone, and tells the place of each other; one sent twice is in it once', async () => {
    const projectId = await newProject();
    const own = await newMetric(projectId);
    const foreign = await newMetric(await newProject());
    const metricIds = [own.id, foreign.id, own.id, 'x'];
    const issues = [1, 3].map((index) => ({ path: `/metricIds/${index}`, message: 'must be a metric of the project' }));
    const refused = await newGroup(projectId, { metricIds });
    expect([refused.status, refused.body.details.issues]).toEqual([400, issues]);
    const group = (await newGroup(projectId, { metricIds: [own.id, own.id] })).body;
    expect(group.metricIds).toEqual([own.id]);
    const change = await world.request('PATCH', `/metric-groups/${group.id}`, { metricIds, name: 'never' });
    expect([change.status, change.body.details.issues]).toEqual([400, issues]);
    expect((await world.request('GET', `/metric-groups/${group.id}`)).body).toEqual(group);
  });

  test('is left by a metric that is deleted, even when it is created at that moment', async () => {
    const projectId = await newProject();
    const stays = await newMetric(projectId);
    for (let round = 0; round < 5; round++) {
      const goes = await newMetric(projectId);
      const before = (await newGroup(projectId, { metricIds: [goes.id, stays.id] })).body;
      const [created, deleted] = await Promise.all([
        newGroup(projectId, { metricIds: [stays.id, goes.id] }),
        world.request('DELETE', `/metrics/${goes.id}`),
      ]);
      expect(deleted.status).toBe(200);
      expect([201, 400]).toContain(created.status);
      const ids = created.status === 201 ? [before.id, created.body.id] : [before.id];
      for (const id of ids) expect((await world.request('GET', `/metric-groups/${id}`)).body.metricIds).toEqual([stays.id]);
    }
  });
});

describe('belonging', () => {
  test("another organization's metrics and groups answer exactly as what does not exist", async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId);
    const group = (await world.request('POST', `/projects/${projectId}/metric-groups`, { name: 'g', metricIds: [metric.id] })).body;
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
      ['POST', (id: string) => `/projects/${id}/metric-groups`, projectId, { name: 'x', metricIds: [] }],
    ] as const;
    for (const [method, path, id, body] of calls) {
      const foreign = await world.request(method, path(id), body, { identity: { organizationId: absent } });
      const missing = await world.request(method, path(absent), body);
      expect(foreign.status).toBe(404);
      expect(foreign.text).toBe(missing.text.replace(absent, id));
    }
    expect((await world.request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
    expect((await world.request('GET', `/metric-groups/${group.id}`)).body).toEqual(group);
  });

  test('a deleted project takes its metrics, versions and groups along at once', async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId);
    const { metricVersionId } = await currentVersion(projectId, metric.id);
    const group = (await world.request('POST', `/projects/${projectId}/metric-groups`, { name: 'g', metricIds: [metric.id] })).body;
    await world.request('DELETE', `/projects/${projectId}`);
    for (const path of [
      `/metrics/${metric.id}`,
      `/metric-groups/${group.id}`,
      `/projects/${projectId}/metrics`,
      `/projects/${projectId}/metric-groups`,
    ])
      expect((await world.request('GET', path)).status).toBe(404);
    expect(await ask().versions(world.identity, { metricVersionIds: [metricVersionId] })).toEqual({ versions: [] });
  });

  test('what is made while its project is forgotten is gone afterwards, and nothing can be made', async () => {
    const projectId = await newProject();
    const creations = times(4, (index) => create(projectId, { name: `m${index}`, evalType: 'human', outputType: 'int' }));
    const groups = times(4, () => world.request('POST', `/projects/${projectId}/metric-groups`, { name: 'g', metricIds: [] }));
    await Promise.all([creations, groups, ask().forgetProject(world.identity, { projectId })]);
    for (const { status } of [...(await creations), ...(await groups)]) expect([201, 404]).toContain(status);
    for (const list of ['metrics', 'metric-groups']) {
      expect((await world.request('GET', `/projects/${projectId}/${list}`)).body.data).toEqual([]);
      const late = { name: 'late', evalType: 'human', outputType: 'int', metricIds: [] };
      expect((await world.request('POST', `/projects/${projectId}/${list}`, late)).status).toBe(404);
    }
  });

  test('a project that was deleted while the service was down is forgotten when it is up again', async () => {
    await using parts = await startWorld({ services: { catalog: startCatalog } });
    const before = await start(parts.config);
    parts.urls.metrics = before.url;
    const projectId = (await parts.request('POST', '/projects', { name: 'p', description: '' })).body.id;
    const body = { name: 'm', evalType: 'human', outputType: 'int' };
    const metric = (await parts.request('POST', `/projects/${projectId}/metrics`, body)).body;
    await before.stop();
    expect((await parts.request('DELETE', `/projects/${projectId}`)).status).toBe(200);
    const after = await start(parts.config);
    parts.urls.metrics = after.url;
    await poll('the metric is gone', async () => (await parts.request('GET', `/metrics/${metric.id}`)).status === 404);
    await after.stop();
  });
});

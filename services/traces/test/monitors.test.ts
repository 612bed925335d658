import { activeMonitorsMax, traces } from '@assay/contracts/traces';
import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo/database';
import { poll } from '@assay/testing/poll';
import { missingId } from '@assay/testing/run-records';
import { beforeAll, describe, expect, test } from 'vitest';
import { createMonitorPartStore } from '../src/store/monitor-part.ts';
import { createMonitorStore } from '../src/store/monitors.ts';
import { exportOf, newTraceId, useTraces } from './setting.ts';

const setting = useTraces();
const { request, send, get, settled, goOn } = setting;

let projectId: string;
let metricId: string;
const path = () => `/projects/${projectId}/monitors`;
const save = (body: object) => request('PUT', path(), { metrics: [metricId], ...body });

const metric = {
  name: 'Says thanks',
  evalType: 'heuristic',
  outputType: 'boolean',
  builtin: { name: 'exact_match', options: {} },
};
beforeAll(async () => {
  const { world } = setting;
  projectId = (await world().create('/projects', { name: 'watched', description: '' })).id;
  metricId = (await world().create(`/projects/${projectId}/metrics`, metric)).id;
});

/** Sends traces of one root with an input, all at once. */
async function sendTraces(
  count: number,
  { attributes = {}, resource = {} }: Record<string, object> = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, newTraceId);
  const spans = ids.map((traceId) => ({
    traceId,
    name: 'answer',
    attributes: { 'input.value': 'Where?', 'output.value': 'There.', ...attributes },
  }));
  const reply = await send(exportOf(spans, { 'assay.project_id': projectId, ...resource }));
  expect(reply.status).toBe(200);
  goOn();
  return ids;
}

/** The counts of a monitor's only day, once it has seen so many traces. */
const seen = (monitorId: string, count: number) =>
  poll(`the monitor has seen ${count}`, async () => {
    const monitor = await get(`/monitors/${monitorId}`);
    return monitor.days[0]?.counts.seen >= count && monitor.days[0];
  });

const counts = (given: object) => ({
  seen: 0,
  matched: 0,
  sampled: 0,
  recorded: 0,
  repeated: 0,
  overLimit: 0,
  empty: 0,
  refused: 0,
  ...given,
});

describe('a monitor', () => {
  test('makes a record of each settled trace that matches, in one run of the day, once whatever comes again', async () => {
    const filter = {
      serviceName: 'bot',
      spanName: 'answer',
      attributes: { 'input.value': 'Where?', retries: '2', cached: 'true' },
    };
    const { body: monitor } = await save({
      description: 'Bot',
      filter,
      budgetUsdPerDay: 2,
    });
    const resource = { 'service.name': 'bot', 'assay.tags': 'live' };
    const ids = await sendTraces(3, { resource, attributes: { retries: 2, cached: true } });
    await sendTraces(1, { resource, attributes: { retries: 3, cached: true } });
    await sendTraces(2, { resource: { 'service.name': 'other' } });
    const { runId, counts: first } = await seen(monitor.id, 6);
    expect(first).toEqual(counts({ seen: 6, matched: 3, sampled: 3, recorded: 3 }));
    const preview = (body: object) => request('POST', `${path()}/preview`, body);
    const { examples, ...found } = (await preview({ monitorId: monitor.id, filter })).body;
    expect(found).toEqual({ seen: 6, matched: 3, sampled: 3 });
    const example = { name: 'answer', startedAt: expect.any(String), inputPreview: 'Where?' };
    expect(examples).toHaveLength(3);
    expect(examples).toEqual(
      expect.arrayContaining(ids.map((traceId) => ({ traceId, ...example }))),
    );
    const none = await preview({ filter: { attributes: { retries: '2', cached: 'false' } } });
    expect(none.body).toEqual({ seen: 6, matched: 0, sampled: 0, examples: [] });
    expect((await preview({ sampleRate: 0 })).body).toMatchObject({ matched: 6, sampled: 0 });
    const run = await get(`/runs/${runId}`);
    expect(run).toMatchObject({
      source: 'Monitor',
      numRecords: 3,
      metricIds: [metricId],
      budgetUsd: 2,
      createdByUserId: setting.world().identity.userId,
    });
    expect(run.name).toMatch(/^Bot \d{4}-\d{2}-\d{2}$/);
    const { data } = await get(`/runs/${runId}/records`);
    expect(data.map(({ otelLinkId }: { otelLinkId: string }) => otelLinkId).sort()).toEqual(
      [...ids].sort(),
    );
    expect(data[0]).toMatchObject({ inputs: { input: 'Where?' }, outputs: { output: 'There.' } });
    expect((await get(`/traces/${ids[0]}`)).expiresAt).toBeNull();

    // A later span opens the trace again.
    const late = { traceId: ids[0]!, name: 'late', parentSpanId: '00f067aa0ba902b7' };
    await send(exportOf([late], { 'assay.project_id': projectId, ...resource }));
    goOn();
    const again = await seen(monitor.id, 7);
    expect(again).toEqual({
      day: expect.any(String),
      runId,
      counts: counts({ seen: 7, matched: 4, sampled: 4, recorded: 3, repeated: 1 }),
    });
    expect((await get(`/runs/${runId}`)).numRecords).toBe(3);
    await request('DELETE', `/monitors/${monitor.id}`);
    expect((await request('GET', `/runs/${runId}`)).status).toBe(200);
  });

  test('whose run of the day somebody deletes has another one', async () => {
    const { body: monitor } = await save({
      description: 'Deleted',
      filter: { serviceName: 'deleted' },
    });
    const resource = { 'service.name': 'deleted' };
    await sendTraces(1, { resource });
    const { runId } = await seen(monitor.id, 1);
    await request('DELETE', `/runs/${runId}`);
    await sendTraces(1, { resource });
    const day = await seen(monitor.id, 2);
    expect(day.counts).toMatchObject({ recorded: 2, refused: 0 });
    expect(day.runId).not.toBe(runId);
    expect((await get(`/runs/${day.runId}`)).numRecords).toBe(1);
    await request('DELETE', `/monitors/${monitor.id}`);
  });

  test('that is asked about traces of before has those that it has not, within its limit of an hour', async () => {
    await sendTraces(4, { resource: { 'service.name': 'older' } }).then((ids) =>
      Promise.all(ids.map(settled)),
    );
    const { body: monitor } = await save({
      description: 'Older',
      filter: { serviceName: 'older' },
      maxPerHour: 3,
    });
    expect(monitor.days).toEqual([]);
    const today = { from: '2026-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
    const backfill = (body: object) => request('POST', `/monitors/${monitor.id}/backfill`, body);
    const { status, body: counted } = await backfill({ ...today, dryRun: true });
    const { traces } = counted;
    expect([status, counted]).toEqual([202, { traces, records: 4, estimatedUsd: 0 }]);
    expect((await get(`/monitors/${monitor.id}`)).days).toEqual([]);
    expect((await backfill(today)).body).toEqual(counted);
    expect((await seen(monitor.id, traces)).counts).toEqual(
      counts({ seen: traces, matched: 4, sampled: 4, recorded: 3, overLimit: 1 }),
    );
    // What is recorded takes no place of another.
    await request('PATCH', `/monitors/${monitor.id}`, { maxPerHour: 4 });
    expect((await backfill(today)).body).toMatchObject({ traces, records: 1 });
    const { counts: after } = await seen(monitor.id, 2 * traces);
    expect(after).toMatchObject({ recorded: 4, repeated: 3, overLimit: 1 });
    const nothing = { from: '2001-01-01T00:00:00.000Z', to: '2001-01-02T00:00:00.000Z' };
    expect((await backfill(nothing)).body).toEqual({ traces: 0, records: 0, estimatedUsd: 0 });
    await request('DELETE', `/monitors/${monitor.id}`);
  });

  test('makes records of traces that ended with an error, though they have no contents', async () => {
    const { body: monitor } = await save({
      description: 'Failing',
      filter: { serviceName: 'failing' },
    });
    const span = { name: 'answer', status: { code: 2, message: 'model down' } };
    const resource = { 'assay.project_id': projectId, 'service.name': 'failing' };
    await send(exportOf([span, { name: 'answer' }], resource));
    goOn();
    const { runId, counts: counted } = await seen(monitor.id, 2);
    expect(counted).toEqual(counts({ seen: 2, matched: 2, sampled: 2, recorded: 1, empty: 1 }));
    const { data } = await get(`/runs/${runId}/records?hasError=true`);
    expect(data).toMatchObject([{ outputs: {}, error: { message: 'model down' } }]);
    const { errors } = await get(`/runs/${runId}/summary`);
    expect(errors).toMatchObject({ mean: 1 });
    await request('DELETE', `/monitors/${monitor.id}`);
  });

  test('that is paused is asked when it goes on, and counts what has nothing of what it selects', async () => {
    const { body: monitor } = await save({
      description: 'Calls',
      filter: { serviceName: 'calls' },
      select: 'last-llm',
    });
    await sendTraces(2, { resource: { 'service.name': 'calls' } });
    expect((await seen(monitor.id, 2)).counts).toEqual(
      counts({ seen: 2, matched: 2, sampled: 2, empty: 2 }),
    );
    const changes = { isPaused: true, select: 'trace' };
    const paused = await request('PATCH', `/monitors/${monitor.id}`, changes);
    expect(paused.body).toMatchObject({ ...changes, filter: { serviceName: 'calls' } });
    const day = { from: '2026-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
    await request('POST', `/monitors/${monitor.id}/backfill`, day);
    expect((await get(`/monitors/${monitor.id}`)).days[0].counts.seen).toBe(2);
    await request('PATCH', `/monitors/${monitor.id}`, { isPaused: false });
    await poll('the traces became records', async () => {
      const [{ counts }] = (await get(`/monitors/${monitor.id}`)).days;
      return counts.recorded === 2;
    });
    await request('DELETE', `/monitors/${monitor.id}`);
  });

  test('whose metric is gone counts what is refused, and says why', async () => {
    const own = (await setting.world().create(`/projects/${projectId}/metrics`, metric)).id;
    const { body: monitor } = await save({
      description: 'Gone',
      metrics: [own],
      filter: { serviceName: 'gone' },
    });
    await request('DELETE', `/metrics/${own}`);
    await sendTraces(1, { resource: { 'service.name': 'gone' } });
    expect((await seen(monitor.id, 1)).counts).toEqual(
      counts({ seen: 1, matched: 1, sampled: 1, refused: 1 }),
    );
    expect((await get(`/monitors/${monitor.id}`)).problem).toMatch(/metricIds/);
    await request('DELETE', `/monitors/${monitor.id}`);
  });

  test('says that the budget of its last day is spent, until the run gets a higher one', async () => {
    const filter = { serviceName: 'poor' };
    const { body: monitor } = await save({ description: 'Poor', filter, budgetUsdPerDay: 0 });
    expect(monitor.isBudgetSpent).toBe(false);
    await sendTraces(1, { resource: { 'service.name': 'poor' } });
    const { runId } = await seen(monitor.id, 1);
    const isSpent = async () => {
      const { data } = await get(path());
      const listed = data.find(({ id }: { id: string }) => id === monitor.id).isBudgetSpent;
      expect((await get(`/monitors/${monitor.id}`)).isBudgetSpent).toBe(listed);
      return listed;
    };
    expect(await isSpent()).toBe(true);
    await request('PATCH', `/runs/${runId}`, { budgetUsd: 1 });
    expect(await isSpent()).toBe(false);
    await request('DELETE', `/monitors/${monitor.id}`);
  });
});

describe('monitors', () => {
  test('are one of each description, whose texts become metrics of a judge once', async () => {
    const text = 'The answer is polite. It never blames the customer.';
    const [first, second] = [
      await save({ description: 'Polite', metrics: [text], sampleRate: 0 }),
      await save({ description: 'Polite', metrics: [metricId, text], filter: { model: 'm' } }),
    ];
    expect([first.status, second.status, second.body.id]).toEqual([200, 200, first.body.id]);
    expect(second.body).toMatchObject({
      metricIds: [metricId, first.body.metricIds[0]],
      sampleRate: 0,
      filter: { model: 'm' },
    });
    expect(await get(`/metrics/${first.body.metricIds[0]}`)).toMatchObject({
      name: text,
      evalType: 'ai',
      outputType: 'boolean',
      guidelines: text,
    });
    const { data } = await get(path());
    expect(data.map(({ description }: { description: string }) => description)).toEqual(['Polite']);
    await request('DELETE', `/monitors/${first.body.id}`);
    expect((await request('GET', `/monitors/${first.body.id}`)).status).toBe(404);
  });

  test('are found by the words of their descriptions, beside what else the project has', async () => {
    const polite = await save({ description: 'Polite to customers', metrics: [metricId] });
    const other = await save({ description: 'Terse', metrics: [metricId], isPaused: true });
    const names = `${path().replace(/monitors$/, 'names')}?text=CUSTOMERS%20polite`;
    expect(await get(names)).toMatchObject({
      names: [{ kind: 'monitor', id: polite.body.id, name: 'Polite to customers' }],
      missing: ['system', 'systemVersion'],
    });
    for (const { body } of [polite, other]) await request('DELETE', `/monitors/${body.id}`);
  });

  test('of a project that is imported are not there until they are shown, and never after its deletion', async () => {
    const as = { identity: { role: 'service' as const } };
    const imported = newId();
    const line = {
      ...{ kind: 'monitor', id: newId(), description: 'Carried', filter: { model: 'm' } },
      ...{ metricIds: [newId()], sampleRate: 1, sampleBy: 'trace', select: 'trace' },
      ...{ maxPerHour: null, budgetUsdPerDay: null, isPaused: false },
      ...{ createdAt: '2026-01-31T12:00:00.000Z', createdByUserId: newId() },
    };
    const ofPart = `/internal/traces/part`;
    const restore = (change: object = {}) =>
      request('POST', `${ofPart}/restore?projectId=${imported}`, undefined, {
        ...as,
        raw: `${JSON.stringify({ ...line, ...change })}\n`,
        headers: { 'content-type': 'application/x-ndjson' },
      });
    const exported = async () =>
      (await request('POST', `${ofPart}/export`, { kind: 'monitor', of: imported }, as)).text;
    // A batch may come twice.
    for (let times = 0; times < 2; times += 1) expect((await restore()).body).toEqual({ lines: 1 });
    for (const [method, body] of [['GET'], ['PATCH', { isPaused: false }], ['DELETE']] as const)
      expect((await request(method, `/monitors/${line.id}`, body)).status).toBe(404);
    expect(await exported()).toBe('');

    await request('POST', `${ofPart}/reveal`, { projectId: imported }, as);
    expect(await get(`/monitors/${line.id}`)).toMatchObject({
      filter: line.filter,
      isPaused: true,
    });
    expect(JSON.parse(await exported())).toEqual({ ...line, isPaused: true });

    const { bus, identity } = setting.world();
    await bus.asks(traces).traces.forgetProject(identity, { projectId: imported });
    expect((await request('GET', `/monitors/${line.id}`)).status).toBe(404);
    const late = await restore({ id: newId() });
    expect([late.status, late.body.message]).toEqual([409, expect.stringContaining('swept away')]);
  });

  test('that are not paused are a hundred in a project: one more is refused, and none that is paused', async () => {
    const { id: crowded } = await setting
      .world()
      .create('/projects', { name: 'c', description: '' });
    const { id: itsMetric } = await setting.world().create(`/projects/${crowded}/metrics`, metric);
    const put = (description: string, settings: object = {}) =>
      request('PUT', `/projects/${crowded}/monitors`, {
        description,
        metrics: [itsMetric],
        ...settings,
      });
    const made: { id: string }[] = [];
    for (let number = 0; number < activeMonitorsMax; number += 1)
      made.push((await put(`${number}`)).body);
    const refused = await put('one more');
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'A project has at most 100 monitors that are not paused: pause or delete another first.',
    ]);
    const paused = await put('one more', { isPaused: true });
    expect(paused.status).toBe(200);
    const resume = () => request('PATCH', `/monitors/${paused.body.id}`, { isPaused: false });
    expect((await resume()).status).toBe(409);
    expect((await put('0', { sampleRate: 0.5 })).status).toBe(200);
    await request('PATCH', `/monitors/${made[1]!.id}`, { isPaused: true });
    expect((await resume()).status).toBe(200);
  });

  test('of what is not there, and of another organization, are refused with the place', async () => {
    const { body: monitor } = await save({ description: 'Mine', sampleRate: 0 });
    await save({ description: 'Other', sampleRate: 0 });
    const wrong = await save({ description: 'x', metrics: [metricId, missingId] });
    expect([wrong.status, wrong.body.details.issues[0]]).toEqual([
      400,
      { path: '/metrics/1', message: 'does not belong to this project' },
    ]);
    for (const member of ['attributes', 'metadata']) {
      const unnamed = await save({ description: 'x', filter: { [member]: { 'a\u0000': 'b' } } });
      expect([unnamed.status, unnamed.body.details.issues[0]]).toEqual([
        400,
        {
          path: `/filter/${member}/a\u0000`,
          message: 'its name must not have the character U+0000',
        },
      ]);
    }
    const dropped = { metadata: JSON.parse('{"__proto__":"a","region":"eu"}') };
    expect((await save({ description: 'x', filter: dropped })).body.details.issues).toEqual([
      { path: '/filter/metadata/__proto__', message: 'must not be called __proto__' },
    ]);
    const change = { metricIds: [missingId] };
    expect((await request('PATCH', `/monitors/${monitor.id}`, change)).body.details.issues).toEqual(
      [{ path: '/metricIds/0', message: 'does not belong to this project' }],
    );
    const taken = await request('PATCH', `/monitors/${monitor.id}`, { description: 'Other' });
    expect(taken.status).toBe(409);
    const foreign = { identity: { organizationId: 'another' } };
    for (const [method, body] of [['GET'], ['PATCH', { isPaused: true }], ['DELETE']] as const)
      expect((await request(method, `/monitors/${monitor.id}`, body, foreign)).status).toBe(404);
    const preview = await request('POST', `${path()}/preview`, { monitorId: missingId });
    expect(preview.body.details.issues).toEqual([
      { path: '/monitorId', message: 'does not belong to this project' },
    ]);
    const of = `/projects/${missingId}/monitors`;
    expect((await request('POST', `${of}/preview`, {})).status).toBe(404);
    expect((await request('PUT', of, { description: 'x', metrics: [metricId] })).status).toBe(404);
  });
});

test('a monitor whose maker was mapped to a member while it was being changed stays that member’s', async () => {
  const { world } = setting;
  const { organizationId, userId } = world().identity;
  const database = await openDatabase({
    uri: world().config.MONGODB_URI,
    name: `${world().config.DATABASE_PREFIX}_traces`,
  });
  const store = createMonitorStore(database);
  const { id } = (await save({ description: 'of an imported person' })).body;
  const read = (await store.find(organizationId, id))!;
  expect(read.createdByUserId).toBe(userId);
  const member = newId();
  await createMonitorPartStore(database).moveAuthor(organizationId, {
    projectId,
    from: userId,
    to: member,
  });
  await store.save(organizationId, { ...read, sampleRate: 0.5 });
  expect(await store.find(organizationId, id)).toMatchObject({
    sampleRate: 0.5,
    createdByUserId: member,
  });
  await database.close();
});

import { poll } from '@assay/testing/poll';
import { missingId } from '@assay/testing/run-records';
import { beforeAll, describe, expect, test } from 'vitest';
import { exportOf, newSpanId, newTraceId, type SentSpan, useTraces } from './setting.ts';

const setting = useTraces();
const { request, send, get, settled } = setting;

const messages = (role: string, content: string) => JSON.stringify([{ role, content }]);
const call = (question: string, answer: string) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.response.model': 'gpt-5-mini',
  'gen_ai.usage.input_tokens': 12,
  'gen_ai.usage.output_tokens': 7,
  'gen_ai.input.messages': messages('user', question),
  'gen_ai.output.messages': messages('assistant', answer),
});

/** A trace whose root says nothing, with two calls of a model and a retrieval. */
async function sendTrace(more: SentSpan[] = [], isAwaited = true): Promise<string> {
  const traceId = newTraceId();
  const rootId = newSpanId();
  const below = { traceId, parentSpanId: rootId };
  const spans = [
    { traceId, spanId: rootId, name: 'root', durationMs: 800 },
    { ...below, name: 'plan', start: 1, attributes: call('Where is my parcel?', 'Look it up.') },
    {
      ...below,
      name: 'GET /parcels',
      start: 2,
      attributes: { 'output.value': '{"parcels":[{"state":"late"}]}' },
    },
    { ...below, name: 'answer', start: 3, attributes: call('Say it kindly.', 'It is late.') },
    ...more.map((span) => ({ ...below, ...span })),
  ];
  const resource = {
    'assay.project_id': setting.projectId(),
    'assay.tags': 'production',
    'assay.region': 'eu',
    'assay.session_id': 'session-1',
  };
  expect((await send(exportOf(spans, resource))).status).toBe(200);
  if (isAwaited) await settled(traceId);
  return traceId;
}

let traceId: string;
/** Becomes a testcase, and gets a span more. */
let changed: string;
beforeAll(async () => {
  [traceId, changed] = await Promise.all([sendTrace(), sendTrace()]);
});

describe('testcases of traces', () => {
  let testsetId: string;
  const path = () => `/testsets/${testsetId}/testcases/from-traces`;
  beforeAll(async () => {
    const { body } = await request('POST', `/projects/${setting.projectId()}/testsets`, {
      name: 't',
      description: '',
      jsonSchema: {
        type: 'object',
        properties: { question: { type: 'string' }, state: { enum: ['late', 'lost'] } },
        required: ['question', 'state'],
      },
      fieldMapping: { inputs: ['question'], expected: ['state'], metadata: [] },
    });
    testsetId = body.id;
  });
  const mapping = {
    question: '/input',
    state: 'span:GET /parcels/output/parcels/0/state',
    region: '/metadata/region',
    nothing: '/output/nothing',
  };

  test('take fields from places of the trace and of its spans, and none where there is no such place', async () => {
    const dry = await request('POST', path(), { traceIds: [traceId], mapping, dryRun: true });
    const item = {
      traceId,
      created: false,
      id: null,
      jsonData: { question: 'Where is my parcel?', state: 'late', region: 'eu' },
    };
    expect([dry.status, dry.body]).toEqual([200, { items: [item] }]);
    expect((await get(`/testsets/${testsetId}/testcases`)).data).toEqual([]);
    expect((await get(`/traces/${traceId}`)).expiresAt).not.toBeNull();
  });

  test('have the labels of a trace for which more spans may come', async () => {
    const open = await sendTrace([], false);
    const whole = { region: '/metadata/region', tags: '/tags', session: '/sessionId' };
    const dry = await request('POST', path(), { traceIds: [open], mapping: whole, dryRun: true });
    expect(dry.body.items[0].jsonData).toEqual({
      region: 'eu',
      tags: ['production'],
      session: 'session-1',
    });
  });

  test('keep every digit of a long number, as the span shows them', async () => {
    const id = newTraceId();
    const spanId = newSpanId();
    const attributes = {
      'input.value': '{"id":12345678901234567890}',
      'input.mime_type': 'application/json',
    };
    const resource = { 'assay.project_id': setting.projectId() };
    expect((await send(exportOf([{ traceId: id, spanId, attributes }], resource))).status).toBe(
      200,
    );
    await settled(id);
    const shown = await request('GET', `/traces/${id}/spans/${spanId}`);
    expect(shown.text).toContain('"input":{"id":12345678901234567890}');
    expect((await get(`/traces/${id}`)).inputPreview).toBe('{"id":12345678901234567890}');
    const made = await request('POST', path(), {
      traceIds: [id],
      mapping: { question: '/input', state: '/input/id' },
    });
    expect(made.text).toContain(
      '"jsonData":{"question":{"id":12345678901234567890},"state":12345678901234567890}',
    );
  });

  test('are made once for each trace, which is kept from then on, whatever else comes of it', async () => {
    const body = { traceIds: [changed], mapping };
    const [first, second] = [
      await request('POST', path(), body),
      await request('POST', path(), { ...body, mapping: { question: '/output' } }),
    ];
    const { id } = first.body.items[0];
    expect(first.body.items[0]).toMatchObject({ created: true });
    // It is told as it is kept, and not as the other mapping would have made it.
    expect(second.body.items[0]).toEqual({ ...first.body.items[0], id, created: false });
    expect(await get(`/testcases/${id}`)).toMatchObject({
      key: changed,
      inputs: { question: 'Where is my parcel?' },
      expected: { state: 'late' },
    });
    const late = { traceId: changed, name: 'late', parentSpanId: newSpanId() };
    await send(exportOf([late], { 'assay.project_id': setting.projectId() }));
    expect((await settled(changed)).expiresAt).toBeNull();
  });

  test('of traces that are not the organization’s, or come twice, are none, with the place of each', async () => {
    const before = (await get(`/testsets/${testsetId}/testcases`)).data.length;
    const { status, body } = await request('POST', path(), {
      traceIds: [traceId, newTraceId(), traceId],
      mapping,
    });
    expect([status, body.details.issues]).toEqual([
      400,
      [
        { path: '/traceIds/1', message: 'does not belong to this organization' },
        { path: '/traceIds/2', message: 'is named twice' },
      ],
    ]);
    const foreign = { identity: { organizationId: 'another' } };
    const other = await request('POST', path(), { traceIds: [traceId], mapping }, foreign);
    expect(other.status).toBe(404);
    expect((await get(`/testsets/${testsetId}/testcases`)).data.length).toBe(before);
  });

  test('of a mapping that names no place are refused with the field', async () => {
    for (const place of ['input', '/inputs', 'span:/output', '/output/~2']) {
      const sent = { traceIds: [traceId], mapping: { question: place } };
      const { status, body } = await request('POST', path(), sent);
      expect([place, status, body.details.issues[0].path]).toEqual([
        place,
        400,
        '/mapping/question',
      ]);
    }
    const missing = await request('POST', `/testsets/${missingId}/testcases/from-traces`, {
      traceIds: [traceId],
      mapping,
    });
    expect(missing.status).toBe(404);
  });
});

describe('records of traces', () => {
  let runId: string;
  const path = () => `/runs/${runId}/records/from-traces`;
  beforeAll(async () => {
    const { body } = await request('POST', `/projects/${setting.projectId()}/runs`, {
      metricIds: [],
    });
    runId = body.id;
  });

  test('have the question and the answer of the whole, what it took, its session, tags and metadata, and tell their trace', async () => {
    const sent = { traceIds: [traceId] };
    const [first, second] = [
      await request('POST', path(), sent),
      await request('POST', path(), sent),
    ];
    const { recordId } = first.body.items[0];
    expect([first.body.items, second.body.items]).toEqual([
      [{ traceId, recordId, created: true }],
      [{ traceId, recordId, created: false }],
    ]);
    const record = await get(`/records/${recordId}`);
    expect(record).toMatchObject({
      otelLinkId: traceId,
      traceIds: [traceId],
      sessionId: 'session-1',
      inputs: { input: 'Where is my parcel?', messages: [{ role: 'user' }] },
      expected: {},
      outputs: { output: 'It is late.', messages: [{ role: 'assistant' }] },
      metrics: { inputTokens: 24, outputTokens: 14, latencyMs: 800 },
      metadata: { region: 'eu' },
    });
    expect((await get(`/records/${recordId}/tags`)).data).toMatchObject([{ text: 'production' }]);
  });

  test('have what a trace took, its session and its tags before it has settled', async () => {
    const open = await sendTrace([], false);
    const made = await request('POST', path(), { traceIds: [open] });
    const { recordId } = made.body.items[0];
    expect(await get(`/records/${recordId}`)).toMatchObject({
      sessionId: 'session-1',
      metrics: { inputTokens: 24, outputTokens: 14, latencyMs: 800 },
      metadata: { region: 'eu' },
    });
    expect((await get(`/records/${recordId}/tags`)).data).toMatchObject([{ text: 'production' }]);
  });

  test('of a trace that ended with an error and has no output have that error, and no score is asked for', async () => {
    const { world, projectId } = setting;
    const { id: metricId } = await world().create(`/projects/${projectId()}/metrics`, {
      name: 'Right',
      evalType: 'heuristic',
      outputType: 'boolean',
    });
    const run = await world().create(`/projects/${projectId()}/runs`, { metricIds: [metricId] });
    const failed = newTraceId();
    const attributes = {
      'exception.type': 'ConnectionError',
      'exception.message': 'x'.repeat(20_000),
    };
    const root = {
      traceId: failed,
      attributes: { 'input.value': 'Where?' },
      status: { code: 2 },
      events: [{ name: 'exception', attributes }],
    };
    await send(exportOf([root], { 'assay.project_id': projectId() }));
    const made = await request('POST', `/runs/${run.id}/records/from-traces`, {
      traceIds: [failed],
      select: 'trace',
    });
    const { inputs, outputs, error } = await get(`/records/${made.body.items[0].recordId}`);
    expect([inputs, outputs, error.name]).toEqual([{ input: 'Where?' }, {}, 'ConnectionError']);
    expect(error.message).toMatch(/^x{16000,}…$/);
    expect((await get(`/runs/${run.id}`)).scoring).toMatchObject({ expected: 1, errored: 1 });
  });

  test('are made of the last call of a model, or of a span by its name', async () => {
    const inputOf = async (select: string) => {
      const { body } = await request('POST', `/projects/${setting.projectId()}/runs`, {
        metricIds: [],
      });
      const made = await request('POST', `/runs/${body.id}/records/from-traces`, {
        traceIds: [traceId],
        select,
      });
      const { inputs, outputs } = await get(`/records/${made.body.items[0].recordId}`);
      return [inputs.input, outputs];
    };
    expect(await inputOf('last-llm')).toMatchObject(['Say it kindly.', { output: 'It is late.' }]);
    expect(await inputOf('span:plan')).toMatchObject([
      'Where is my parcel?',
      { output: 'Look it up.' },
    ]);
    expect(await inputOf('span:GET /parcels')).toEqual([null, { parcels: [{ state: 'late' }] }]);
  });

  test('of a span that a trace does not have are none of all, with the place of the trace', async () => {
    const other = await sendTrace([{ name: 'extra', start: 4 }]);
    const { status, body } = await request('POST', path(), {
      traceIds: [other, traceId],
      select: 'span:extra',
    });
    expect([status, body.details.issues]).toEqual([
      400,
      [{ path: '/traceIds/1', message: 'has no span named extra' }],
    ]);
    const { data } = await get(`/runs/${runId}/records`);
    expect(data.map(({ otelLinkId }: { otelLinkId: string }) => otelLinkId)).not.toContain(other);
    const missing = await request('POST', `/runs/${missingId}/records/from-traces`, {
      traceIds: [other],
    });
    expect(missing.status).toBe(404);
  });

  test('that carry a link id tell the traces that carry it, the newest first', async () => {
    const linkId = `parcel-${newTraceId()}`;
    const ids: string[] = [];
    for (const start of [-5000, 0]) {
      const id = newTraceId();
      const attributes = { 'scorecard.otel_link_id': linkId };
      await send(
        exportOf([{ traceId: id, start, attributes }], { 'assay.project_id': setting.projectId() }),
      );
      await settled(id);
      ids.unshift(id);
    }
    const record = await request('POST', `/runs/${runId}/records`, {
      inputs: {},
      expected: {},
      outputs: {},
      otelLinkId: linkId,
    });
    expect((await get(`/records/${record.body.id}`)).traceIds).toEqual(ids);
    expect(
      (await get(`/projects/${setting.projectId()}/traces?linkId=${linkId}`)).data,
    ).toHaveLength(2);
  });

  test('that name a trace by its id or its link ids stand beside it with their scores, the newest first', async () => {
    const { world, projectId } = setting;
    const { id: metricId } = await world().create(`/projects/${projectId()}/metrics`, {
      name: 'Kind',
      evalType: 'human',
      outputType: 'int',
      passingThreshold: 4,
    });
    const linkId = `parcel-${newTraceId()}`;
    const [named, other] = [newTraceId(), newTraceId()];
    const resource = { 'assay.project_id': projectId(), 'service.name': `linked ${linkId}` };
    const attributes = { 'assay.otel_link_id': linkId };
    await send(exportOf([{ traceId: named, attributes }, { traceId: other }], resource));
    const created: { id: string; runId: string }[] = [];
    for (const [name, otelLinkId] of [
      ['first', linkId],
      ['second', named],
    ]) {
      const run = await world().create(`/projects/${projectId()}/runs`, {
        metricIds: [metricId],
        name,
      });
      const body = { inputs: { q: 1 }, expected: {}, outputs: {}, otelLinkId };
      created.push(await world().create(`/runs/${run.id}/records`, body));
    }
    const [first, second] = [created[0]!, created[1]!];
    const metricConfigId = (await get(`/records/${first.id}`)).missingScores[0].metricConfigId;
    await request('PUT', `/records/${first.id}/scores/${metricConfigId}`, {
      score: { intScore: 3, reasoning: 'Brusque.' },
    });
    await Promise.all([settled(named), settled(other)]);

    const kind = { metricId, metricConfigId, name: 'Kind' };
    const outcomes = [
      [{ ...kind, outcome: 'awaited', value: null }],
      [{ ...kind, outcome: 'fail', value: 3 }],
    ];
    const { records } = await get(`/traces/${named}`);
    expect(records).toMatchObject([
      { id: second.id, runName: 'second', otelLinkId: named, outcomes: outcomes[0], scores: [] },
      { id: first.id, runName: 'first', otelLinkId: linkId, outcomes: outcomes[1] },
    ]);
    expect(records[1].scores).toEqual((await get(`/records/${first.id}`)).scores);
    expect(records[0].missingScores).toEqual([{ metricConfigId, state: 'awaited' }]);
    expect((await get(`/traces/${other}`)).records).toEqual([]);

    const path = `/projects/${projectId()}/traces?service=${encodeURIComponent(resource['service.name'])}`;
    const listed = new Map(
      (await get(`${path}&records=true`)).data.map(
        ({ traceId, records }: { traceId: string; records: object[] }) => [traceId, records],
      ),
    );
    expect(listed.get(named)).toEqual(
      records.map(({ scores, missingScores, ...record }: Record<string, unknown>) => record),
    );
    expect(listed.get(other)).toEqual([]);
    expect((await get(path)).data[0]).not.toHaveProperty('records');
  });

  test('keep the traces that they name, those that come before them and those that come after', async () => {
    const record = (otelLinkId: string) =>
      setting
        .world()
        .create(`/runs/${runId}/records`, { inputs: {}, expected: {}, outputs: {}, otelLinkId });
    const trace = (linkId?: string) => ({
      traceId: newTraceId(),
      ...(linkId ? { attributes: { 'assay.otel_link_id': linkId } } : {}),
    });
    const before = { byId: trace(), byLink: trace('came-first'), byNobody: trace() };
    const after = { byId: trace(), byLink: trace('came-later') };
    const resource = { 'assay.project_id': setting.projectId() };
    await send(exportOf(Object.values(before), resource));
    for (const { traceId } of Object.values(before)) await settled(traceId);

    for (const name of [after.byId.traceId, 'came-later', before.byId.traceId, 'came-first'])
      await record(name);
    await send(exportOf(Object.values(after), resource));
    for (const { traceId } of [before.byId, before.byLink, after.byId, after.byLink])
      await poll(`trace ${traceId} is kept`, async () => {
        const { isSettled, expiresAt } = await get(`/traces/${traceId}`);
        return isSettled && expiresAt === null;
      });
    expect((await get(`/traces/${before.byNobody.traceId}`)).expiresAt).not.toBeNull();
  });
});

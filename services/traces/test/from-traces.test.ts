import { traceAnnotationsMax } from '@assay/contracts/traces';
import { newId } from '@assay/runtime/ids';
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
async function sendTrace(more: SentSpan[] = []): Promise<string> {
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
  await settled(traceId);
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
    expect(second.body.items[0]).toMatchObject({
      id,
      created: false,
      validationErrors: [{ path: '/data', message: expect.stringContaining('state') }],
    });
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

describe('a trace', () => {
  test('that people annotate is kept, tells what they say, and takes it along when it goes', async () => {
    const inProject = { 'assay.project_id': setting.projectId() };
    const [traceId, spanId] = [newTraceId(), newSpanId()];
    await send(exportOf([{ traceId, spanId }], inProject));
    const path = `/traces/${traceId}/annotations`;
    const refused = async (body: object) => (await request('POST', path, body)).body.details.issues;
    expect(await refused({ spanId })).toEqual([
      { path: '', message: 'must have a rating or a comment' },
    ]);
    expect(await refused({ rating: true, spanId: newSpanId() })).toEqual([
      { path: '/spanId', message: 'does not belong to this trace' },
    ]);
    expect((await get(`/traces/${traceId}`)).expiresAt).not.toBeNull();

    const { status, body } = await request('POST', path, { spanId, comment: 'Too slow.' });
    const { body: good } = await request('POST', path, { rating: true });
    const { userId } = setting.world().identity;
    expect([status, body]).toMatchObject([201, { spanId, rating: null, userId }]);
    const trace = await get(`/traces/${traceId}`);
    expect([trace.expiresAt, trace.annotations]).toEqual([null, [body, good]]);
    const identity = { organizationId: missingId };
    for (const [method, to] of [
      ['POST', path],
      ['DELETE', `${path}/${good.id}`],
    ] as const)
      expect((await request(method, to, { rating: true }, { identity })).status).toBe(404);

    expect((await request('DELETE', `${path}/${good.id}`)).status).toBe(200);
    expect((await request('DELETE', `${path}/${good.id}`)).status).toBe(404);
    expect((await get(`/traces/${traceId}`)).annotations).toEqual([body]);
    await request('DELETE', `/traces/${traceId}`);
    expect((await request('POST', path, { rating: true })).status).toBe(404);
    await send(exportOf([{ traceId, spanId }], inProject));
    expect((await get(`/traces/${traceId}`)).annotations).toEqual([]);
  });

  test('of a project that keeps none is not kept, whatever is made of it', async () => {
    const project = { name: 'p', description: '', traceRetentionDays: 0 };
    const { id } = await setting.world().create('/projects', project);
    const traceId = newTraceId();
    await send(exportOf([{ traceId }], { 'assay.project_id': id }));
    const { body: testset } = await request('POST', `/projects/${id}/testsets`, {
      name: 't',
      description: '',
      jsonSchema: { type: 'object' },
      fieldMapping: { inputs: [], expected: [], metadata: [] },
    });
    const path = `/testsets/${testset.id}/testcases/from-traces`;
    const made = await request('POST', path, { traceIds: [traceId], mapping: { name: '/tags' } });
    expect(made.body.items).toMatchObject([{ created: true }]);
    expect((await get(`/traces/${traceId}`)).expiresAt).not.toBeNull();
  });

  test('loses an annotation to its author and to admins alone', async () => {
    const traceId = newTraceId();
    await send(exportOf([{ traceId }], { 'assay.project_id': setting.projectId() }));
    const path = `/traces/${traceId}/annotations`;
    const [author, other] = [newId(), newId()].map((userId) => ({
      identity: { userId, role: 'member' as const },
    }));
    const annotate = async () => (await request('POST', path, { rating: true }, author)).body.id;
    const [first, second] = [await annotate(), await annotate()];
    const deleted = async (id: string, as = {}) =>
      (await request('DELETE', `${path}/${id}`, undefined, as)).status;
    expect([await deleted(first, other), await deleted(newId(), other)]).toEqual([403, 404]);
    expect([await deleted(first, author), await deleted(second)]).toEqual([200, 200]);
  });

  test('has 100 annotations at most, however many come at once', async () => {
    const traceId = newTraceId();
    await send(exportOf([{ traceId }], { 'assay.project_id': setting.projectId() }));
    const path = `/traces/${traceId}/annotations`;
    for (let made = 0; made < traceAnnotationsMax - 1; made += 1)
      expect((await request('POST', path, { rating: true })).status).toBe(201);
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => request('POST', path, { rating: true })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
    expect((await get(`/traces/${traceId}`)).annotations).toHaveLength(traceAnnotationsMax);
  });
});

import { traceAnnotationsMax } from '@assay/contracts/traces';
import { newId } from '@assay/runtime/ids';
import { findPlaces } from '@assay/testing/databases';
import { missingId } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { exportOf, newSpanId, newTraceId, useTraces } from './setting.ts';

const setting = useTraces();
const { request, send, get } = setting;

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
    const { MONGODB_URI: uri, DATABASE_PREFIX: prefix } = setting.world().config;
    const places = () => findPlaces({ uri, prefix, text: 'Too slow.' });
    expect(await places()).toEqual(['traces.trace_annotations']);
    await request('DELETE', `/traces/${traceId}`);
    expect((await request('POST', path, { rating: true })).status).toBe(404);
    expect(await places()).toEqual([]);
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

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

  test('is found by what people rate it, as long as one of them does', async () => {
    const project = { name: 'p', description: '' };
    const { id } = await setting.world().create('/projects', project);
    const [traceId, unrated] = [newTraceId(), newTraceId()];
    await send(exportOf([{ traceId }, { traceId: unrated }], { 'assay.project_id': id }));
    const found = async (rating: boolean) => {
      const { data } = await get(`/projects/${id}/traces?rating=${rating}`);
      const volume = await get(`/projects/${id}/traces/volume?rating=${rating}&buckets=1`);
      expect(volume.data[0].traces).toBe(data.length);
      return data.map((trace: { traceId: string }) => trace.traceId);
    };
    const path = `/traces/${traceId}/annotations`;
    const annotate = async (body: object) => (await request('POST', path, body)).body.id;
    const [good] = [await annotate({ rating: true }), await annotate({ comment: 'Hm.' })];
    expect([await found(true), await found(false)]).toEqual([[traceId], []]);
    const bad = await annotate({ rating: false });
    expect([await found(true), await found(false)]).toEqual([[traceId], [traceId]]);
    await request('PATCH', `${path}/${bad}`, { rating: true });
    expect([await found(true), await found(false)]).toEqual([[traceId], []]);
    await request('DELETE', `${path}/${good}`);
    expect([await found(true), await found(false)]).toEqual([[traceId], []]);
    await request('DELETE', `${path}/${bad}`);
    expect([await found(true), await found(false)]).toEqual([[], []]);
  });

  test('is found by the rating that is left of changes at once', async () => {
    const project = { name: 'p', description: '' };
    const { id } = await setting.world().create('/projects', project);
    const traceId = newTraceId();
    await send(exportOf([{ traceId }], { 'assay.project_id': id }));
    const path = `/traces/${traceId}/annotations`;
    const annotate = async (rating: boolean) => (await request('POST', path, { rating })).body.id;
    for (let round = 0; round < 5; round++) {
      const [good, bad] = [await annotate(true), await annotate(false)];
      await Promise.all([
        request('DELETE', `${path}/${good}`),
        request('PATCH', `${path}/${bad}`, { rating: true }),
        request('POST', path, { rating: true }),
      ]);
      const { annotations } = await get(`/traces/${traceId}`);
      const ratings = annotations.map(({ rating }: { rating: boolean }) => rating);
      for (const rating of [true, false])
        expect((await get(`/projects/${id}/traces?rating=${rating}`)).data.length).toBe(
          ratings.includes(rating) ? 1 : 0,
        );
    }
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

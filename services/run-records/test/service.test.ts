import { missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { identity, projectId, request, newMetric, newRun, newRecord, getRun, newTestset } =
  useRunRecords();

describe('runs', () => {
  test('the bounds of what is scored anew count what was sent, repeats included', async () => {
    const run = await newRun();
    const body = {
      metricIds: Array(101).fill(missingId),
      recordIds: Array(10_001).fill(missingId),
    };
    const reply = await request('POST', `/runs/${run.id}/rescore`, body);
    expect(reply.status).toBe(400);
    expect(reply.body.message).toBe('/metricIds must have at most 100 items (and 1 more problem).');
    expect(reply.body.details.issues).toEqual([
      { path: '/metricIds', message: 'must have at most 100 items' },
      { path: '/recordIds', message: 'must have at most 10000 items' },
    ]);
  });

  test("a run pins its metrics' current versions and counts its testset's testcases at that moment", async () => {
    const metricId = await newMetric();
    const { testset } = await newTestset(3);
    const run = await newRun({ metricIds: [metricId], testsetId: testset });
    expect(run).toEqual({
      id: expect.any(String),
      testsetId: testset,
      systemId: null,
      systemVersionId: null,
      metricIds: [metricId],
      metricVersionIds: [expect.any(String)],
      createdByUserId: identity().userId,
      numRecords: 0,
      numExpectedRecords: 3,
      repeats: 1,
      numScores: 0,
      status: 'awaiting_execution',
      source: 'API',
      createdAt: expect.any(String),
      scoring: { expected: 0, scored: 0, failed: 0, pending: 0 },
      costUsd: 0,
      cache: 'use',
      cachedAnswers: 0,
      budgetUsd: null,
      isPaused: false,
    });
    await request('PATCH', `/metrics/${metricId}`, {
      evalType: 'heuristic',
      outputType: 'boolean',
      guidelines: 'other',
    });
    expect((await getRun(run.id)).metricVersionIds).toEqual(run.metricVersionIds);
    expect((await newRun({ metricIds: [metricId] })).metricVersionIds).not.toEqual(
      run.metricVersionIds,
    );
  });

  test('what a run refers to and is not there is told with its place, all at once', async () => {
    const reply = await request('POST', `/projects/${projectId()}/runs`, {
      metricIds: [await newMetric(), 'x'],
      testsetId: missingId,
      systemVersionId: missingId,
    });
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues.map(({ path }: { path: string }) => path)).toEqual([
      '/metricIds/1',
      '/testsetId',
      '/systemVersionId',
    ]);
    expect((await request('POST', `/projects/${missingId}/runs`, { metricIds: [] })).status).toBe(
      404,
    );
  });

  test('runs are listed newest first, and by their source', async () => {
    const other = (await request('POST', '/projects', { name: 'runs', description: '' })).body.id;
    const ids = [];
    for (let index = 0; index < 3; index++)
      ids.push((await request('POST', `/projects/${other}/runs`, { metricIds: [] })).body.id);
    const list = await request('GET', `/projects/${other}/runs`);
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.reverse());
    expect((await request('GET', `/projects/${other}/runs?source=Monitor`)).body.data).toEqual([]);
    expect((await request('GET', `/projects/${other}/runs?source=other`)).status).toBe(400);
  });

  test('after the deletion of its project a run and its records answer 404 at once', async () => {
    const other = (await request('POST', '/projects', { name: 'gone', description: '' })).body.id;
    const run = (await request('POST', `/projects/${other}/runs`, { metricIds: [] })).body;
    const record = (await newRecord(run.id)).body;
    await request('DELETE', `/projects/${other}`);
    const paths = [
      `/runs/${run.id}`,
      `/runs/${run.id}/records`,
      `/records/${record.id}`,
      `/records/${record.id}/tags`,
      `/projects/${other}/runs`,
    ];
    for (const path of paths) expect((await request('GET', path)).status, path).toBe(404);
    expect((await newRecord(run.id)).status).toBe(404);
  });
});

describe('tags, assignees and annotations', () => {
  test('a tag is made once, found by its text however it is written, and taken off', async () => {
    const run = await newRun();
    const record = (await newRecord(run.id, { tags: ['from the start'] })).body;
    const path = `/records/${record.id}/tags`;
    const first = await request('POST', path, { text: 'a/b %41' });
    expect(first.status).toBe(201);
    const again = await request('POST', path, { text: 'a/b %41' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(
      (await request('GET', path)).body.data.map(({ text }: { text: string }) => text),
    ).toEqual(['from the start', 'a/b %41']);
    const encoded = `${path}/${encodeURIComponent('a/b %41')}`;
    expect((await request('DELETE', encoded)).body).toEqual({ deleted: 1 });
    expect((await request('DELETE', encoded)).body).toEqual({ deleted: 0 });
  });

  test('two that tag at the same time lose nothing', async () => {
    const record = (await newRecord((await newRun()).id)).body;
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        request('POST', `/records/${record.id}/tags`, { text: `t${index}` }),
      ),
    );
    expect((await request('GET', `/records/${record.id}/tags`)).body.data).toHaveLength(8);
  });

  test('an assignee must be a member', async () => {
    const record = (await newRecord((await newRun()).id)).body;
    const reply = await request('POST', `/records/${record.id}/assignees`, {
      assigneeUserId: missingId,
    });
    expect(reply.body.details.issues[0].path).toBe('/assigneeUserId');
    const { userId } = (await request('POST', '/members', { email: 'ada@example.com' })).body;
    const path = `/records/${record.id}/assignees`;
    const assigned = await request('POST', path, { assigneeUserId: userId });
    expect([assigned.status, assigned.body.assignedByUserId]).toEqual([201, identity().userId]);
    expect((await request('POST', path, { assigneeUserId: userId })).status).toBe(200);
    expect((await request('GET', path)).body.data).toEqual([assigned.body]);
    expect((await request('DELETE', `${path}/${userId}`)).body).toEqual({ deleted: 1 });
    expect((await request('DELETE', `${path}/nobody`)).body).toEqual({ deleted: 0 });
  });

  test('an annotation needs a rating or a comment', async () => {
    const record = (await newRecord((await newRun()).id)).body;
    const path = `/records/${record.id}/annotations`;
    expect((await request('POST', path, { spanId: 'x' })).status).toBe(400);
    const made = await request('POST', path, { rating: false, comment: 'short' });
    expect(made.status).toBe(201);
    expect((await request('GET', path)).body.data).toEqual([made.body]);
    expect(made.body).toMatchObject({
      rating: false,
      comment: 'short',
      spanId: null,
      passage: null,
      userId: identity().userId,
    });
  });

  test('an annotation is of a passage, whose offsets count code points', async () => {
    const record = (await newRecord((await newRun()).id)).body;
    const path = `/records/${record.id}/annotations`;
    const passage = { payload: 'outputs', pointer: '/a~1b/0', start: 3, end: 6, text: 'a😀\u202E' };
    expect((await request('POST', path, { passage })).status).toBe(400);
    const made = await request('POST', path, { comment: 'here', passage });
    expect([made.status, made.body.passage], made.text).toEqual([201, passage]);
    const long = { ...passage, start: 0, end: 5000, text: '😀'.repeat(1000) };
    expect((await request('POST', path, { rating: true, passage: long })).status).toBe(201);
    const listed = (await request('GET', path)).body.data;
    expect(listed.map(({ passage }: { passage: unknown }) => passage)).toEqual([passage, long]);
    expect(
      (await request('GET', `/runs/${record.runId}/records?hasAnnotations=true`)).body.data,
    ).toHaveLength(1);
  });

  test.each([
    ['ends before it begins', { start: 4, end: 4 }, '/passage/end'],
    ['has a text of another length, as offsets in UTF-16 make one', { end: 5 }, '/passage/text'],
    ['has a pointer that is none', { pointer: 'answer' }, '/passage/pointer'],
    ['is of no payload', { payload: 'scores' }, '/passage/payload'],
  ])('a passage that %s is refused at its place', async (_how, wrong, place) => {
    const record = (await newRecord((await newRun()).id)).body;
    const passage = { payload: 'outputs', pointer: '/answer', start: 2, end: 4, text: 'a😀' };
    const refused = await request('POST', `/records/${record.id}/annotations`, {
      comment: 'here',
      passage: { ...passage, ...wrong },
    });
    expect(refused.status).toBe(400);
    expect(refused.body.details.issues.map(({ path }: { path: string }) => path)).toEqual([place]);
  });

  test('a record tells the session that it was made with', async () => {
    const run = await newRun();
    const made = (await newRecord(run.id, { sessionId: 'session 1' })).body;
    const without = (await newRecord(run.id)).body;
    for (const [{ id }, sessionId] of [
      [made, 'session 1'],
      [without, undefined],
    ] as const)
      expect((await request('GET', `/records/${id}`)).body.sessionId).toBe(sessionId);
    expect([made.sessionId, without.sessionId]).toEqual(['session 1', undefined]);
  });
});

import { openDatabase } from '@assay/runtime/mongo/database';
import { mappingVersion } from '@assay/span-reading/families';
import { missingId } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { exportOf, newSpanId, newTraceId, useTraces } from './setting.ts';

const setting = useTraces();
const { send, get, settled, request } = setting;

const inProject = () => ({ 'assay.project_id': setting.projectId(), 'service.name': 'bot' });
const namesOf = async (traceId: string): Promise<string[]> =>
  (await get(`/traces/${traceId}/spans`)).data.map(({ name }: { name: string }) => name);

describe('a trace', () => {
  test('that is deleted is gone with its spans when that is answered, and a late span does not bring it back', async () => {
    const traceId = newTraceId();
    const otherId = newTraceId();
    await send(exportOf([{ traceId, name: 'old' }], inProject()));
    expect((await request('DELETE', `/traces/${traceId}`)).status).toBe(200);
    for (const path of ['', '/spans', '/conversation', `/spans/${newSpanId()}`])
      expect((await request('GET', `/traces/${traceId}${path}`)).status).toBe(404);
    expect((await request('DELETE', `/traces/${traceId}`)).status).toBe(404);
    const late = { traceId, name: 'late' };
    const { body } = await send(exportOf([late, { traceId: otherId, name: 'other' }], inProject()));
    expect(body).toEqual({
      partialSuccess: {
        rejectedSpans: '1',
        errorMessage: 'the trace was deleted within the last hour',
      },
    });
    expect((await request('GET', `/traces/${traceId}`)).status).toBe(404);
    expect(await namesOf(otherId)).toEqual(['other']);
  });

  test('has its conversation, with the steps that were taken for the answer, and every digit', async () => {
    const [traceId, rootId, toolId] = [newTraceId(), newSpanId(), newSpanId()];
    const below = { traceId, parentSpanId: rootId };
    const asked = { role: 'user', content: 'Where is my parcel?' };
    const answered = { role: 'assistant', content: 'It arrives tomorrow.' };
    const call = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.prompt.messages': JSON.stringify([asked]),
      'gen_ai.completion.choices': JSON.stringify([answered]),
    };
    const tool = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.arguments': '{"parcel":12345678901234567890}',
      'gen_ai.tool.call.result': 'late',
    };
    const spans = [
      { traceId, spanId: rootId, name: 'answer' },
      { ...below, spanId: toolId, name: 'track', start: 1, durationMs: 12, attributes: tool },
      { ...below, name: 'chat', start: 2, attributes: call },
    ];
    await send(exportOf(spans, inProject()));
    const { body, text } = await request('GET', `/traces/${traceId}/conversation`);
    expect(body).toMatchObject({
      messages: [asked, answered],
      steps: [{ spanId: toolId, name: 'track', kind: 'tool', result: 'late', error: null }],
      isCut: false,
    });
    expect(text).toContain('"arguments":{"parcel":12345678901234567890}');
  });

  test('of many spans is listed as it settled, and by its spans once more of them come', async () => {
    const traceId = newTraceId();
    const attributes = { 'gen_ai.request.model': 'm', 'input.value': 'é'.repeat(300) };
    const spansOf = (count: number) =>
      Array.from({ length: count }, (_, start) => ({
        traceId,
        name: `${start}`,
        start,
        attributes,
      }));
    await send(exportOf(spansOf(600), inProject()));
    const list = () => get(`/traces/${traceId}/spans`);
    const before = await list();
    expect(before).toMatchObject({
      numSpans: 600,
      data: { length: 600, 0: { name: '0', model: 'm' } },
    });
    await settled(traceId);
    expect(await list()).toEqual(before);

    const { MONGODB_URI: uri, DATABASE_PREFIX: prefix } = setting.world().config;
    const database = await openDatabase({ uri, name: `${prefix}_traces` });
    const lists = database.collection('span_lists');
    expect(await lists.findOne({ traceId })).toMatchObject({ numSpans: 600 });
    // Another list than the spans give shows which of the two is read.
    const tampered = { data: Buffer.from('[]'), numSpans: 0 };
    await lists.updateOne({ traceId }, { $set: tampered });
    expect(await list()).toEqual({ data: [], numSpans: 0 });
    await lists.updateOne({ traceId }, { $set: { mapping: 0 } });
    expect(await list()).toEqual(before);
    await lists.updateOne({ traceId }, { $set: { mapping: mappingVersion } });
    await send(exportOf([{ traceId, name: 'late', start: 10_000 }], inProject()));
    expect(await list()).toMatchObject({ numSpans: 601, data: { 600: { name: 'late' } } });

    await request('DELETE', `/traces/${traceId}`);
    expect(await lists.countDocuments({ traceId })).toBe(0);
    await database.close();
  });

  test('of many spans has each of them by its id, in whichever part it is, as one alone is had', async () => {
    const traceId = newTraceId();
    const spans = Array.from({ length: 900 }, (_, start) => ({
      traceId,
      spanId: newSpanId(),
      name: `${start}`,
      start,
    }));
    // Parts that tell what they have, and some that are too small to.
    for (const [from, to] of [
      [0, 400],
      [400, 800],
      [800, 850],
      [850, 900],
    ])
      await send(exportOf(spans.slice(from, to), inProject()));
    await settled(traceId);
    for (const { spanId, name } of [0, 399, 400, 799, 820, 899].map((index) => spans[index]!))
      expect(await get(`/traces/${traceId}/spans/${spanId}`)).toMatchObject({ spanId, name });
    for (const unknown of [newSpanId(), 'zz', spans[0]!.spanId.slice(0, 8)])
      expect((await request('GET', `/traces/${traceId}/spans/${unknown}`)).status).toBe(404);

    const { MONGODB_URI: uri, DATABASE_PREFIX: prefix } = setting.world().config;
    const database = await openDatabase({ uri, name: `${prefix}_traces` });
    const parts = database.collection('trace_parts');
    // A part that is said to have none of its spans shows which parts are read.
    await parts.updateMany(
      { traceId, spanIds: { $exists: true } },
      { $set: { spanIds: Buffer.alloc(8) } },
    );
    await database.close();
    const statusOf = async ({ spanId }: { spanId: string }) =>
      (await request('GET', `/traces/${traceId}/spans/${spanId}`)).status;
    expect(await Promise.all([spans[10]!, spans[820]!].map(statusOf))).toEqual([404, 200]);
  });

  test('of another organization is as if it were not there', async () => {
    const traceId = newTraceId();
    await send(exportOf([{ traceId }], inProject()));
    const identity = { organizationId: missingId };
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/spans'],
      ['DELETE', ''],
    ] as const)
      expect(
        (await request(method, `/traces/${traceId}${path}`, undefined, { identity })).status,
      ).toBe(404);
    const project = `/projects/${setting.projectId()}/traces`;
    expect((await request('GET', project, undefined, { identity })).status).toBe(404);
  });

  test('goes after the days that its project says, or those of the installation, from its last span', async () => {
    const days = async (traceRetentionDays?: number) => {
      const project = { name: 'p', description: '', traceRetentionDays };
      const { id } = await setting.world().create('/projects', project);
      const traceId = newTraceId();
      await send(exportOf([{ traceId }], { 'assay.project_id': id }));
      const { expiresAt } = await get(`/traces/${traceId}`);
      return (Date.parse(expiresAt) - Date.now()) / 24 / 3600 / 1000;
    };
    expect(await days(7)).toBeCloseTo(7, 2);
    expect(await days()).toBeCloseTo(30, 2);
    expect(await days(0)).toBeCloseTo(1 / 24, 2);
  });

  test('goes with its project', async () => {
    const traceId = newTraceId();
    const { id } = await setting.world().create('/projects', { name: 'short', description: '' });
    await send(exportOf([{ traceId }], { 'assay.project_id': id }));
    expect((await request('DELETE', `/projects/${id}`)).status).toBe(200);
    expect((await request('GET', `/traces/${traceId}`)).status).toBe(404);
  });
});

describe('the list of traces', () => {
  test('is newest first, page by page, and filters combine', async () => {
    const project = await setting.world().create('/projects', { name: 'listed', description: '' });
    const traceIds = Array.from({ length: 7 }, newTraceId);
    for (const [index, traceId] of traceIds.entries())
      await send(
        exportOf(
          [
            {
              traceId,
              name: index % 2 ? 'odd' : 'even',
              start: -1000 * index,
              status: { code: index === 2 ? 2 : 0 },
            },
          ],
          { 'assay.project_id': project.id, 'service.name': index < 4 ? 'new' : 'old' },
        ),
      );
    const list = async (query: string) => get(`/projects/${project.id}/traces?${query}`);
    const found: string[] = [];
    let cursor = '';
    do {
      const page = await list(`limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      found.push(...page.data.map((trace: { traceId: string }) => trace.traceId));
      cursor = page.nextCursor ?? '';
    } while (cursor);
    expect(found).toEqual(traceIds);
    const idsOf = async (query: string) =>
      (await list(query)).data.map((trace: { traceId: string }) => traceIds.indexOf(trace.traceId));
    expect(await idsOf('name=even&service=new')).toEqual([0, 2]);
    expect(await idsOf('error=true')).toEqual([2]);
    expect(await idsOf('error=false&service=old')).toEqual([4, 5, 6]);
    const { startedAt } = await get(`/traces/${traceIds[3]}`);
    expect(await idsOf(`from=${startedAt}&name=odd`)).toEqual([1, 3]);
    expect(await idsOf(`to=${startedAt}&service=new`)).toEqual([]);
    const elsewhere = `${new Date(Date.parse(startedAt) + 3_600_000).toISOString().slice(0, -1)}456+01:00`;
    expect(await idsOf(`from=${encodeURIComponent(elsewhere)}&name=odd`)).toEqual([1, 3]);
    for (const least of ['9.4e-323', '1e-07', '0.12345678901234567'])
      expect(await idsOf(`minCostUsd=${least}`)).toEqual([]);
    for (const least of ['1e999', 'NaN', '-1', '0x1']) {
      const refused = await request('GET', `/projects/${project.id}/traces?minCostUsd=${least}`);
      expect([refused.status, refused.body.details.issues]).toEqual([
        400,
        [{ path: '?minCostUsd', message: 'must be a number' }],
      ]);
    }
    for (const from of ['yesterday', elsewhere]) {
      const refused = await request('GET', `/projects/${project.id}/traces?from=${from}`);
      expect([refused.status, refused.body.details.issues[0].message]).toEqual([
        400,
        expect.stringContaining('+ is written as %2B'),
      ]);
    }
    const volume = `/projects/${project.id}/traces/volume`;
    const { data, isComplete } = await get(`${volume}?name=odd&buckets=10`);
    const sumOf = (name: 'traces' | 'errors') =>
      data.reduce((sum: number, bucket: Record<string, number>) => sum + bucket[name]!, 0);
    expect([data.length, isComplete, sumOf('traces'), sumOf('errors')]).toEqual([10, true, 3, 0]);
    const turned = await request('GET', `${volume}?from=${startedAt}&to=2026-03-01T00:00:00Z`);
    expect([turned.status, turned.body.details.issues]).toEqual([
      400,
      [{ path: '?to', message: 'must be later than from' }],
    ]);
  });

  test('of a session is its conversation, oldest first', async () => {
    const sessionId = `session ${newTraceId()}`;
    const traceIds = [newTraceId(), newTraceId()];
    for (const [index, traceId] of traceIds.entries())
      await send(
        exportOf(
          [{ traceId, start: 1000 * index, attributes: { 'session.id': sessionId } }],
          inProject(),
        ),
      );
    for (const traceId of traceIds) await settled(traceId);
    const { data } = await get(`/sessions/${encodeURIComponent(sessionId)}/traces`);
    expect(data.map((trace: { traceId: string }) => trace.traceId)).toEqual(traceIds);
  });
});

import { missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { identity, newRecord, newRun, request } = useRunRecords();

const get = (path: string, headers: Record<string, string> = {}) =>
  request('GET', path, undefined, { headers });

describe('the bytes of a payload', () => {
  test('are what was sent, to the last digit and space', async () => {
    const run = await newRun();
    const outputs = '{ "a":1.0,  "b":[12345678901234567890, "\\u00e9"] }';
    const raw = `{"inputs":{"q":1},"expected":{},"outputs":${outputs}}`;
    const { id } = (await request('POST', `/runs/${run.id}/records`, undefined, { raw })).body;
    const reply = await get(`/records/${id}/payloads/outputs`);
    expect([reply.status, reply.text]).toEqual([200, outputs]);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.headers.get('content-length')).toBe(String(outputs.length));
    expect((await get(`/records/${id}/payloads/expected`)).text).toBe('{}');
  });

  test('of a large record come in parts, across the places where it was cut', async () => {
    const run = await newRun();
    const text = Array.from({ length: 350_000 }, (_, index) => index).join(',');
    const { id } = (await newRecord(run.id, { outputs: { text } })).body;
    const path = `/records/${id}/payloads/outputs`;
    const whole = JSON.stringify({ text });
    const cut = 1024 * 1024;
    for (const [from, to] of [
      [0, 10],
      [cut - 5, cut + 5],
      [cut, cut + 1],
      [cut - 1, 2 * cut + 1],
      [whole.length - 7, whole.length],
    ] as const) {
      const part = await get(path, { range: `bytes=${from}-${to - 1}` });
      expect([part.status, part.text]).toEqual([206, whole.slice(from, to)]);
      expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${whole.length}`);
    }
    expect((await get(path)).text).toBe(whole);
    const beyond = await get(path, { range: `bytes=${whole.length}-` });
    expect([beyond.status, beyond.body.code]).toEqual([416, 'RANGE_NOT_SATISFIABLE']);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${whole.length}`);
  });

  test('are not sent again to a client that has them, and have a name for those that store them', async () => {
    const run = await newRun();
    const { id } = (await newRecord(run.id)).body;
    const path = `/records/${id}/payloads/inputs`;
    const tag = (await get(path)).headers.get('etag')!;
    const again = await get(path, { 'if-none-match': tag });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await get(`/records/${id}/payloads/outputs`)).headers.get('etag')).not.toBe(tag);
    expect((await get(`${path}?download=1`)).headers.get('content-disposition')).toBe(
      `attachment; filename="record-${id}-inputs.json"`,
    );
  });

  test('of no payload, of a missing record, and of another organization are not there', async () => {
    const run = await newRun();
    const { id } = (await newRecord(run.id)).body;
    expect((await get(`/records/${id}/payloads/scores`)).body).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { issues: [{ path: ':field' }] },
    });
    expect((await get(`/records/${missingId}/payloads/inputs`)).status).toBe(404);
    const foreign = await request('GET', `/records/${id}/payloads/inputs`, undefined, {
      identity: { ...identity(), organizationId: missingId },
    });
    expect([foreign.status, foreign.body.code]).toEqual([404, 'NOT_FOUND']);
    await request('DELETE', `/records/${id}`);
    expect((await get(`/records/${id}/payloads/inputs`)).status).toBe(404);
  });
});

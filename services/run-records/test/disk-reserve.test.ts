import { payloads, useRunRecords } from '@assay/testing/run-records';
import { expect, test } from 'vitest';

const { newRecord, newRun, request } = useRunRecords({
  config: { DATABASE_RESERVE_BYTES: Number.MAX_SAFE_INTEGER },
});

test("records that would leave less than the reserve of the database's disk are a 503, alone and in an upload, and nothing of them stays", async () => {
  const run = await newRun();
  const alone = await newRecord(run.id, payloads);
  const upload = await request('POST', `/runs/${run.id}/records/bulk`, undefined, {
    raw: `${JSON.stringify(payloads)}\n`.repeat(3),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  for (const refused of [alone, upload]) {
    expect([refused.status, refused.body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(refused.body.message).toMatch(/^The disk of the database is nearly full: .*operator/);
    expect(Number(refused.headers.get('retry-after'))).toBe(60);
  }
  expect((await request('GET', `/runs/${run.id}`)).body.numRecords).toBe(0);
  expect((await request('DELETE', `/runs/${run.id}`)).status).toBe(200);
});

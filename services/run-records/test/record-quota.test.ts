import { payloads, useRunRecords } from '@assay/testing/run-records';
import { expect, test } from 'vitest';

const { newRecord, newRun, request } = useRunRecords({ config: { RECORDS_MAX: 3 } });

test('an organization keeps as many records as its quota says, alone and in an upload, and another one as many', async () => {
  const run = await newRun();
  expect((await newRecord(run.id, payloads)).status).toBe(201);
  const line = `${JSON.stringify(payloads)}\n`;
  const headers = { 'content-type': 'application/x-ndjson' };
  const upload = await request('POST', `/runs/${run.id}/records/bulk`, undefined, {
    raw: line.repeat(4),
    headers,
  });
  const lines = upload.text
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(lines.map(({ status }) => status)).toEqual([201, 201, 409, 409]);
  const refused = await newRecord(run.id, payloads);
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
  expect(refused.body.message).toContain('may keep 3 records');
  expect((await request('GET', `/runs/${run.id}`)).body.numRecords).toBe(3);
});

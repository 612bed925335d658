import { payloads, useRunRecords } from '@assay/testing/run-records';
import { expect, test } from 'vitest';

const { newRun, newMetric, newRecord, request } = useRunRecords();

const metrics = { latencyMs: 840.5, inputTokens: 412, outputTokens: 67, costUsd: 0.0012 };
const metadata = '{"trace":{"span":"a,b"},\n"big":12345678901234567890,"=x":"\\u00e9"}';
const raw = `{"inputs":{},"expected":{},"outputs":{},"metrics":${JSON.stringify(metrics)},"metadata":${metadata}}`;

async function measured() {
  const run = await newRun();
  const headers = { 'content-type': 'application/json' };
  const { body } = await request('POST', `/runs/${run.id}/records`, undefined, { raw, headers });
  return { run, id: body.id as string, body };
}

test('metrics and metadata come back with the record, the metadata as the text that was sent', async () => {
  const { run, id, body } = await measured();
  expect(body.metrics).toEqual(metrics);
  for (const path of [`/records/${id}`, `/runs/${run.id}/records`]) {
    const { text } = await request('GET', path);
    expect(text).toContain(`"metadata":${metadata}`);
    expect(text).toContain(`"metrics":${JSON.stringify(metrics)}`);
  }
  const without = (await newRecord(run.id, { metrics: {} })).body;
  expect([without.metrics, without.metadata]).toEqual([undefined, undefined]);
});

test('an export has them, and makes the same record again', async () => {
  const metricId = await newMetric({
    name: 'latencyms',
    evalType: 'heuristic',
    outputType: 'float',
  });
  const run = await newRun({ metricIds: [metricId] });
  const copy = await newRun();
  const headers = { 'content-type': 'application/x-ndjson' };
  const line = raw.replace('\n', '');
  await request('POST', `/runs/${run.id}/records/bulk`, undefined, { raw: line, headers });
  const { text } = await request('GET', `/runs/${run.id}/records/export`);
  await request('POST', `/runs/${copy.id}/records/bulk`, undefined, { raw: text, headers });
  const [again] = (await request('GET', `/runs/${copy.id}/records`)).body.data;
  expect(again).toMatchObject({ metrics, metadata: JSON.parse(metadata) });
  const csv = (await request('GET', `/runs/${run.id}/records/export?format=csv`)).text;
  const [header, row] = csv.split('\n') as [string, string];
  expect(header).toContain(
    ',latencyms (2),latencyms (2) reasoning,latencyMs,inputTokens,outputTokens,costUsd,metadata',
  );
  expect(row).toContain(',840.5,412,67,0.0012,"{""trace"":');
});

test.each([
  ['a latency below 0', { metrics: { latencyMs: -1 } }, '/metrics/latencyMs'],
  ['a part of a token', { metrics: { inputTokens: 1.5 } }, '/metrics/inputTokens'],
  ['a cost in words', { metrics: { costUsd: '1' } }, '/metrics/costUsd'],
  ['metadata that is a list', { metadata: [] }, '/metadata'],
  ['more than 16 KiB of metadata', { metadata: { x: 'x'.repeat(16 * 1024) } }, '/metadata'],
])('%s is refused at its place', async (_, change, path) => {
  const run = await newRun();
  const { status, body } = await newRecord(run.id, { ...payloads, ...change });
  expect([status, body.details.issues[0].path]).toEqual([400, path]);
});

import { expect } from 'vitest';
import type { Call } from './installation.ts';

/**
 * Stores records of a run by one upload, which takes a tenth of the processor time of a request for
 * each. Returns their ids, in the same order.
 */
export async function uploadRecords(
  call: Call,
  runId: string,
  records: object[],
): Promise<string[]> {
  const reply = await call('POST', `/runs/${runId}/records/bulk`, undefined, {
    raw: records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(reply.status, reply.text).toBe(200);
  return reply.text
    .trim()
    .split('\n')
    .map((line) => {
      const { id } = JSON.parse(line);
      expect(id, line).toBeTypeOf('string');
      return id;
    });
}

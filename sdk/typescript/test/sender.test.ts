import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@assay/client/client';
import { afterEach, expect, test } from 'vitest';
import { createSender } from '../src/sender.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface SentRecord {
  clientId: string;
  outputs?: Record<string, unknown>;
  error?: { name: string };
}

/** A server that keeps records by their names, and answers each line by `status`. */
async function keeper(status: (record: SentRecord, isKnown: boolean) => number) {
  const stored = new Map<string, SentRecord>();
  const requests: number[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const lines = text.trim().split('\n');
    requests.push(lines.length);
    const replies = lines.map((line) => {
      const record: SentRecord = JSON.parse(line);
      const code = status(record, stored.has(record.clientId));
      if (code === 201) stored.set(record.clientId, record);
      return JSON.stringify({ status: code, message: `said ${code}` });
    });
    response.end(`${replies.join('\n')}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { stored, requests, client: createClient({ url, key: 'ak_1', patienceMs: 0 }) };
}

const record = (testcaseId: string, trial = 1) => ({
  testcaseId,
  trial,
  body: { inputs: {}, expected: {}, outputs: { a: 1 } },
});
const whenNew = (_record: SentRecord, isKnown: boolean) => (isKnown ? 200 : 201);

test('records that come while a request is under way go together with the next one', async () => {
  const { client, stored, requests } = await keeper(whenNew);
  const sender = createSender({ client, runId: 'r' });
  for (let index = 0; index < 150; index++) void sender.push(record(`t${index}`));
  await sender.flush();
  expect(stored.size).toBe(150);
  expect(requests).toEqual([1, 100, 49]);
});

test('a record that is stored already is not stored again', async () => {
  const { client, stored } = await keeper(whenNew);
  for (const trial of [1, 2, 2]) {
    const sender = createSender({ client, runId: 'r' });
    await sender.push(record('t', trial));
    await sender.flush();
    expect(sender.refused).toEqual([]);
  }
  expect([...stored.keys()]).toEqual(['t:1', 't:2']);
});

test('an answer that the service does not take becomes a record that says so', async () => {
  const { client, stored } = await keeper(({ error }) => (error ? 201 : 413));
  const sender = createSender({ client, runId: 'r' });
  await sender.push(record('t'));
  await sender.flush();
  expect(stored.get('t:1')).toMatchObject({
    error: { name: 'RecordRefused', message: 'said 413' },
  });
  expect(sender.refused).toEqual([]);
});

test('a record that is refused even so is counted, and stops nothing', async () => {
  const { client } = await keeper(() => 400);
  const sender = createSender({ client, runId: 'r' });
  await sender.push(record('t'));
  await sender.flush();
  expect(sender.refused).toEqual([{ testcaseId: 't', message: 'said 400' }]);
});

test('a server that is away ends the wait for room and for the end', async () => {
  const client = createClient({ url: 'http://127.0.0.1:9', key: 'ak_1', patienceMs: 0 });
  const sender = createSender({ client, runId: 'r' });
  await sender.push(record('t'));
  await expect(sender.flush()).rejects.toThrow(/no answer/);
  await expect(sender.push(record('u'))).rejects.toThrow(/no answer/);
});

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createClient } from '../client.ts';
import { readEvents } from '../events.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('lines whose replies are lost are sent again, all of them', async () => {
  const bodies: string[] = [];
  const url = await serve(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    bodies.push(text);
    response.end(
      bodies.length === 1 ? '{"status":201}\n{"sta' : '{"status":200}\n{"status":201}\n',
    );
  });
  const client = createClient({ url, key: 'ak_1' });
  expect(
    await client.sendLines('POST', '/runs/:runId/records/bulk', ['{"a":1}', '{"a":2}'], {
      params: { runId: '1' },
    }),
  ).toEqual([{ status: 200 }, { status: 201 }]);
  expect(bodies).toEqual(Array(2).fill('{"a":1}\n{"a":2}\n'));
});

test('a page of another server is refused at once, and not asked for again', async () => {
  let requests = 0;
  const url = await serve((_request, response) => {
    requests += 1;
    response.end('<h1>Sign in</h1>');
  });
  const asking = createClient({ url, key: 'ak_1' }).request('GET', '/me');
  await expect(asking).rejects.toMatchObject({ status: 200, code: undefined });
  expect(requests).toBe(1);
});

test('events come one by one, however they are cut, without comments and bare retries', async () => {
  const pieces = [
    'retry: 1000\n\n: nothing',
    ' new\n\nevent: progress\nid: 1\nda',
    'ta: {"a":1}\n',
  ];
  const url = await serve((request, response) => {
    expect(request.headers['last-event-id']).toBe('0');
    response.write(pieces.join(''));
    response.end('\ndata: one\r\ndata: two\r\n\r\ndata: cut');
  });
  const found = [];
  const { signal } = new AbortController();
  for await (const event of readEvents({ url, key: 'ak_1', lastEventId: '0', signal }))
    found.push(event);
  expect(found).toEqual([
    { event: 'progress', id: '1', data: '{"a":1}' },
    { event: 'message', id: undefined, data: 'one\ntwo' },
  ]);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@assay/client/client';
import type { ServerEvent } from '@assay/client/events';
import { expect, test } from 'vitest';
import { followRun } from '../src/follow.ts';

test('a run is followed past a broken connection, from the last event that was seen', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (!request.url!.endsWith('/events')) return void response.end('{}');
    seen.push(request.headers['last-event-id'] as string | undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (seen.length > 1)
      return void response.end(': a comment\n\nevent: completed\nid: 2\ndata: 2\n\n');
    response.write('retry: 1000\n\nevent: progress\nid: 1\ndata: 1\n\nevent: cut', () =>
      response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const own = { url: `http://127.0.0.1:${port}`, key: 'k' };
  const events: ServerEvent[] = [];
  const { signal } = new AbortController();
  for await (const event of followRun({
    client: createClient(own),
    server: own,
    runId: 'r',
    signal,
  }))
    events.push(event);
  server.close();
  expect(events).toEqual([
    { event: 'progress', id: '1', data: '1' },
    { event: 'completed', id: '2', data: '2' },
  ]);
  expect(seen).toEqual([undefined, '1']);
});

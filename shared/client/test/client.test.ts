import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient } from '../client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/**
 * A service that gives one answer after the other, the last one for ever, and keeps the requests'
 * headers.
 */
async function service(...answers: Answer[]) {
  const seen: IncomingMessage['headers'][] = [];
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    paths.push(request.url);
    (answers[seen.length - 1] ?? answers.at(-1)!)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, paths };
}

const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const busy = (status: number, headers?: Record<string, string>) =>
  reply(status, { code: 'LATER', message: 'Not now.', details: {} }, headers);
const hangUp: Answer = (_request, response) => response.destroy();

const project = { name: 'p', description: '' };

describe('a client', () => {
  test('sends the key, and one Idempotency-Key with all tries of a POST', async () => {
    const { url, seen } = await service(
      busy(503, { 'retry-after': '0' }),
      hangUp,
      busy(429),
      reply(201, { id: 'x' }),
    );
    const client = createClient({ url, key: 'ak_1' });
    expect(await client.request('POST', '/projects', { body: project })).toEqual({ id: 'x' });
    expect(seen).toHaveLength(4);
    expect(new Set(seen.map((headers) => headers['idempotency-key'])).size).toBe(1);
    expect(seen[0]!['idempotency-key']).toBeTruthy();
    expect(seen[0]!.authorization).toBe('Bearer ak_1');
    await client.request('POST', '/projects', { body: project });
    expect(seen[4]!['idempotency-key']).not.toBe(seen[0]!['idempotency-key']);
  });

  test('comes back to a 409 that says when, and takes any other for an answer', async () => {
    const underWay = await service(busy(409, { 'retry-after': '0' }), reply(201, { id: 'x' }));
    expect(
      await createClient({ url: underWay.url, key: 'k' }).request('POST', '/projects', {
        body: project,
      }),
    ).toEqual({ id: 'x' });
    const taken = await service(busy(409, { 'x-should-retry': 'false' }));
    await expect(
      createClient({ url: taken.url, key: 'k' }).request('POST', '/projects', { body: project }),
    ).rejects.toThrow('409 LATER: Not now.');
    expect(taken.seen).toHaveLength(1);
  });

  test('tells in one sentence what was refused, and where', async () => {
    const details = { issues: [{ path: '/name', message: 'is required' }] };
    const { url, seen } = await service(
      reply(400, { code: 'VALIDATION_ERROR', message: 'The body is wrong.', details }),
    );
    const refused = createClient({ url, key: 'k' }).request('POST', '/projects', { body: project });
    await expect(refused).rejects.toThrow(
      'POST /projects: 400 VALIDATION_ERROR: The body is wrong. (/name: is required)',
    );
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(seen).toHaveLength(1);
  });

  test('gives up a try that takes too long, and tells what does not answer from what refuses', async () => {
    const { url, seen } = await service(() => undefined);
    const client = createClient({ url, key: 'k', patienceMs: 0, attemptTimeoutMs: 100 });
    const silent = client.request('GET', '/runs/:runId', { params: { runId: '1' } });
    await expect(silent).rejects.toMatchObject({
      status: undefined,
      code: undefined,
      reason: expect.stringContaining('no answer'),
    });
    expect(seen).toHaveLength(1);
  });

  test('gives up when its patience is over, with the last reason', async () => {
    const reasons: string[] = [];
    const { url } = await service(busy(503));
    const client = createClient({
      url,
      key: 'k',
      patienceMs: 2_000,
      onWait: (reason) => reasons.push(reason),
    });
    await expect(client.request('GET', '/runs/:runId', { params: { runId: '1' } })).rejects.toThrow(
      'GET /runs/1: 503 LATER: Not now.',
    );
    expect(reasons).toContain('503 LATER: Not now.');
  });

  test('walks a list to its end', async () => {
    const pages = [
      reply(200, { data: [1, 2], nextCursor: 'a/b' }),
      reply(200, { data: [3], nextCursor: null }),
    ];
    const { url, paths } = await service(...pages);
    const items: unknown[] = [];
    const client = createClient({ url, key: 'k' });
    const options = { params: { projectId: 'p/1' }, query: { source: 'API' } } as const;
    for await (const item of client.list('/projects/:projectId/runs', options)) items.push(item);
    expect(items).toEqual([1, 2, 3]);
    expect(paths).toEqual([
      '/projects/p%2F1/runs?source=API&limit=100',
      '/projects/p%2F1/runs?source=API&limit=100&cursor=a%2Fb',
    ]);
  });
});

test('only operations of the contracts can be asked for, with their parameters and bodies', async () => {
  const { url, seen } = await service(reply(200, { id: 'r' }));
  const client = createClient({ url, key: 'k', patienceMs: 0 });
  const { isPaused }: { isPaused: boolean } = await client.request('GET', '/runs/:runId', {
    params: { runId: 'a b' },
  });
  expect(isPaused).toBeUndefined();
  expect(seen).toHaveLength(1);
  const wrong = () => [
    // @ts-expect-error No operation has this path.
    client.request('GET', '/runs/:runId/nothing'),
    // @ts-expect-error The parameter has another name.
    client.request('GET', '/runs/:runId', { params: { id: 'a' } }),
    // @ts-expect-error The body lacks its description.
    client.request('POST', '/projects', { body: { name: 'p' } }),
  ];
  expect(wrong).toBeTypeOf('function');
});

import { request as openRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { poll } from '@assay/testing/poll';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { connectAgent } from './agent.ts';

let assay: SharedInstallation;
beforeAll(async () => {
  assay = await shareInstallation();
});

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
});

interface RawReply {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** One request to `/mcp`, with any Host. */
async function send(
  headers: Record<string, string> = {},
  { method = 'POST', body = initialize, key = assay.key as string | null } = {},
): Promise<RawReply> {
  const request = openRequest(`${assay.url}/mcp`, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
  request.end(body);
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
    request.once('response', resolve).once('error', reject),
  );
  return {
    status: response.statusCode!,
    headers: response.headers,
    body: await text(response),
  };
}

function errorOf({ body }: RawReply) {
  const reply = JSON.parse(body);
  expect(reply).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
  return reply.error;
}

describe('keys', () => {
  test('a request without a key, and one with a wrong key, is a 401 in the form of the protocol', async () => {
    for (const [key, word] of [
      [null, 'missing'],
      [`ak_${'x'.repeat(40)}`, 'invalid'],
    ] as const) {
      const reply = await send({}, { key });
      expect(reply.status).toBe(401);
      expect(reply.headers['www-authenticate']).toBe('Bearer');
      const { message, data } = errorOf(reply);
      expect(message).toContain(word);
      expect(data.code).toBe('UNAUTHORIZED');
    }
  });

  test('a cookie of the console is no key', async () => {
    const session = await fetch(`${assay.url}/v2/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${assay.key}` },
    });
    const [cookie = ''] = session.headers.getSetCookie().map((text) => text.split(';')[0]!);
    const reply = await send({ cookie, origin: assay.url }, { key: null });
    expect(reply.status).toBe(401);
  });

  test('a key that is revoked ends an agent that is at work', async () => {
    const { body: made } = await assay.call('POST', '/api-keys', { name: 'Agent' });
    await using agent = await connectAgent({ url: assay.url, key: made.key });
    await agent.call('overview');
    await assay.call('DELETE', `/api-keys/${made.id}`);
    await poll('the key is refused', () =>
      agent.call('overview').then(
        () => false,
        (error: Error) => /invalid/.test(error.message),
      ),
    );
  });
});

describe('sites', () => {
  test('a page of another site is refused, also when its name leads here', async () => {
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'http://evil.example', host: 'evil.example' },
      { host: 'evil.example:4400' },
      { origin: 'null' },
    ];
    for (const headers of foreign) {
      const reply = await send(headers);
      expect(reply.status, JSON.stringify(headers)).toBe(403);
      expect(errorOf(reply).data.code).toBe('FORBIDDEN');
    }
  });

  test('pages of this machine and programs without an origin are served', async () => {
    const known: Record<string, string>[] = [
      {},
      { origin: 'http://localhost:6274' },
      { host: 'localhost:4400' },
    ];
    for (const headers of known)
      expect((await send(headers)).status, JSON.stringify(headers)).toBe(200);
  });
});

describe('messages', () => {
  test('a message over 256 KiB is refused before it is read', async () => {
    const reply = await send({}, { body: ' '.repeat(256 * 1024 + 1) });
    expect(reply.status).toBe(413);
    expect(errorOf(reply).data.code).toBe('PAYLOAD_TOO_LARGE');
  });

  test('there is no stream to listen to, since nothing is kept between two messages', async () => {
    for (const method of ['GET', 'DELETE']) {
      const reply = await send({}, { method, body: '' });
      expect(reply.status).toBe(405);
      expect(reply.headers.allow).toBe('POST');
    }
  });

  test('what is no message is refused in the form of the protocol', async () => {
    for (const body of ['', '{', '[]', '{"jsonrpc":"1.0"}', `${'['.repeat(50_000)}`]) {
      const reply = await send({}, { body });
      expect(reply.status, body.slice(0, 20)).toBe(400);
      expect(JSON.parse(reply.body)).toMatchObject({ jsonrpc: '2.0' });
    }
  });

  test('a wrong argument is answered by a sentence that names it', async () => {
    await using agent = await connectAgent(assay);
    const wrong: [string, object, string][] = [
      ['run_status', {}, 'runId'],
      ['list_records', { runId: 'x', limit: 1000 }, 'limit'],
      ['list_records', { runId: crypto.randomUUID(), outcome: 'fail' }, 'metric'],
      ['get_record', { recordId: 'x', at: 'answer' }, 'at'],
      ['get_record', { recordId: 'x', surprise: true }, 'surprise'],
      ['create_testcases', { testsetId: 'x', items: [{ jsonData: 3 }] }, 'items'],
      ['save_metric', {}, 'metricId'],
      ['annotate_record', { recordId: 'x' }, 'comment'],
    ];
    for (const [name, args, place] of wrong) {
      const said = await agent.fails(name, args as never).catch((error: Error) => error.message);
      expect(said, name).toContain(place);
      expect(said, name).not.toMatch(/\bat .*\.(ts|js|mjs):\d/);
    }
  });

  test('ids lead nowhere but to what they name', async () => {
    await using agent = await connectAgent(assay);
    for (const runId of ['../organization', '..%2f..%2fme', '%00', '?a=b', 'a/b', '#', 'é'])
      expect(await agent.fails('run_status', { runId }), runId).toMatch(/^There is no run <data/);
  });

  test('two agents at once get the answers to their own questions', async () => {
    const { key } = await assay.newOrganization('Another organization');
    await using one = await connectAgent(assay);
    await using other = await connectAgent({ url: assay.url, key });
    const asked = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 ? one : other).call('overview')),
    );
    for (const [index, { organization }] of asked.entries())
      expect(organization).toBe(index % 2 ? 'My organization' : 'Another organization');
  });
});

import { hashOf } from '@assay/runtime/api-key';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, headOf } from './connection.ts';
import { announce, type Setting, startSetting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await startSetting();
  setting.service.behave((request, response) => {
    request.resume();
    if (request.url!.endsWith('/events'))
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: progress\n\n');
    else if (request.url!.endsWith('/bulk'))
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{}\n');
  });
});
afterAll(() => setting.stop());

function revoke(key: string): void {
  setting.identity.revoke(key);
  announce(setting.world.bus, 'keyRevoked', { keyHash: hashOf(key) });
}

/** Opens a stream of events, an upload, and a request that is never answered, with one key. */
function open(key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
  const [events, upload, waiting] = [
    connect(setting.gateway.url),
    connect(setting.gateway.url),
    connect(setting.gateway.url),
  ];
  events.write(headOf('GET', '/runs/r/events', headers));
  upload.write(
    headOf('POST', '/runs/r/records/bulk', { ...headers, 'transfer-encoding': 'chunked' }),
  );
  upload.write('1\r\n{\r\n');
  waiting.write(headOf('GET', '/runs/r', headers));
  return { events, upload, waiting };
}

async function areOpen({ events, upload }: ReturnType<typeof open>): Promise<void> {
  expect((await events.reply()).status).toBe(200);
  expect((await upload.reply()).status).toBe(200);
}

async function haveEnded({ events, upload, waiting }: ReturnType<typeof open>): Promise<void> {
  await poll('the stream and the upload end', () => events.isClosed() && upload.isClosed());
  const reply = await waiting.reply();
  expect([reply.status, JSON.parse(reply.text).code]).toEqual([401, 'UNAUTHORIZED']);
  waiting.vanish();
}

test('a revoked key ends its streams, uploads and requests that are open, and no others', async () => {
  const [revoked, other] = [setting.identity.key(), setting.identity.key()];
  const [ending, staying] = [open(revoked), open(other)];
  await areOpen(ending);
  await areOpen(staying);
  revoke(revoked);
  await haveEnded(ending);
  expect([staying.events.isClosed(), staying.upload.isClosed()]).toEqual([false, false]);
  for (const client of Object.values(staying)) client.vanish();
});

test('a key that expires ends what it has open', async () => {
  const opened = open(setting.identity.key({ expiresAtMs: Date.now() + 1500 }));
  await areOpen(opened);
  await haveEnded(opened);
});

test('a member who loses the role that a key was used with ends what is open', async () => {
  const key = setting.identity.key({ userId: 'demoted', role: 'admin' });
  const opened = open(key);
  await areOpen(opened);
  setting.identity.revoke(key);
  announce(setting.world.bus, 'memberChanged', { userId: 'demoted' });
  await haveEnded(opened);
});

test.each([
  ['without a Host', 'GET /v2/projects HTTP/1.1\r\n\r\n'],
  [
    'with an expectation that nobody can meet',
    'GET /v2/projects HTTP/1.1\r\nhost: test\r\nexpect: banana\r\n\r\n',
  ],
])('a request %s is a 400 in the shape of all failures', async (_name, text) => {
  const client = connect(setting.gateway.url);
  client.write(text);
  const reply = await client.reply();
  expect([reply.status, JSON.parse(reply.text)]).toMatchObject([
    400,
    { code: 'VALIDATION_ERROR', details: {} },
  ]);
  client.vanish();
});

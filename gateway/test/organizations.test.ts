import { poll } from '@assay/testing/poll';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connect, headOf } from './connection.ts';
import { echo, type Listener, type Setting, startSetting } from './setting.ts';

/** One organization does what it likes; another goes on as if it were alone. */
const roomMax = 64;
let setting: Setting;
let greedy: string;
let modest: string;
const kept: Parameters<Listener>[] = [];
const keep: Listener = (request, response) => {
  request.resume();
  kept.push([request, response]);
};

beforeAll(async () => {
  setting = await startSetting({
    WAITING_REQUESTS_MAX: roomMax,
    // Bodies that stop are kept for as long as the test takes to send hundreds of them.
    BODY_SILENCE_MS: 300_000,
    // Beside others an upload that does not end has a turn of so long, and the next one waits for it.
    EXPENSIVE_TURN_MS: 10,
  });
  greedy = setting.identity.key();
  modest = setting.identity.key();
});
afterAll(() => setting.stop());
afterEach(() => {
  setting.service.behave(echo);
  for (const [, response] of kept.splice(0)) response.end('{}');
});

const bearer = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
});
const send = async (key: string, method: string, path: string, body?: string | Buffer) =>
  (await setting.send(method, path, { headers: bearer(key), ...(body ? { body } : {}) })).status;

test('an organization whose bodies stop half way keeps no other from writing', async () => {
  const bodyBytes = 256 * 1024;
  const stopHalfWay = () => {
    const client = connect(setting.gateway.url);
    client.write(headOf('POST', '/projects', { ...bearer(greedy), 'content-length': bodyBytes }));
    client.write(Buffer.alloc(bodyBytes - 1, 0x20));
    return client;
  };
  const clients = Array.from({ length: 560 }, stopHalfWay);
  await poll('its own bodies are refused', async () => {
    if ((await send(greedy, 'POST', '/projects', Buffer.alloc(bodyBytes))) === 503) return true;
    clients.push(stopHalfWay());
    return false;
  });
  for (let count = 0; count < 20; count++)
    expect(await send(modest, 'POST', '/projects', Buffer.alloc(bodyBytes))).toBe(200);
  for (const client of clients) client.vanish();
});

test('an organization that has all uploads open which it may keeps no other from uploading', async () => {
  setting.service.behave(keep);
  const upload = (key: string) => {
    const client = connect(setting.gateway.url);
    client.write(
      headOf('POST', '/runs/r/records/bulk', { ...bearer(key), 'transfer-encoding': 'chunked' }),
    );
    client.write('1\r\n{\r\n');
    return client;
  };
  const clients = Array.from({ length: roomMax }, () => upload(greedy));
  await poll('its uploads are open', () => kept.length === roomMax);
  expect((await upload(greedy).reply()).status).toBe(503);
  setting.service.behave(echo);
  for (let count = 0; count < 5; count++) {
    const client = upload(modest);
    client.write('0\r\n\r\n');
    expect((await client.reply()).status).toBe(200);
  }
  for (const client of clients) client.vanish();
});

test('an organization whose requests all wait keeps no other waiting', async () => {
  setting.service.behave(keep);
  const replies = Array.from({ length: roomMax }, () => send(greedy, 'GET', '/runs/r'));
  await poll('they wait', () => kept.length === roomMax);
  expect(await send(greedy, 'GET', '/runs/r')).toBe(503);
  setting.service.behave(echo);
  for (let count = 0; count < 20; count++) expect(await send(modest, 'GET', '/runs/r')).toBe(200);
  for (const [, response] of kept.splice(0)) response.end('{}');
  expect(new Set(await Promise.all(replies))).toEqual(new Set([200]));
});

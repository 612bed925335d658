import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Setting, startSetting } from './setting.ts';

/** Of Node, for each request that arrives at a server of this process. */
const arrivals = 'http.server.request.start';

let setting: Setting;
beforeAll(async () => {
  setting = await startSetting();
});
afterAll(() => setting.stop());

/** Begins an upload to the gateway, and returns it as the gateway sees it. */
async function beginUpload() {
  const arrived: IncomingMessage[] = [];
  const note = (message: unknown) =>
    arrived.push((message as { request: IncomingMessage }).request);
  subscribe(arrivals, note);
  const { hostname, port } = new URL(setting.gateway.url);
  const client = connect(Number(port), hostname);
  client.on('error', () => undefined).resume();
  client.write(
    `POST /v2/projects HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${setting.key}\r\n` +
      'transfer-encoding: chunked\r\ncontent-type: application/json\r\n\r\n4\r\n{"a"\r\n',
  );
  const request = await poll('the upload arrives', async () =>
    arrived.find(({ url, headers }) => url === '/v2/projects' && headers.host === 'a'),
  );
  unsubscribe(arrivals, note);
  return { request, client };
}

describe('a client that goes away', () => {
  // Node asks whether anybody listens when the connection closes, and tells of the error a turn
  // later: without a listener that stays, the process would end where the others have left
  // meanwhile.
  test('is heard of to the end of its request, so that it ends no process', async () => {
    const reached = new Promise<ServerResponse>((resolve) => {
      setting.service.behave((request, response) => {
        request.resume();
        resolve(response);
      });
    });
    const { request, client } = await beginUpload();
    const response = await reached;
    await poll('the gateway reads the body', async () => request.listenerCount('data') > 0);
    const reading = request.listenerCount('error');
    response.writeHead(409).end('{}');
    await poll('the gateway drops the body', async () => request.listenerCount('error') < reading);
    expect(request.listenerCount('error')).toBeGreaterThan(0);
    client.destroy();
  });
});

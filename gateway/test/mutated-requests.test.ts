import { poll } from '@assay/testing/poll';
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  nat,
  oneof,
  record,
  uint8Array,
} from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from './connection.ts';
import { type Setting, startSetting } from './setting.ts';

let setting: Setting;
let underWay = 0;
beforeAll(async () => {
  setting = await startSetting();
  setting.service.behave((request, response) => {
    underWay += 1;
    request.resume();
    request.once('end', () => response.end('{}'));
    response.once('close', () => {
      underWay -= 1;
    });
  });
});
afterAll(() => setting.stop());

/** Requests of every kind of body; each closes its connection when it is answered. */
function sane(index: number): Buffer {
  const headers = `host: test\r\nauthorization: Bearer ${setting.key}\r\nconnection: close\r\n`;
  const requests = [
    `GET /v2/projects?limit=5&cursor=%2F HTTP/1.1\r\n${headers}x-request-id: r\r\naccept: */*\r\n\r\n`,
    `POST /v2/projects HTTP/1.1\r\n${headers}content-type: application/json\r\nidempotency-key: k\r\ncontent-length: 12\r\n\r\n{"name":"x"}`,
    `POST /v2/projects HTTP/1.1\r\n${headers}transfer-encoding: chunked\r\n\r\n2;a=b\r\n{ \r\n00a\r\n"name":""}\r\n0\r\nx: y\r\n\r\n`,
    `POST /v2/runs/r/records/bulk HTTP/1.1\r\n${headers}content-type: application/x-ndjson\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n{}\n`,
    `PUT /v2/attachments/a/content?upload=1 HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n\x1f\x8b`,
  ];
  return Buffer.from(requests[index % requests.length]!, 'latin1');
}

interface Mutation {
  at: number;
  length: number;
  bytes: Uint8Array;
}

/** Some bytes in the place of some others: so many, from here. */
const mutation = record({
  at: nat(400),
  length: oneof(constantFrom(0, 1), nat(40)),
  bytes: oneof(
    uint8Array({ maxLength: 4 }),
    constantFrom(
      ...['\r', '\n', '\0', ' ', ':', ',', '-', '0', 'f', '\r\n\r\n'].map((text) =>
        Buffer.from(text),
      ),
    ),
  ),
});

function mutated(request: Buffer, { at, length, bytes }: Mutation): Buffer {
  const start = at % request.length;
  return Buffer.concat([request.subarray(0, start), bytes, request.subarray(start + length)]);
}

/** Sends them all at once, each over a connection of its own, and gives all that came back. */
async function sendAll(requests: Buffer[]): Promise<string[]> {
  const clients = requests.map((request) => {
    const client = connect(setting.gateway.url);
    client.write(request);
    return client;
  });
  expect((await setting.send('GET', '/projects')).status).toBe(200);
  await poll('no service is busy', () => underWay === 0);
  // What is not whole ends here. An answer that is on its way may be lost, and so may a fault: the
  // other requests show it.
  for (const client of clients) client.finish();
  await poll('every connection is closed', () => clients.every((client) => client.isClosed()));
  return clients.map((client) => client.allBytes());
}

test('a request of which any bytes were changed never is a 5xx, a hang, or the end of the gateway', async () => {
  const batch = array(array(mutation, { minLength: 1, maxLength: 3 }), {
    minLength: 40,
    maxLength: 40,
  });
  const property = asyncProperty(batch, async (mutations) => {
    const requests = mutations.map((changes, index) => changes.reduce(mutated, sane(index)));
    const statuses = (await sendAll(requests)).flatMap((text) =>
      [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1])),
    );
    expect(statuses.length).toBeGreaterThan(0);
    for (const status of statuses) expect(status).toBeLessThan(500);
  });
  await assert(property, { numRuns: 20, seed: 1, endOnFailure: true });
});

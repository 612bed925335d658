import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@assay/runtime/ids';
import { poll } from '@assay/testing/poll';
import { startWorld } from '@assay/testing/world';
import { expect, test } from 'vitest';
import { start } from '../src/service.ts';

const [runId, metricVersionId] = [newId(), newId()];
const metric = {
  ...{
    metricVersionId,
    metricId: newId(),
    name: 'm',
    evalType: 'heuristic',
    outputType: 'boolean',
    passingThreshold: null,
  },
  ...{ isScoredByService: false, evalModelName: null, annotators: 1 },
};
const run = { id: runId, projectId: newId(), testsetId: null, metrics: [metric], changes: 1 };
const line = () =>
  `${JSON.stringify({ id: newId(), testcaseId: null, awaited: [], failed: [], ratings: [{ metricVersionId, userId: 'u', source: 'human', value: true }] })}\n`;

/**
 * Results, with a run-records that answers with the one run, and with its values as `stream` does.
 */
async function startResults(stream: (response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/internal/runs')
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ runs: [run] }));
    else stream(response.setHeader('content-type', 'application/x-ndjson'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world = await startWorld({
    services: { results: start },
    config: { RUN_RECORDS_URL: url },
  });
  const stop = async () => {
    await world.stop();
    server.closeAllConnections();
    server.close();
  };
  return { request: world.request, [Symbol.asyncDispose]: stop };
}

test('values that come whole are summarized', async () => {
  await using results = await startResults((response) => response.end(line() + line()));
  const { status, body } = await results.request('GET', `/runs/${runId}/summary`);
  expect([status, body.metrics[0].count]).toEqual([200, 2]);
});

test.each<[string, (response: ServerResponse) => void]>([
  ['whose connection is cut', (response) => void response.write(line(), () => response.destroy())],
  [
    'that end in the middle of a line',
    (response) => void response.end(line() + line().slice(0, 40)),
  ],
  ['that are no JSON', (response) => void response.end('<html>\n')],
])('values %s make no summary, but a 503', async (_what, stream) => {
  await using results = await startResults(stream);
  const { status, body } = await results.request('GET', `/runs/${runId}/summary`);
  expect([status, body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
});

test('a failure of run-records is passed on', async () => {
  const failure = {
    code: 'SERVICE_UNAVAILABLE',
    message: 'The database does not answer.',
    details: {},
  };
  await using results = await startResults(
    (response) => void response.writeHead(503).end(JSON.stringify(failure)),
  );
  const { status, body } = await results.request('GET', `/runs/${runId}/summary`);
  expect([status, body.message]).toEqual([503, failure.message]);
});

test('nothing more is read when the client has gone', async () => {
  let reading = false;
  let closed = false;
  await using results = await startResults((response) => {
    const writing = setInterval(() => response.write(line()), 5);
    reading = true;
    response.once('close', () => {
      clearInterval(writing);
      closed = true;
    });
  });
  const leaving = new AbortController();
  const asked = results
    .request('GET', `/runs/${runId}/summary`, undefined, { signal: leaving.signal })
    .catch(() => undefined);
  await poll('run-records is read from', async () => reading);
  leaving.abort();
  await asked;
  await poll('the reading has ended', async () => closed);
});

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { poll, pollAtMost } from '@assay/testing/poll';
import { expect, test } from 'vitest';
import { createApplication, listen } from '../../http/application.ts';

/** Less than the minute for which a server keeps an idle connection. */
const keptMs = 30_000;

test('a stream that ends when its service stops leaves no connection that the stop would wait for', async () => {
  const app = createApplication({ fail: (_request, reply) => void reply.code(500).send() });
  const stream = new PassThrough();
  app.get('/events', (_request, reply) => reply.type('text/event-stream').send(stream));
  const url = await listen(app, { host: '127.0.0.1', port: 0 });
  // As the gateway does, which asks again over the same connection.
  const agent = new Agent({ keepAlive: true });
  const asked = request(`${url}/events`, { agent }).end();
  stream.write('one\n');
  const [response] = (await once(asked, 'response')) as [IncomingMessage];

  let isStopped = false;
  const stopping = app.close().then(() => {
    isStopped = true;
  });
  await poll('it takes no new connection', () => !app.server.listening);
  stream.end('two\n');
  expect(await text(response)).toBe('one\ntwo\n');
  await pollAtMost(keptMs, 'the service has stopped', () => isStopped);
  await stopping;
  agent.destroy();
});

test('a connection that has brought no request, as a browser opens one in advance, does not hold up a stop', async () => {
  const app = createApplication({ fail: (_request, reply) => void reply.code(500).send() });
  const url = await listen(app, { host: '127.0.0.1', port: 0 });
  const silent = connect(Number(new URL(url).port), '127.0.0.1');
  const [accepted] = await Promise.all([once(app.server, 'connection'), once(silent, 'connect')]);
  expect(accepted).toHaveLength(1);
  let isStopped = false;
  const stopping = app.close().then(() => {
    isStopped = true;
  });
  await pollAtMost(keptMs, 'the service has stopped', () => isStopped);
  await stopping;
  silent.destroy();
});

import { expect, onTestFinished, test } from 'vitest';
import { createApplication, listen } from '../../http/application.ts';
import { failureReply, toFailure } from '../../http/failures.ts';
import { answerHealth, createReadiness } from '../../http/health.ts';
import { send } from '../../http/reply.ts';
import { createMetrics } from '../../metrics.ts';

async function startProbed() {
  const app = createApplication({
    fail: (request, reply, error) => send(reply, failureReply(toFailure(error, request))),
  });
  const readiness = createReadiness();
  const metrics = createMetrics({ service: 'probed', revision: 'unknown' });
  const problem = 'It is away.';
  const dependencies = { here: async () => undefined, there: async () => problem };
  answerHealth(app, { readiness, dependencies, metrics });
  const url = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const probe = async (path: string) => {
    const reply = await fetch(`${url}${path}`);
    return { status: reply.status, body: (await reply.json()) as { message?: string } };
  };
  return { readiness, metrics, probe };
}

test('a process is ready between its start and the moment in which it is told to stop, and alive all the time', async () => {
  const { readiness, probe } = await startProbed();
  const states: [string | undefined, number, string | undefined][] = [
    [undefined, 503, 'The process is starting.'],
    ['migrating', 503, 'The process is migrating its data.'],
    ['ready', 200, undefined],
    ['stopping', 503, 'The process is stopping.'],
    // Its start ends only afterwards.
    ['ready', 503, 'The process is stopping.'],
  ];
  for (const [phase, status, message] of states) {
    if (phase) readiness.become(phase as never);
    const ready = await probe('/readyz');
    expect([ready.status, ready.body.message]).toEqual([status, message]);
    expect((await probe('/livez')).status).toBe(200);
  }
});

test('a dependency that is away is told and measured, and leaves the process ready', async () => {
  const { readiness, metrics, probe } = await startProbed();
  readiness.become('ready');
  expect(await probe('/healthz/dependencies')).toEqual({
    status: 503,
    body: {
      dependencies: [
        { name: 'here', problem: null },
        { name: 'there', problem: 'It is away.' },
      ],
    },
  });
  expect((await probe('/readyz')).status).toBe(200);
  const text = await metrics.text();
  expect(text).toContain('assay_dependency_up{dependency="here",service="probed"} 1');
  expect(text).toContain('assay_dependency_up{dependency="there",service="probed"} 0');
});

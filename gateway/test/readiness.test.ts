import { poll } from '@assay/testing/poll';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeService, startSetting } from './setting.ts';

/** A gateway whose sessions may come and go; `asked` counts what reaches them. */
async function startWithSessions() {
  const sessions = await startFakeService();
  const port = Number(new URL(sessions.url).port);
  await sessions.stop();
  const setting = await startSetting({ SESSIONS_URL: sessions.url });
  onTestFinished(() => setting.stop());
  const get = async (path: string) => {
    const reply = await fetch(`${setting.gateway.url}${path}`);
    return { status: reply.status, text: await reply.text() };
  };
  const startSessions = async () => {
    const started = await startFakeService(port);
    const counted = { ...started, asked: 0 };
    started.behave((_request, response) => {
      counted.asked += 1;
      response.writeHead(200).end('{}');
    });
    return counted;
  };
  return { setting, get, dependencies: () => get('/healthz/dependencies'), startSessions };
}

const missing = { name: 'sessions', problem: 'No process of it is ready.' };
const problemsIn = (text: string) =>
  JSON.parse(text).dependencies.filter(({ problem }: { problem: unknown }) => problem !== null);

test('a gateway is ready when it serves, whatever its services do; /healthz/dependencies and a gauge name one that is missing', async () => {
  const { setting, get, dependencies, startSessions } = await startWithSessions();
  expect(await get('/readyz')).toEqual({ status: 200, text: '{"status":"ready"}' });
  const without = await dependencies();
  expect([without.status, problemsIn(without.text)]).toEqual([503, [missing]]);
  expect(without.text).not.toMatch(/http|127\.0\.0\.1/);
  expect((await get('/metrics')).text).toMatch(
    /^assay_dependency_up\{dependency="sessions",service="gateway"\} 0$/m,
  );
  expect((await setting.send('GET', '/projects')).status).toBe(200);

  const sessions = await startSessions();
  onTestFinished(() => sessions.stop());
  const whole = await poll('all are there', async () => {
    const reply = await dependencies();
    return reply.status === 200 && reply;
  });
  expect(problemsIn(whole.text)).toEqual([]);
  expect((await get('/metrics')).text).toMatch(
    /^assay_dependency_up\{dependency="sessions",service="gateway"\} 1$/m,
  );
});

test('a flood of questions for dependencies asks a service once a second', async () => {
  const { dependencies, startSessions } = await startWithSessions();
  const sessions = await startSessions();
  onTestFinished(() => sessions.stop());
  const startedAt = performance.now();
  for (let round = 0; round < 20; round++)
    await Promise.all(Array.from({ length: 20 }, dependencies));
  expect(sessions.asked).toBeGreaterThan(0);
  expect(sessions.asked).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - startedAt) / 1000));
});

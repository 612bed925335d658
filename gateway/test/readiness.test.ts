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
  const probe = async () => {
    const reply = await fetch(`${setting.gateway.url}/readyz`);
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
  return { setting, probe, startSessions };
}

test('a gateway that was just started is not ready before every service has answered; then one that is missing is only named', async () => {
  const { setting, probe, startSessions } = await startWithSessions();
  const waiting = await poll('all others have answered', async () => {
    const { status, text } = await probe();
    expect(status).toBe(503);
    expect(text).not.toMatch(/http|127\.0\.0\.1/);
    return JSON.parse(text).details.missing.length === 1 && text;
  });
  expect(JSON.parse(waiting)).toEqual({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The gateway was just started and waits for services.',
    details: { missing: ['sessions'] },
  });
  const sessions = await startSessions();
  await poll('all are there', async () => (await probe()).text === '{"status":"ready"}');
  await sessions.stop();
  const later = await poll('one is missing', async () => {
    const { status, text } = await probe();
    return text.includes('missing') && { status, text };
  });
  expect(later).toEqual({ status: 200, text: '{"status":"ready","missing":["sessions"]}' });
  expect((await setting.send('GET', '/projects')).status).toBe(200);
});

test('a flood of probes asks a service once a second', async () => {
  const { probe, startSessions } = await startWithSessions();
  const sessions = await startSessions();
  onTestFinished(() => sessions.stop());
  const startedAt = performance.now();
  for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 20 }, probe));
  expect(sessions.asked).toBeGreaterThan(0);
  expect(sessions.asked).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - startedAt) / 1000));
});

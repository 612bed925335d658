import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { keepAdminKey } from '@assay/local/organization';
import { createLog } from '@assay/runtime/log';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { expect, onTestFinished, test } from 'vitest';
import { callAt } from './installation.ts';
import { environmentOf, type ServiceProcess, startProcess } from './processes.ts';

/** What a process proves itself with: the one secret of 0.2.0, keys beside it, and keys alone. */
const steps = ['secret', 'both', 'keys'] as const;
type Step = (typeof steps)[number];

test('every process goes from the one secret to keys of its own, one after the other, without one failed request', async () => {
  const config = testConfig();
  onTestFinished(() => dropData(config));
  const folder = await mkdtemp(join(tmpdir(), 'assay-new-keys-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const secret = randomUUID() + randomUUID();
  const nobody = Object.fromEntries(
    serviceNames.map((name) => [urlVariable(name), 'http://127.0.0.1:1']),
  );
  const urls: Record<string, string> = {};
  const start = (name: string, step: Step, more: Record<string, string> = {}) =>
    startProcess(name, {
      ...environmentOf(config, name),
      ...nobody,
      ...urls,
      ...(step === 'keys' ? {} : { ASSAY_SECRET: secret }),
      ...(step === 'secret' ? { ASSAY_KEYS_FOLDER: '' } : {}),
      ...more,
    });
  const replicas: { name: string; running: ServiceProcess }[] = [];
  onTestFinished(async () => {
    await Promise.all(replicas.map(({ running }) => running.stop()));
  });
  for (const name of ['identity', 'catalog', 'gateway']) {
    const pair = await Promise.all([start(name, 'secret'), start(name, 'secret')]);
    replicas.push(...pair.map((running) => ({ name, running })));
    if (name !== 'gateway')
      urls[urlVariable(name as 'catalog')] = pair.map(({ url }) => url).join(',');
  }
  const log = createLog({ name: 'test', level: 'silent' });
  const { key } = await keepAdminKey({ folder, config, log });

  // A gateway that stops gets no more requests, as whoever balances the load would see to.
  let away: string | undefined;
  const underWay: string[] = [];
  const failures: unknown[] = [];
  let [sent, isOver] = [0, false];
  async function send(method: string, path: string, body?: unknown) {
    const gateways = replicas.filter(
      ({ name, running: { url } }) => name === 'gateway' && url !== away,
    );
    const { url } = gateways[sent++ % gateways.length]!.running;
    underWay.push(url);
    try {
      // Without a key, a write that a process took with it is not sent to another.
      const headers: Record<string, string> =
        method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
      const reply = await callAt(url, key)(method, path, body, { headers });
      if (reply.status >= 300) failures.push([method, path, reply.status, reply.text]);
      return reply.body;
    } finally {
      underWay.splice(underWay.indexOf(url), 1);
    }
  }
  async function load(): Promise<void> {
    while (!isOver) {
      const { id } = await send('POST', '/projects', { name: 'p', description: '' });
      await send('GET', `/projects/${id}`);
    }
  }
  const loads = Array.from({ length: 3 }, () => load().catch((error) => failures.push(error)));

  const replace = async (replica: (typeof replicas)[number], step: Step) => {
    const { url } = replica.running;
    if (replica.name === 'gateway') away = url;
    await poll('nothing is under way there', () => !underWay.includes(url));
    await replica.running.stop();
    replica.running = await start(replica.name, step, { PORT: new URL(url).port });
    away = undefined;
  };
  // The gateways first: one of 0.2.0 does not ask another process while one migrates.
  const inOrder = [...replicas].reverse();
  for (const step of steps.slice(1)) for (const replica of inOrder) await replace(replica, step);
  const sentBefore = sent;
  await poll('requests went on', () => sent > sentBefore + 20 || failures.length > 0);
  isOver = true;
  await Promise.all(loads);
  const complaints = replicas.flatMap(({ running }) => running.complaints).join('\n');
  expect(failures, complaints).toEqual([]);
  expect(complaints).not.toContain('ASSAY_SECRET');
});

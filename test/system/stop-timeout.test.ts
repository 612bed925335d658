import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { start as startCatalog } from '@assay/catalog/service';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { start as startIdentity } from '@assay/identity/service';
import { keepAdminKey } from '@assay/local/organization';
import { start as startMetrics } from '@assay/metrics/service';
import { createLog } from '@assay/runtime/log';
import { start as startSystems } from '@assay/systems/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { callAt } from './installation.ts';
import { environmentOf, type ServiceProcess, startProcess } from './processes.ts';

let folder: string;
let world: World;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-stopping-'));
  const services = {
    identity: startIdentity,
    catalog: startCatalog,
    systems: startSystems,
    metrics: startMetrics,
  };
  world = await startWorld({ services: services as never });
  const log = createLog({ name: 'test', level: 'silent' });
  ({ key } = await keepAdminKey({ folder, config: world.config, log }));
});

afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true });
});

/** A process of run-records and a gateway of its own, which may take this long to stop. */
async function startPair(stopTimeoutMs: number) {
  const STOP_TIMEOUT_MS = String(stopTimeoutMs);
  const start = (name: string, more: Record<string, string> = {}) =>
    startProcess(name, { ...environmentOf(world.config, name), ...more, STOP_TIMEOUT_MS });
  const runRecords = await start('run-records');
  const urls = { ...world.urls, 'run-records': runRecords.url } as Record<string, string>;
  const gateway = await start(
    'gateway',
    Object.fromEntries(
      serviceNames.map((name) => [urlVariable(name), urls[name] ?? 'http://127.0.0.1:1']),
    ),
  );
  onTestFinished(() => Promise.all([gateway.kill(), runRecords.kill()]).then(() => undefined));
  return { runRecords, gateway };
}

/** Uploads a record each tenth of a second, until it is told to end; `answers` has their statuses. */
async function startSlowUpload(gateway: ServiceProcess) {
  const call = callAt(gateway.url, key);
  const { body: project } = await call('POST', '/projects', { name: 'p', description: '' });
  const { body: run } = await call('POST', `/projects/${project.id}/runs`, { metricIds: [] });
  const upload = { sent: 0, answers: [] as number[], goesOn: true };
  async function* lines() {
    while (upload.goesOn) {
      upload.sent += 1;
      yield `${JSON.stringify({ inputs: { at: upload.sent }, expected: {}, outputs: {} })}\n`;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
  const sending = request(`${gateway.url}/v2/runs/${run.id}/records/bulk`, {
    method: 'POST',
    headers,
  });
  const ended = new Promise<'whole' | 'broken'>((resolve) => {
    sending.on('error', () => resolve('broken'));
    sending.once('response', (response) => {
      const read = createInterface({ input: response });
      read.on('line', (line) => upload.answers.push(JSON.parse(line).status));
      read.once('close', () => resolve('whole'));
      read.on('error', () => resolve('broken'));
      // While the body goes on, a reply whose connection ends has no error yet.
      response.socket.once('end', () => {
        if (!response.complete) resolve('broken');
      });
    });
  });
  Readable.from(lines()).pipe(sending);
  onTestFinished(() => {
    upload.goesOn = false;
    sending.destroy();
  });
  await poll('some are stored', () => upload.answers.length > 3);
  return { upload, ended };
}

/** Longer than a process takes to stop where nothing is said. */
const longerThanDefaultMs = 11_000;

test('an upload that is under way when gateway and service are told to stop is finished within STOP_TIMEOUT_MS', async () => {
  const { runRecords, gateway } = await startPair(300_000);
  const { upload, ended } = await startSlowUpload(gateway);
  const toldAt = performance.now();
  const stopping = [gateway.stop(), runRecords.stop()];
  await poll(
    'the time of the default is over',
    () => performance.now() - toldAt > longerThanDefaultMs,
  );
  upload.goesOn = false;
  expect(await ended).toBe('whole');
  await Promise.all(stopping);
  expect(upload.answers).toEqual(Array.from({ length: upload.sent }, () => 201));
  expect([gateway.exitCode(), runRecords.exitCode()]).toEqual([0, 0]);
});

test('what takes longer than STOP_TIMEOUT_MS is cut, and the process ends', async () => {
  const { runRecords, gateway } = await startPair(500);
  const { ended } = await startSlowUpload(gateway);
  const toldAt = performance.now();
  await gateway.stop();
  expect(performance.now() - toldAt).toBeLessThan(longerThanDefaultMs);
  expect(gateway.exitCode()).toBe(1);
  expect(await ended).toBe('broken');
  await runRecords.stop();
});

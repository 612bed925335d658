import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start as startCatalog } from '@assay/catalog/service';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { start as startGateway } from '@assay/gateway/gateway';
import { start as startIdentity } from '@assay/identity/service';
import { keepAdminKey } from '@assay/local/organization';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { createLog } from '@assay/runtime/log';
import { start as startSystems } from '@assay/systems/service';
import { testConfig } from '@assay/testing/config';
import { poll } from '@assay/testing/poll';
import { startTcpProxy } from '@assay/testing/tcp-proxy';
import { startWorld } from '@assay/testing/world';
import { expect, onTestFinished, test } from 'vitest';
import { callAt } from './installation.ts';

/** Some services with a gateway, whose way to NATS can be cut. */
async function startBehindProxy() {
  const nats = new URL(testConfig().NATS_URL[0]!);
  const proxy = await startTcpProxy(nats.href);
  const { host } = nats;
  const through = nats.href.replace(host, `127.0.0.1:${proxy.port}`);
  const services = {
    identity: startIdentity,
    catalog: startCatalog,
    systems: startSystems,
    metrics: startMetrics,
    'run-records': startRunRecords,
  };
  const world = await startWorld({
    services: services as never,
    config: { NATS_URL: [through] },
  });
  const urls = Object.fromEntries(
    serviceNames.map((name) => [urlVariable(name), world.urls[name] ?? 'http://127.0.0.1:1']),
  );
  const gateway = await startGateway({ ...world.config, ...urls } as never);
  const folder = await mkdtemp(join(tmpdir(), 'assay-away-bus-'));
  const log = createLog({ name: 'test', level: 'silent' });
  const { key } = await keepAdminKey({ folder, config: world.config, log });
  onTestFinished(async () => {
    proxy.heal();
    await gateway.stop();
    await world.stop();
    await proxy.close();
    await rm(folder, { recursive: true });
  });
  return { proxy, gateway, urls: [gateway.url, ...Object.values(world.urls)], key };
}

async function get(url: string) {
  const reply = await fetch(url);
  return { status: reply.status, text: await reply.text() };
}

test('while NATS is away every process stays ready and what needs no question goes on; dependencies and gauges tell', async () => {
  const { proxy, gateway, urls, key } = await startBehindProxy();
  const call = callAt(gateway.url, key);
  const { body: project } = await call('POST', '/projects', { name: 'p', description: '' });
  const { body: run } = await call('POST', `/projects/${project.id}/runs`, { metricIds: [] });
  const record = { inputs: {}, expected: {}, outputs: {} };
  expect((await call('POST', `/runs/${run.id}/records`, record)).status).toBe(201);

  proxy.disturb({ kind: 'refuse' });
  proxy.end('cut');
  for (const url of urls) {
    const told = await poll('the process notices', async () => {
      const reply = await get(`${url}/healthz/dependencies`);
      return reply.text.includes('"name":"nats","problem":"The bus is not connected."') && reply;
    });
    expect(told.status).toBe(503);
    expect(await get(`${url}/readyz`)).toEqual({ status: 200, text: '{"status":"ready"}' });
    const { text: metrics } = await get(`${url}/metrics`);
    expect(metrics).toMatch(/^assay_bus_connected\{.*\} 0$/m);
    expect(metrics).toMatch(/^assay_dependency_up\{dependency="nats",.*\} 0$/m);
    if (url !== gateway.url)
      expect(metrics).toMatch(/^assay_dependency_up\{dependency="mongodb",.*\} 1$/m);
  }
  expect((await call('GET', `/runs/${run.id}`)).status).toBe(200);
  expect((await call('POST', `/runs/${run.id}/records`, record)).status).toBe(201);

  proxy.heal();
  for (const url of urls.slice(1))
    await poll(
      'the bus is back',
      async () => (await get(`${url}/healthz/dependencies`)).status === 200,
    );
});

import { contracts, type ServiceName, urlVariable } from '@assay/contracts/all';
import { bodyBytesDefault } from '@assay/contracts/define';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routesOf } from '../src/routing.ts';
import {
  type FakeService,
  type SeenRequest,
  type Setting,
  startFakeService,
  startSetting,
} from './setting.ts';

const operations = contracts.flatMap((service) =>
  Object.entries(service.operations).map(([name, definition]) => ({
    service: service.name,
    name,
    definition,
  })),
);
const routed = operations.filter(({ definition }) => definition.access !== 'service');
const targetOf = (path: string) => path.replaceAll(/:\w+/g, 'x');

describe('every operation of every contract', () => {
  const services = new Map<string, FakeService>();
  let setting: Setting;
  beforeAll(async () => {
    const urls: Record<string, string> = {};
    for (const name of new Set(routed.map(({ service }) => service))) {
      const service = await startFakeService();
      service.behave((request, response) => {
        request.resume();
        response.end(JSON.stringify({ service: name, method: request.method, url: request.url }));
      });
      services.set(name, service);
      urls[urlVariable(name as ServiceName)] = service.url;
    }
    setting = await startSetting(urls);
  });
  afterAll(async () => {
    await setting.stop();
    for (const service of services.values()) await service.stop();
  });

  test('reaches its own service under both base paths, or under that of its protocol', async () => {
    expect(routed.length).toBeGreaterThan(50);
    for (const { service, definition } of routed) {
      for (const base of definition.base ? [definition.base] : ['/v2', '/api/v2']) {
        const target = targetOf(definition.path);
        const { method } = definition;
        const reply = await fetch(`${setting.gateway.url}${base}${target}`, {
          method,
          headers: { authorization: `Bearer ${setting.key}` },
        });
        expect((await reply.json()) as SeenRequest).toEqual({ service, method, url: target });
      }
    }
  });

  test('may have a path parameter with an encoded slash, and none that is empty', async () => {
    const statusOf = async (path: string) => {
      const headers = { authorization: `Bearer ${setting.key}` };
      return (await fetch(`${setting.gateway.url}/v2${path}`, { headers })).status;
    };
    expect(await statusOf('/sessions/a%2Fb/attachments')).toBe(200);
    expect(await statusOf('/sessions//attachments')).toBe(404);
    expect(await statusOf('/sessions/a/b/attachments')).toBe(404);
  });

  test('for services only is not routed', async () => {
    const internal = operations.filter(({ definition }) => definition.access === 'service');
    expect(internal.length).toBeGreaterThan(0);
    for (const { definition } of internal) {
      const headers = { authorization: `Bearer ${setting.key}` };
      const reply = await fetch(`${setting.gateway.url}/v2${definition.path}`, {
        method: definition.method,
        headers,
      });
      expect(reply.status).toBe(404);
    }
  });
});

describe('the table', () => {
  test('has the limit of each operation: its own, else 1 MiB, and none for a stream that states none', () => {
    const routes = new Map(
      ['/v2', '/otel']
        .flatMap((base) => routesOf(contracts, base))
        .map((route) => [route.path, route]),
    );
    for (const { service, name, definition } of routed) {
      const { bodyBytesMax } = routes.get(definition.path)!.operations.get(definition.method)!;
      const standard = definition.streams ? Number.POSITIVE_INFINITY : bodyBytesDefault;
      expect([service, name, bodyBytesMax]).toEqual([
        service,
        name,
        definition.bodyBytesMax ?? standard,
      ]);
    }
  });
});

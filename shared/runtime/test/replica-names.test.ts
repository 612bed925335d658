import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { poll } from '@assay/testing/poll';
import { afterEach, expect, test } from 'vitest';
import { createUpstream, type Upstream } from '../http/upstreams.ts';

/** Replicas behind one name, as those of a headless service of Kubernetes. */
const name = 'replicas.test';
const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

const servers: Server[] = [];
const upstreams: Upstream[] = [];
afterEach(async () => {
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.close()));
  for (const server of servers.splice(0)) server.close();
});

async function listen(listener: RequestListener, host: string, port: number): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Three processes at one port, each at an address of its own; the name has those in `addresses`. */
async function startReplicas(addresses: string[]) {
  const asked = hosts.map(() => 0);
  const seen = new Set<string | undefined>();
  const held: (() => void)[] = [];
  const names = { addresses, isAway: false, refused: 0, holdsThird: false };
  const listenerOf =
    (index: number): RequestListener =>
    (request, response) => {
      asked[index]! += 1;
      seen.add(request.headers.host);
      if (index === 2 && names.holdsThird) held.push(() => response.end('{}'));
      else response.end('{}');
    };
  const port = await listen(listenerOf(0), hosts[0]!, 0);
  for (const index of [1, 2]) await listen(listenerOf(index), hosts[index]!, port);
  const upstream = createUpstream({
    service: 'x',
    urls: `http://${name}:${port}`,
    timeoutMs: 10_000,
    lookup: async () => {
      if (!names.isAway) return names.addresses;
      names.refused += 1;
      throw new Error('EAI_AGAIN');
    },
  });
  upstreams.push(upstream);
  await poll('the name is looked up', () => upstream.replicas().length === addresses.length);
  const ask = async () => {
    const { statusCode, body } = await upstream
      .inTurn()[0]!
      .pool.request({ method: 'GET', path: '/' });
    await body.dump();
    return statusCode;
  };
  return { names, asked, seen, held, ask, replicas: upstream.replicas, origin: `${name}:${port}` };
}

test('one replica becomes three under load, and each has its share; one that leaves ends its work', async () => {
  const { names, asked, seen, held, ask, replicas, origin } = await startReplicas(
    hosts.slice(0, 1),
  );
  for (let count = 0; count < 5; count++) expect(await ask()).toBe(200);
  expect(asked).toEqual([5, 0, 0]);

  names.addresses = hosts;
  await poll('each replica is asked', async () => {
    expect(await ask()).toBe(200);
    return asked.every((count) => count > 0);
  });
  asked.fill(0);
  for (let count = 0; count < 30; count++) expect(await ask()).toBe(200);
  expect(asked).toEqual([10, 10, 10]);

  names.holdsThird = true;
  const answers = [ask(), ask(), ask()];
  await poll('the third has a request', () => held.length === 1);
  names.addresses = hosts.slice(0, 2);
  await poll('the third has left', () => replicas().length === 2);
  asked.fill(0);
  for (let count = 0; count < 6; count++) expect(await ask()).toBe(200);
  expect(asked).toEqual([3, 3, 0]);
  held[0]!();
  expect(await Promise.all(answers)).toEqual([200, 200, 200]);
  expect([...seen]).toEqual([origin]);
});

test('a name server that is away takes no replica with it', async () => {
  const { names, asked, ask } = await startReplicas(hosts);
  names.isAway = true;
  await poll('it was looked up in vain', () => names.refused > 0);
  names.isAway = false;
  for (let count = 0; count < 6; count++) expect(await ask()).toBe(200);
  expect(asked).toEqual([2, 2, 2]);
});

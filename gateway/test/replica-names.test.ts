import { poll } from '@assay/testing/poll';
import { afterEach, expect, test, vi } from 'vitest';
import { type FakeService, startFakeService, startSetting } from './setting.ts';

/** Replicas behind one name, as those of a headless service of Kubernetes. */
const name = 'replicas.test';
const addresses = vi.hoisted(() => ({ now: [] as string[], isAway: false, refused: 0 }));

vi.mock('node:dns/promises', () => ({
  lookup: async () => {
    if (addresses.isAway) {
      addresses.refused += 1;
      throw new Error('EAI_AGAIN');
    }
    return addresses.now.map((address) => ({ address, family: 4 }));
  },
}));

const services: FakeService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

/** Three processes at one port, each at an address of its own, and the requests of each. */
async function startReplicas() {
  const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
  const first = await startFakeService(0, hosts[0]);
  const port = Number(new URL(first.url).port);
  services.push(first);
  for (const host of hosts.slice(1)) services.push(await startFakeService(port, host));
  const asked = hosts.map(() => 0);
  const names = new Set<string | undefined>();
  services.forEach((service, index) => {
    service.behave((request, response) => {
      asked[index]! += 1;
      names.add(request.headers.host);
      request.resume();
      response.end('{}');
    });
  });
  return { hosts, port, asked, names };
}

test('one replica becomes three under load, and each has its share; one that leaves ends its work', async () => {
  const { hosts, port, asked, names } = await startReplicas();
  addresses.now = [hosts[0]!];
  await using setting = await startSetting({ CATALOG_URL: `http://${name}:${port}` });
  const ask = async () => (await setting.send('GET', '/projects')).status;
  for (let count = 0; count < 5; count++) expect(await ask()).toBe(200);
  expect(asked).toEqual([5, 0, 0]);

  addresses.now = hosts;
  await poll('each replica is asked', async () => {
    expect(await ask()).toBe(200);
    return asked.every((count) => count > 0);
  });
  asked.fill(0);
  for (let count = 0; count < 30; count++) expect(await ask()).toBe(200);
  expect(asked).toEqual([10, 10, 10]);

  let answer: (() => void) | undefined;
  services[2]!.behave((_request, response) => {
    answer = () => response.end('{}');
  });
  const answers: Promise<number>[] = [];
  await poll('the third has a request', () => {
    if (!answer) answers.push(ask());
    return answer !== undefined;
  });
  addresses.now = hosts.slice(0, 2);
  services[2]!.behave((_request, response) => response.destroy());
  await poll('the third is asked no more', async () => {
    asked.fill(0);
    for (let count = 0; count < 6; count++) await ask();
    return asked[0] === 3 && asked[1] === 3;
  });
  answer!();
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  expect([...names]).toEqual([`${name}:${port}`]);
});

test('a name server that is away takes no replica with it', async () => {
  const { hosts, port, asked } = await startReplicas();
  addresses.now = hosts;
  await using setting = await startSetting({ CATALOG_URL: `http://${name}:${port}` });
  const ask = async () => (await setting.send('GET', '/projects')).status;
  await poll('all are known', async () => {
    expect(await ask()).toBe(200);
    return asked.every((count) => count > 0);
  });
  addresses.isAway = true;
  await poll('it was looked up in vain', () => addresses.refused > 0);
  addresses.isAway = false;
  asked.fill(0);
  for (let count = 0; count < 6; count++) expect(await ask()).toBe(200);
  expect(asked).toEqual([2, 2, 2]);
});

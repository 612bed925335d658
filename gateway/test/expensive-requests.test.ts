import { besideOthersHeader } from '@assay/runtime/http/request';
import { openIdentity, requestAct } from '@assay/runtime/signature';
import { keysOf } from '@assay/testing/keys';
import { poll } from '@assay/testing/poll';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type FakeService,
  type Listener,
  type SeenRequest,
  type Setting,
  startFakeService,
  startSetting,
} from './setting.ts';

const waitingMax = 6;
const expensive = '/projects/p/runs';
const cheap = '/runs/r';

/** The fake run-records keeps the expensive requests until a test answers them. */
let setting: Setting;
let service: FakeService;
const kept: Parameters<Listener>[] = [];
/** Answers the request that the service has for longest. */
const answerOne = () => kept.shift()![1].end('{}');

beforeAll(async () => {
  service = await startFakeService();
  service.behave((request, response) => {
    request.resume();
    if (request.url!.startsWith(expensive) || request.url!.endsWith('/bulk'))
      kept.push([request, response]);
    else response.end('{}');
  });
  setting = await startSetting({
    RUN_RECORDS_URL: service.url,
    WAITING_REQUESTS_MAX: waitingMax,
    EXPENSIVE_TURN_MS: 300_000,
  });
});
afterAll(async () => {
  await setting.stop();
  await service.stop();
});

const newOrganization = () => setting.identity.key();
function send(key: string, path: string, options: RequestInit = {}): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return setting.send('GET', path, { ...options, headers }).then(({ status }) => status);
}
const has = (count: number) => poll(`the service has ${count}`, () => kept.length === count);
async function wait(count: number): Promise<void> {
  const line = `assay_waiting_expensive_requests{service="gateway"} ${count}\n`;
  await poll(`${count} wait for their turn`, async () =>
    (await (await fetch(`${setting.gateway.url}/metrics`)).text()).includes(line),
  );
}

describe('beside another organization', () => {
  let key: string;
  let replies: Promise<number>[];
  /** Four expensive requests of one organization, of which two have a turn. */
  async function sendFour(): Promise<void> {
    key = newOrganization();
    await send(newOrganization(), cheap);
    replies = Array.from({ length: 4 }, () => send(key, expensive));
    await wait(2);
    await has(2);
  }
  afterEach(async () => {
    let areAnswered = false;
    void Promise.all(replies).then(() => {
      areAnswered = true;
    });
    await poll('all are answered', () => {
      while (kept.length > 0) answerOne();
      return areAnswered;
    });
    await wait(0);
  });

  test('two expensive requests of an organization are under way at a process, and each answer lets the next one go', async () => {
    await sendFour();
    answerOne();
    await wait(1);
    await has(2);
    answerOne();
    await wait(0);
    await has(2);
    answerOne();
    answerOne();
    expect(await Promise.all(replies)).toEqual([200, 200, 200, 200]);
  });

  test('those of others, and its own cheap ones, wait for none of them', async () => {
    await sendFour();
    expect(await send(key, cheap)).toBe(200);
    const other = send(newOrganization(), expensive);
    await has(3);
    kept.pop()![1].end('{}');
    expect(await other).toBe(200);
  });

  test('uploads wait for each other, and keep no other request of the organization waiting', async () => {
    await sendFour();
    const upload = () =>
      setting
        .send('PUT', '/runs/r/scores/bulk', {
          body: '{}\n',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
        })
        .then(({ status }) => status);
    replies.push(...Array.from({ length: 3 }, upload));
    await wait(3);
    await has(4);
  });

  test('a request whose client goes while it waits is never sent', async () => {
    await sendFour();
    const leaving = new AbortController();
    const left = send(key, `${expensive}?left`, { signal: leaving.signal });
    await wait(3);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await wait(2);
    const seen: string[] = [];
    await poll('all are answered', async () => {
      for (; kept.length > 0; answerOne()) seen.push(kept[0]![0].url!);
      return seen.length === 4;
    });
    expect(await Promise.all(replies)).toEqual([200, 200, 200, 200]);
    expect(seen.filter((url) => url.includes('left'))).toEqual([]);
  });

  test('a request is signed when it is sent, however long it waited', async () => {
    await sendFour();
    const hourMs = 3_600_000;
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + hourMs);
    onTestFinished(() => clock.mockRestore());
    answerOne();
    await wait(1);
    await has(2);
    const [request] = kept.at(-1)!;
    const { url, headers } = request;
    const act = requestAct('GET', url!);
    expect(() =>
      openIdentity(keysOf('run-records'), (name) => headers[name] as string | undefined, act),
    ).not.toThrow();
  });

  test('as many wait as may, and the next is refused', async () => {
    await sendFour();
    replies.push(...Array.from({ length: waitingMax - 2 }, () => send(key, expensive)));
    await wait(waitingMax);
    const refused = await setting.send('GET', expensive, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { code: 'SERVICE_UNAVAILABLE' },
    ]);
  });
});

/** Sends five expensive requests, none of which is answered before the service has all of them. */
async function expectFiveAtOnce({ send }: Setting): Promise<void> {
  const replies = Array.from({ length: 5 }, () => send('GET', expensive));
  await has(5);
  while (kept.length > 0) answerOne();
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([
    200, 200, 200, 200, 200,
  ]);
}

test('a request that takes long lets the next one begin beside it', async () => {
  await using hasty = await startSetting({ RUN_RECORDS_URL: service.url, EXPENSIVE_TURN_MS: 10 });
  const headers = { authorization: `Bearer ${hasty.identity.key()}` };
  await hasty.send('GET', cheap, { headers });
  await expectFiveAtOnce(hasty);
});

test('an organization that is alone waits for no turn', async () => {
  await using alone = await startSetting({ RUN_RECORDS_URL: service.url });
  await expectFiveAtOnce(alone);
});

test('a service learns from the gateway, and not from its client, whether others use the installation', async () => {
  await using setting = await startSetting();
  const toldTo = async () => {
    const headers = { [besideOthersHeader]: '1' };
    const reply = await setting.send('GET', '/projects', { headers });
    return ((await reply.json()) as SeenRequest).headers[besideOthersHeader];
  };
  expect(await toldTo()).toBeUndefined();
  const headers = { authorization: `Bearer ${setting.identity.key()}` };
  await setting.send('GET', '/projects', { headers });
  expect(await toldTo()).toBe('1');
});

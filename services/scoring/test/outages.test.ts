import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import { createCircuit } from '../src/judges/circuit.ts';
import { question, startJudges, verdict } from './judges-setting.ts';
import { type Reply, say } from './mock-providers.ts';

const noPause = () => 0;
const failing: Reply = { status: 503 };

/**
 * Judges whose provider fails until `repair` is called, and whose circuit is open for a time that
 * no test outlives.
 */
async function startOutage({
  failuresMax = Number.POSITIVE_INFINITY,
  pauseBaseMs = 1e6,
  concurrency = '4',
} = {}) {
  let failures = 0;
  let isWell = false;
  const answer = (): Reply => {
    if (isWell || failures === failuresMax) return say(verdict);
    failures++;
    return failing;
  };
  const started = await startJudges({
    answer,
    pauseBaseMs,
    random: noPause,
    environment: { JUDGE_CONCURRENCY: concurrency },
  });
  const repair = () => {
    isWell = true;
  };
  return { ...started, repair };
}

type Outage = Awaited<ReturnType<typeof startOutage>>;
const askMany = ({ judges }: Outage, count: number, signal?: AbortSignal) =>
  Array.from({ length: count }, () =>
    judges.ask({ ...question('gpt-4o'), ...(signal && { signal }) }),
  );

describe('while a provider is away', () => {
  test('nothing fails that was not asked: 60 asks wait, and all are answered when it is back', async () => {
    const outage = await startOutage({ failuresMax: 8, pauseBaseMs: 1 });
    const asked = await Promise.all(askMany(outage, 60));
    expect(asked.filter(({ ok }) => !ok)).toEqual([]);
    expect(asked.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(outage.mock.calls.length);
    expect(outage.mock.calls).toHaveLength(68);
  });

  test('an ask fails after it was sent five times, and the attempts of all are the requests that the provider saw', async () => {
    const outage = await startOutage({ pauseBaseMs: 1 });
    const asked = await Promise.all(askMany(outage, 3));
    expect(asked.map(({ ok, attempts }) => [ok, attempts])).toEqual(Array(3).fill([false, 5]));
    expect(outage.mock.calls).toHaveLength(15);
  });

  test('waiting ends when the ask is aborted, without a call', async () => {
    const outage = await startOutage({ concurrency: '1' });
    await outage.judges.ask(question('gpt-4o'));
    const controller = new AbortController();
    const [waiting] = askMany(outage, 1, controller.signal);
    controller.abort(new Error('the run is paused'));
    await expect(waiting).rejects.toThrow('the run is paused');
    expect(outage.mock.calls).toHaveLength(5);
  });
});

describe('a retry', () => {
  test('asks a provider that is well again at once, although it was to be left alone for hours', async () => {
    const outage = await startOutage();
    expect(await outage.judges.ask(question('gpt-4o'))).toMatchObject({ ok: false, attempts: 5 });
    const asks = askMany(outage, 10);
    outage.repair();
    outage.judges.retry('gpt-4o', new Date(Date.now() + 1000));
    expect((await Promise.all(asks)).map(({ attempts }) => attempts)).toEqual(Array(10).fill(1));
  });

  test('that was asked for before the last failure asks nothing: a job that comes again is no further retry', async () => {
    const outage = await startOutage();
    await outage.judges.ask(question('gpt-4o'));
    const [waiting] = askMany(outage, 1);
    outage.judges.retry('gpt-4o', new Date(Date.now() - 60_000));
    expect(
      await outage.judges.ask(question('compatible/other')).catch(() => undefined),
    ).toBeDefined();
    expect(outage.mock.calls.filter(({ provider }) => provider === 'openai')).toHaveLength(5);
    outage.repair();
    outage.judges.retry('gpt-4o', new Date(Date.now() + 1000));
    expect(await waiting).toMatchObject({ ok: true, attempts: 1 });
  });

  test('that is requested while a probe is in flight gets one of its own when that one fails, and repeats of it get none', () => {
    const circuit = createCircuit({ pauseBaseMs: 1e6, onOpen: () => undefined });
    const fault = { code: 'provider_error' as const, message: 'openai answered 503.' };
    for (let failures = 0; failures < 5; failures++) circuit.failed('call', fault);
    circuit.retry(new Date(Date.now() + 1000));
    expect(circuit.admit()).toBe('probe');
    const again = new Date(Date.now() + 2000);
    circuit.retry(again);
    circuit.failed('probe', fault);
    expect(circuit.waitMs()).toBe(0);
    expect(circuit.admit()).toBe('probe');
    circuit.retry(again);
    circuit.failed('probe', fault);
    expect(circuit.waitMs()).toBeGreaterThan(0);
  });

  test('that finds it away still sends one request, not all that wait', async () => {
    const outage = await startOutage();
    await outage.judges.ask(question('gpt-4o'));
    const asks = askMany(outage, 10);
    outage.judges.retry('gpt-4o', new Date(Date.now() + 1));
    await poll('the probe was made', () => outage.mock.calls.length === 6);
    outage.repair();
    outage.judges.retry('gpt-4o', new Date(Date.now() + 1000));
    expect((await Promise.all(asks)).reduce((sum, { attempts }) => sum + attempts, 0)).toBe(11);
  });
});

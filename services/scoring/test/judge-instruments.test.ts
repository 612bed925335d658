import { createMetrics } from '@assay/runtime/metrics';
import { poll } from '@assay/testing/poll';
import { expect, test } from 'vitest';
import { question, startJudges, verdict } from './judges-setting.ts';
import { type Reply, say } from './mock-providers.ts';

/** Judges that are measured; `series` reads the values that hold so far. */
async function startMeasured(answer: () => Reply, pauseBaseMs = 1) {
  const metrics = createMetrics({ service: 'scoring', revision: 'unknown' });
  const started = await startJudges({ answer, pauseBaseMs, random: () => 0, metrics });
  const series = async (name: string): Promise<Record<string, number>> => {
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`));
    return Object.fromEntries(
      lines.map((line) => {
        const [, labels = '', value] = /^\w+\{(.*)\} (\S+)$/.exec(line)!;
        const named = labels.split(',').filter((label) => !label.startsWith('service='));
        return [named.join(','), Number(value)];
      }),
    );
  };
  return { ...started, series };
}

test('calls of judges are counted by model and outcome, with their cost; models without a price together', async () => {
  const answers: Reply[] = [{ status: 429 }, { status: 500 }];
  const { judges, series } = await startMeasured(() => answers.shift() ?? say(verdict));
  await judges.ask(question('gpt-4o'));
  await judges.ask(question('compatible/ours-1'));
  await judges.ask(question('compatible/ours-2'));
  expect(await series('assay_judge_calls_seconds_count')).toEqual({
    'provider="openai",model="gpt-4o",outcome="limited"': 1,
    'provider="openai",model="gpt-4o",outcome="failed"': 1,
    'provider="openai",model="gpt-4o",outcome="answered"': 1,
    'provider="compatible",model="other",outcome="answered"': 2,
  });
  const cost = await series('assay_judge_cost_usd_total');
  const told = await judges.ask(question('gpt-4o'));
  expect(cost['provider="openai",model="gpt-4o"']).toBeCloseTo(told.usage.costUsd!, 12);
  expect(cost['provider="compatible",model="other"']).toBe(0);
});

test('a model that fails again and again is told as long as it is left alone', async () => {
  let isWell = false;
  const { judges, series } = await startMeasured(
    () => (isWell ? say(verdict) : { status: 503 }),
    1e6,
  );
  const asked = Array.from({ length: 5 }, () => judges.ask(question('gpt-4o')));
  const isOpen = async () => (await series('assay_judge_circuit_open'))['model="openai/gpt-4o"'];
  await poll('it is left alone', async () => (await isOpen()) === 1);
  isWell = true;
  judges.retry('gpt-4o', new Date(Date.now() + 1000));
  await Promise.all(asked);
  expect(await isOpen()).toBe(0);
});

import { createLog } from '@assay/runtime/log';
import type { Metrics } from '@assay/runtime/metrics';
import { afterEach } from 'vitest';
import type { Resolve } from '../src/judges/addresses.ts';
import type { ModelPermits } from '../src/judges/shared-permits.ts';
import { createJudges, type Judges } from '../src/judges.ts';
import { type Call, type MockProviders, type Reply, startMockProviders } from './mock-providers.ts';

export const log = createLog({ name: 'test', level: 'silent' });

/** What a fine judge says. */
export const verdict = { reasoning: 'It is right.', binaryScore: true };

export const schema = {
  type: 'object',
  properties: { reasoning: { type: 'string' }, binaryScore: { type: 'boolean' } },
  required: ['reasoning', 'binaryScore'],
  additionalProperties: false,
};

export const question = (model: string) => ({
  model,
  instructions: 'You are a judge.',
  prompt: 'Is 4 right?',
  schema,
  temperature: 0,
  seed: null,
});

interface Options {
  answer: (call: Call) => Reply | Promise<Reply>;
  environment?: Record<string, string | undefined>;
  /** Tests wait for no pause unless they say so. */
  pauseBaseMs?: number;
  random?: () => number;
  resolve?: Resolve;
  permits?: ModelPermits;
  metrics?: Metrics;
  /** Any that is free when left out. */
  port?: number;
}

/** Judges that ask mock providers; both are gone after the test. */
export async function startJudges({
  answer,
  environment,
  pauseBaseMs = 1,
  random,
  resolve,
  permits,
  metrics,
  port,
}: Options): Promise<{ judges: Judges; mock: MockProviders }> {
  const mock = await startMockProviders(answer, port);
  const judges = createJudges({
    config: mock.config(environment),
    log,
    pauseBaseMs,
    ...(random && { random }),
    ...(resolve && { resolve }),
    ...(permits && { permits }),
    ...(metrics && { metrics }),
  });
  ends.push(async () => {
    judges.close();
    await mock.stop();
  });
  return { judges, mock };
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

import { createWorkers } from '@assay/runtime/concurrency/workers';
import { expect, onTestFinished, test } from 'vitest';

const module = new URL('../src/service.ts', import.meta.url).href;

test.each([
  ['./comparison-worker', 'default'],
  ['./comparison-worker', 'look'],
  ['./reliability-worker', 'default'],
  ['./summary-worker', 'default'],
])(
  'what %s throws by its function %s is the fault of that request, and the worker lives on',
  async (name, work) => {
    const workers = createWorkers({ module, name, threads: 1, timeoutMs: 600_000, heapMiBMax: 64 });
    onTestFinished(workers.close);
    const none = undefined as unknown as object;
    for (const _again of [1, 2])
      await expect(workers.run(none, { name: work })).rejects.toThrow(
        /^Cannot (destructure|read) propert/,
      );
  },
);

import { workerFile } from '@assay/runtime/concurrency/worker-file';
import { Piscina } from 'piscina';
import { expect, test } from 'vitest';

const module = new URL('../src/service.ts', import.meta.url).href;

test.each([
  ['./comparison-worker', 'default'],
  ['./comparison-worker', 'look'],
  ['./reliability-worker', 'default'],
  ['./summary-worker', 'default'],
])(
  'what %s throws by its function %s is the fault of that request, and the worker lives on',
  async (name, work) => {
    const pool = new Piscina({ ...workerFile({ module, name }), minThreads: 1, maxThreads: 1 });
    const [worker] = pool.threads;
    try {
      const none = undefined;
      for (const _again of [1, 2])
        expect(await pool.run(none, { name: work })).toEqual({ fault: expect.any(String) });
      expect(pool.threads[0]!.threadId).toBe(worker!.threadId);
    } finally {
      await pool.destroy();
    }
  },
);

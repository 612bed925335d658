import { expect, test } from 'vitest';
import compare, { look } from '../src/comparison-worker.ts';
import measure from '../src/reliability-worker.ts';
import summarize from '../src/summary-worker.ts';

/** Values that throw wherever they are read, by an error that cannot be cloned. */
const poisoned = new Proxy(
  {},
  {
    get() {
      throw Object.assign(new Error('no values'), { retry: () => {} });
    },
  },
) as never;

test.each([
  ['comparison', compare],
  ['look', look],
  ['reliability', measure],
  ['summary', summarize],
])(
  'what the worker of a %s throws is the fault of that request, and not of the worker',
  (_name, work) => {
    expect(structuredClone(work(poisoned))).toEqual({ fault: 'no values' });
  },
);

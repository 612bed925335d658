import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

/** `npm run test:times`: one file after the other, and the processor time of each at the end. */
export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    reporters: ['default', './scripts/file-times.ts', './scripts/reporter.ts'],
    maxWorkers: 1,
  },
});

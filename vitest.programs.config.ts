import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

/**
 * `npm run test:programs`: programs of published instrumentations, each with all that it depends
 * on, whose traces are read.
 */
export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    include: ['test/programs/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // Which programs could not be installed, and why, stands beside their names.
    reporters: ['verbose', './scripts/reporter.ts'],
    maxWorkers: 1,
    // The first run installs a program.
    testTimeout: 600_000,
  },
});

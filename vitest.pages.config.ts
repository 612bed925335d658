import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

/** `npm run test:pages`: every kind of page of the console, at every width and in both themes. */
export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    include: ['test/console/walk/*.walk.ts'],
    maxWorkers: 1,
    disableConsoleIntercept: true,
    // A walk is one hook.
    hookTimeout: 1_800_000,
  },
});

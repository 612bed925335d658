import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

/** `npm run test:faults`: the attacks alone, one after the other, with the time that they need. */
export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    include: [
      'test/faults/*.test.ts',
      'test/faults/*.attack.ts',
      'test/system/generated-requests.test.ts',
    ],
    maxWorkers: 1,
    disableConsoleIntercept: true,
  },
});

import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

/**
 * `npm run test:containers`: the images and docker-compose.yml, on the container engine that
 * answers to `docker`.
 */
export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    globalSetup: [],
    include: ['test/containers/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
  },
});

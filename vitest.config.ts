import { defineConfig } from 'vitest/config';

// Workspace packages resolve to their TypeScript sources: a failure names the line that was written.
const resolve = { conditions: ['assay-source', 'node', 'development|production'] };

export default defineConfig({
  resolve,
  ssr: { resolve: { ...resolve, externalConditions: ['assay-source', 'node'] } },
  environments: { ssr: { resolve }, __vitest__: { resolve } },
  test: {
    globalSetup: ['./scripts/build.mjs', './shared/testing/servers.ts'],
    include: ['**/test/**/*.test.ts'],
    // The last need a container engine: npm run test:containers.
    exclude: ['**/node_modules/**', '**/dist/**', 'test/containers/**'],
    reporters: ['default', './scripts/reporter.ts'],
    pool: 'threads',
    // One more than the two cores of a small machine: a test often waits for a server or for time.
    maxWorkers: 3,
    // Files share the modules of their thread: to load them 185 times took a quarter of the processor time of all tests.
    isolate: false,
    // Longer than what a test waits for, which says what it was when it does not come.
    testTimeout: 180_000,
    // A busy machine is no failure: what is awaited may take its time.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
  },
});

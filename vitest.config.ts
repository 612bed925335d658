import { defineConfig } from 'vitest/config';

// Workspace packages resolve to their TypeScript sources, so that tests need no build.
const resolve = { conditions: ['assay-source', 'node', 'development|production'] };

export default defineConfig({
  resolve,
  ssr: { resolve: { ...resolve, externalConditions: ['assay-source', 'node'] } },
  environments: { ssr: { resolve }, __vitest__: { resolve } },
  test: {
    globalSetup: ['./shared/testing/servers.ts'],
    include: ['**/test/**/*.test.ts'],
    // The last need a container engine: npm run test:containers.
    exclude: ['**/node_modules/**', '**/dist/**', 'test/containers/**'],
    reporters: ['default', './scripts/reporter.ts'],
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 60_000,
    // A busy machine is no failure: what is awaited may take its time.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
  },
});

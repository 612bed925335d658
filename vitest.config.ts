import { defineConfig } from 'vitest/config';
import WaitingFirstSequencer from './scripts/sequencer.ts';

// Workspace packages resolve to their TypeScript sources: a failure names the line that was
// written.
const resolve = { conditions: ['assay-source', 'node', 'development|production'] };

export default defineConfig({
  resolve,
  ssr: { resolve: { ...resolve, externalConditions: ['assay-source', 'node'] } },
  environments: { ssr: { resolve }, __vitest__: { resolve } },
  test: {
    globalSetup: ['./scripts/build.mjs', './shared/testing/servers.ts'],
    setupFiles: ['./shared/testing/before-each-file.ts'],
    include: ['**/test/**/*.test.ts'],
    // The last two need a container engine, and many packages of others: npm run test:containers,
    // npm run test:programs.
    exclude: ['**/node_modules/**', '**/dist/**', 'test/containers/**', 'test/programs/**'],
    reporters: ['default', './scripts/reporter.ts'],
    sequence: { sequencer: WaitingFirstSequencer },
    // A process can always be ended. Node's `worker.terminate()` may wait for a thread for ever, and
    // the process with it (nodejs/node#54918).
    pool: 'forks',
    // It stops what the files of a process share.
    environment: './shared/testing/process-environment.ts',
    // One more than a small machine has cores: a process waits a third of its time, for MongoDB, for
    // NATS and for what a test polls.
    maxWorkers: 3,
    // Files share the modules of their process: to load them for each file took a quarter of the
    // processor time of all tests.
    isolate: false,
    // Longer than what a test waits for, which says what it was when it does not come. A busy
    // machine is no failure, so no test sets a shorter time of its own: what is awaited may take
    // its time.
    testTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    hookTimeout: 300_000,
  },
});

import { randomUUID } from 'node:crypto';
import type { OperatorConfig, ServiceConfig } from '@assay/runtime/config';
import { inject } from 'vitest';

/** A configuration on the servers of the test run, with databases and subjects of its own. */
export function testConfig(): ServiceConfig & OperatorConfig {
  const { mongodbUri, natsUrl, keysFolder } = inject('servers');
  const unique = `t${randomUUID().slice(0, 8)}`;
  return {
    HOST: '127.0.0.1',
    PORT: 0,
    NATS_URL: [natsUrl],
    MONGODB_URI: mongodbUri,
    ASSAY_KEYS_FOLDER: keysFolder,
    ASSAY_OPERATOR_SECRET: randomUUID() + randomUUID(),
    ASSAY_REVISION: 'unknown',
    LOG_LEVEL: 'silent',
    SUBJECT_PREFIX: unique,
    DATABASE_PREFIX: unique,
    // Streams reserve room, and many tests share the server.
    NATS_STREAM_BYTES_MAX: 64 * 1024 ** 2,
    // A busy machine is no failure. A test of the time-out sets one that it can wait for.
    QUESTION_TIMEOUT_MS: 60_000,
  };
}

/**
 * The same for services of a test's own, which no permissions name: one secret is all that they
 * prove themselves with.
 */
export function testConfigOfSecret(): ServiceConfig & OperatorConfig & { ASSAY_SECRET: string } {
  const { ASSAY_KEYS_FOLDER: _folder, ...config } = testConfig();
  return { ...config, ASSAY_SECRET: randomUUID() + randomUUID() };
}

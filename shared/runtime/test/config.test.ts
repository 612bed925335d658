import { expect, test } from 'vitest';
import { ConfigurationError, readConfig, serviceConfig } from '../config.ts';

const environment = { NATS_URL: 'nats://127.0.0.1:4222', MONGODB_URI: 'mongodb://127.0.0.1', ASSAY_SECRET: 'x'.repeat(32) };

test('a configuration is read whole, with defaults, and cannot be changed', () => {
  const config = readConfig(serviceConfig, { ...environment, PORT: '', HOST: '0.0.0.0' });
  expect(config).toMatchObject({ HOST: '0.0.0.0', PORT: 0, NATS_URL: ['nats://127.0.0.1:4222'], SUBJECT_PREFIX: 'assay' });
  expect(Object.isFrozen(config)).toBe(true);
});

test('all problems are told together, each with its variable and what was expected', () => {
  const read = () => readConfig(serviceConfig, { NATS_URL: 'http://x', ASSAY_SECRET: 'short', PORT: '99999' });
  expect(read).toThrow(ConfigurationError);
  expect(read).toThrow(
    /PORT: .*\n {2}NATS_URL: must start with nats:\/\/ or tls:\/\/\n {2}ASSAY_SECRET: must have at least 32 characters\n {2}MONGODB_URI: is not set/,
  );
});

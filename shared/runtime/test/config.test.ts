import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ConfigurationError, processConfig, readConfig, serviceConfig } from '../config.ts';

const environment = {
  NATS_URL: 'nats://127.0.0.1:4222',
  MONGODB_URI: 'mongodb://127.0.0.1',
  ASSAY_SECRET: 'x'.repeat(32),
};

test('a configuration is read whole, with defaults, and cannot be changed', () => {
  const config = readConfig(serviceConfig, { ...environment, PORT: '', HOST: '0.0.0.0' });
  expect(config).toMatchObject({
    HOST: '0.0.0.0',
    PORT: 0,
    NATS_URL: ['nats://127.0.0.1:4222'],
    SUBJECT_PREFIX: 'assay',
  });
  expect(Object.isFrozen(config)).toBe(true);
});

test('all problems are told together, each with its variable and what was expected', () => {
  const read = () =>
    readConfig(serviceConfig, { NATS_URL: 'http://x', ASSAY_SECRET: 'short', PORT: '99999' });
  expect(read).toThrow(ConfigurationError);
  expect(read).toThrow(
    [
      'The configuration cannot be used:',
      '  PORT must be a whole number from 0 to 65535, not "99999".',
      '  NATS_URL must start with nats:// or tls://.',
      '  ASSAY_SECRET must have at least 32 characters.',
      '  MONGODB_URI is not set.',
    ].join('\n'),
  );
});

test.each([
  ['PORT', 'abc', 'must be a whole number from 0 to 65535, not "abc"'],
  ['PORT', '1.5', 'must be a whole number from 0 to 65535, not "1.5"'],
  ['LOG_LEVEL', 'verbose', 'must be trace, debug, info, warn, error or silent, not "verbose"'],
  ['SUBJECT_PREFIX', 'A B', 'must be 1 to 32 of a-z, 0-9 and -'],
  ['DATABASE_PREFIX', 'a_b', 'must be 1 to 32 of A-Z, a-z, 0-9 and -'],
  ['NATS_URL', 'nats://a,http://b', 'must start with nats:// or tls://'],
  ['MONGODB_URI', 'http://user:password@host', 'must start with mongodb:// or mongodb+srv://'],
  ['NATS_STREAM_REPLICAS', '6', 'must be a whole number from 1 to 5, not "6"'],
  ['LIMIT', 'many', 'must be a whole number of at least 1, not "many"'],
  ['SHARE', 'half', 'must be a number of at most 1, not "half"'],
  ['IS_ON', 'perhaps', 'must be true or false, not "perhaps"'],
  ['MODEL', 'xxxx', 'must have at most 3 characters'],
])('a wrong %s is told in one sentence: %j', (name, value, sentence) => {
  const shape = {
    ...serviceConfig,
    LIMIT: z.coerce.number().int().min(1).default(1),
    SHARE: z.coerce.number().max(1).optional(),
    IS_ON: z.stringbool().default(false),
    MODEL: z.string().max(3).optional(),
  };
  expect(() => readConfig(shape, { ...environment, [name]: value })).toThrow(
    new ConfigurationError(`${name} ${sentence}.`),
  );
});

describe('a variable X may be given as X_FILE, the path of a file', () => {
  const fileOf = async (text: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-config-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'value'), text);
    return join(folder, 'value');
  };
  const { ASSAY_SECRET: secret, ...others } = environment;

  test('a newline at its end is dropped', async () => {
    const config = readConfig(serviceConfig, {
      ...others,
      ASSAY_SECRET_FILE: await fileOf(`${secret}\n`),
    });
    expect(config.ASSAY_SECRET).toBe(secret);
  });

  test('both, a file that is not there and a file with a wrong value are each told in one sentence', async () => {
    const file = await fileOf('short\n');
    expect(() => readConfig(processConfig, { ...environment, ASSAY_SECRET_FILE: file })).toThrow(
      new ConfigurationError(
        'ASSAY_SECRET_FILE and ASSAY_SECRET are both set: leave one of them out.',
      ),
    );
    expect(() =>
      readConfig(processConfig, { ...others, ASSAY_SECRET_FILE: '/nowhere/secret' }),
    ).toThrow(
      new ConfigurationError(
        'ASSAY_SECRET_FILE names /nowhere/secret, which cannot be read (ENOENT).',
      ),
    );
    expect(() => readConfig(processConfig, { ...others, ASSAY_SECRET_FILE: file })).toThrow(
      new ConfigurationError('ASSAY_SECRET must have at least 32 characters.'),
    );
  });
});

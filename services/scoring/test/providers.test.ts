import { readConfig } from '@assay/runtime/config';
import { expect, test } from 'vitest';
import { judgeConfig } from '../src/config.ts';
import { secretsOf } from '../src/judges/providers.ts';

test('every setting that is a secret by its name belongs to a provider, which hides it from errors', () => {
  const names = Object.keys(judgeConfig).filter((name) =>
    /(KEY|SECRET|TOKEN|PASSWORD|CREDENTIALS)/.test(name),
  );
  expect(names.length).toBeGreaterThan(5);
  const config = readConfig(
    judgeConfig,
    Object.fromEntries(names.map((name) => [name, `secret-of-${name}`])),
  );
  expect(secretsOf(config).toSorted()).toEqual(names.map((name) => `secret-of-${name}`).toSorted());
});

import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Code } from '@assay/contracts/metrics';
import { findBinary } from '@assay/local/binaries';
import { onTestFinished } from 'vitest';
import { type CodeEvaluation, createCodeSandbox } from '../sandbox.ts';
import { toBytes } from './parts.ts';

type Options = Parameters<typeof createCodeSandbox>[0];

/**
 * Found as the launcher finds its programs; without it Python is off, and JavaScript is tested with
 * the walls that are left.
 */
export const bubblewrapPath = await findBinary('bwrap', {
  configuredPath: process.env.BUBBLEWRAP_PATH,
  cacheFolder: join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'assay'),
  log: () => undefined,
}).catch(() => undefined);

/**
 * A deadline that a busy machine does not reach by itself, where the deadline is not what is
 * tested.
 */
export const patientMs = 20_000;

/** A sandbox that is closed after the test. */
export function startSandbox(options: Partial<Options> = {}) {
  const sandbox = openSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A sandbox that many tests share, who close it. */
export function openSandbox(options: Partial<Options> = {}) {
  const sandbox = createCodeSandbox({
    bubblewrapPath,
    withoutWall: true,
    timeoutMs: patientMs,
    ...options,
  });
  return {
    ...sandbox,
    /** Evaluates with parts given as values, without the time that it took. */
    run: async (
      language: Code['language'],
      source: string,
      record: Parameters<typeof toBytes>[0] = {},
    ) => {
      const { durationMs, ...outcome } = await sandbox.evaluate({
        code: { language, source },
        ...toBytes(record),
      });
      return outcome as DistributiveOmit<CodeEvaluation, 'durationMs'>;
    },
  };
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown
  ? Omit<Union, Key>
  : never;

/** Why Python cannot run on this machine; undefined where it can. */
export const withoutPython = await (async () => {
  const sandbox = createCodeSandbox({ bubblewrapPath });
  const { python } = await sandbox.availability();
  await sandbox.close();
  return python.available ? undefined : python.reason;
})();

/** The languages that run on this machine. */
export const languages: Code['language'][] = [
  'typescript',
  'javascript',
  ...(withoutPython ? [] : ['python' as const]),
];

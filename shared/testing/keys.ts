import { openKeys, type ProcessKeys } from '@assay/runtime/keys';
import { createLog } from '@assay/runtime/log';
import { inject } from 'vitest';

const log = createLog({ name: 'test', level: 'silent' });
const opened = new Map<string, ProcessKeys>();

/** The keys with which a test acts as this process: all tests have the same root. */
export function keysOf(process: string): ProcessKeys {
  const known = opened.get(process);
  if (known) return known;
  const { keysFolder: ASSAY_KEYS_FOLDER } = inject('servers');
  const keys = openKeys({ ASSAY_KEYS_FOLDER }, process, log);
  opened.set(process, keys);
  return keys;
}

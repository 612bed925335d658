import { createHmac } from 'node:crypto';
import type { Credentials } from '@assay/runtime/keys';
import type { Roots } from './roots.ts';

/**
 * The user of a process at one of the two servers. The password is derived: whoever makes the users
 * and whoever writes the files of keys need not tell each other.
 */
export const userOf = (
  { passwords }: Roots,
  server: 'mongodb' | 'nats',
  process: string,
): Credentials => ({
  user: `assay-${process}`,
  password: createHmac('sha256', passwords).update(`${server} ${process}`).digest('base64url'),
});

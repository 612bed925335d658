import { indexOutbox, unsealOutbox } from '../bus/outbox.ts';
import { indexIdempotencyKeys } from '../http/idempotency.ts';
import type { Migration } from './migrations.ts';

/** What every service with a database has besides its own. */
export const standardMigrations: Migration[] = [
  { name: '0-idempotency-keys', up: indexIdempotencyKeys },
  { name: '0-unsealed-outbox', up: unsealOutbox },
  { name: '0-outbox-by-organization', up: indexOutbox },
];

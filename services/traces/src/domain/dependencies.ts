import type { catalog } from '@assay/contracts/catalog';
import type { Asks } from '@assay/contracts/define';
import type { identity } from '@assay/contracts/identity';
import type { metrics } from '@assay/contracts/metrics';
import type { results } from '@assay/contracts/results';
import type { runRecords } from '@assay/contracts/run-records';
import type { scoring } from '@assay/contracts/scoring';
import type { testcases } from '@assay/contracts/testcases';
import type { ServiceClient } from '@assay/runtime/http/client';
import type { OrganizationLimit } from '@assay/runtime/organization-limits';
import type { Store } from '../store.ts';
import type { SpanReader } from './reading-task.ts';

/** The outside, as the rules of traces need it. */
export interface Dependencies {
  store: Store;
  ask: {
    catalog: Asks<typeof catalog>;
    identity: Asks<typeof identity>;
    metrics: Asks<typeof metrics>;
    results: Asks<typeof results>;
    'run-records': Asks<typeof runRecords>;
    scoring: Asks<typeof scoring>;
  };
  runRecords: ServiceClient<typeof runRecords>;
  testcases: ServiceClient<typeof testcases>;
  /** Reads spans, aside where that is long. */
  read: SpanReader;
  newId: () => string;
  now: () => Date;
  /** Days for which traces of projects without a rule of their own are kept. */
  retentionDays: number;
  /** @throws SERVICE_UNAVAILABLE where the disk of the database is nearly full. */
  checkDisk: () => Promise<void>;
  /** Bytes of spans that an organization may send on a day. */
  bytesPerDayMax: OrganizationLimit;
}

import type { catalog } from '@assay/contracts/catalog';
import type { Announcements, Asks } from '@assay/contracts/define';
import type { identity } from '@assay/contracts/identity';
import type { metrics } from '@assay/contracts/metrics';
import type { results } from '@assay/contracts/results';
import type { runRecords } from '@assay/contracts/run-records';
import type { scoring } from '@assay/contracts/scoring';
import type { systems } from '@assay/contracts/systems';
import type { testcases } from '@assay/contracts/testcases';
import type { traces } from '@assay/contracts/traces';
import type { DiskReserve } from '@assay/runtime/mongo/disk-reserve';
import type { OrganizationLimit } from '@assay/runtime/organization-limits';
import type { Store } from '../store.ts';
import type { ParquetPart, ParquetTask } from './export/parquet-encoding.ts';

/** The dependencies of the rules for runs and records. */
export interface Dependencies {
  store: Store;
  ask: {
    catalog: Asks<typeof catalog>;
    identity: Asks<typeof identity>;
    testcases: Asks<typeof testcases>;
    systems: Asks<typeof systems>;
    metrics: Asks<typeof metrics>;
    results: Asks<typeof results>;
    scoring: Asks<typeof scoring>;
    traces: Asks<typeof traces>;
  };
  announce: Announcements<typeof runRecords>;
  /**
   * Tells the scoring service which records of a run have something pending. Losing it costs time,
   * never a score: the sweep publishes again.
   */
  queueScoring: (
    organizationId: string,
    runId: string,
    recordIds: string[],
    retriedAt?: Date,
  ) => void;
  /** Encodes a part of a Parquet file off the event loop. */
  encodeParquet: (organizationId: string, task: ParquetTask) => Promise<ParquetPart>;
  /** Records of one organization. */
  recordsMax: OrganizationLimit;
  /** Keeps room on the disk of the database. */
  disk: DiskReserve;
  /** Longer than any write can last that read a run before it was changed, in ms. */
  settledMs: number;
  /** How long a member holds a record in review, in ms. */
  reviewLeaseMs: number;
  /** How long nothing changes in a run before its results are read, in ms. */
  resultsQuietMs: number;
  /** Aborted when the service stops. */
  signal: AbortSignal;
  newId: () => string;
  now: () => Date;
}

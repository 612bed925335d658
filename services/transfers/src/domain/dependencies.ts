import type { catalog } from '@assay/contracts/catalog';
import type { identity } from '@assay/contracts/identity';
import type { metrics } from '@assay/contracts/metrics';
import type { runRecords } from '@assay/contracts/run-records';
import type { scoring } from '@assay/contracts/scoring';
import type { sessions } from '@assay/contracts/sessions';
import type { systems } from '@assay/contracts/systems';
import type { testcases } from '@assay/contracts/testcases';
import type { traces } from '@assay/contracts/traces';
import type { ServiceClient } from '@assay/runtime/http/client';
import type { FileSignatures } from './file-signatures.ts';

/** The services that own the parts of a project. */
export interface Owners {
  identity: ServiceClient<typeof identity>;
  catalog: ServiceClient<typeof catalog>;
  testcases: ServiceClient<typeof testcases>;
  systems: ServiceClient<typeof systems>;
  metrics: ServiceClient<typeof metrics>;
  runRecords: ServiceClient<typeof runRecords>;
  scoring: ServiceClient<typeof scoring>;
  sessions: ServiceClient<typeof sessions>;
  traces: ServiceClient<typeof traces>;
}

export interface Dependencies {
  owners: Owners;
  signatures: FileSignatures;
  newId: () => string;
  now: () => Date;
  /** Tells the operator of a fault that no client hears of. */
  warn: (error: unknown, sentence: string) => void;
}

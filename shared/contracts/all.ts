import { catalog } from './catalog.ts';
import type { Service } from './define.ts';
import { identity } from './identity.ts';
import { metrics } from './metrics.ts';
import { runRecords } from './run-records.ts';
import { scoring } from './scoring.ts';
import { sessions } from './sessions.ts';
import { systems } from './systems.ts';
import { testcases } from './testcases.ts';

/** Every service of Assay. */
export const contracts: readonly Service[] = [identity, catalog, testcases, systems, metrics, runRecords, scoring, sessions];

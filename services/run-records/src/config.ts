import { databaseReserveConfig, type ServiceConfig, serviceConfig } from '@assay/runtime/config';
import { z } from 'zod';

export const sweepDefaults = { everyMs: 5_000, afterMs: 15_000 };
export const reviewLeaseMsDefault = 600_000;
export const resultsQuietMsDefault = 2_000;

/** The settings of run-records besides those of every service. */
export const runRecordsSettings = {
  /** How often records whose scoring job was lost are looked for. */
  SWEEP_INTERVAL_MS: z.coerce.number().int().min(50).default(sweepDefaults.everyMs),
  /** How long a record waits for its scores before its job counts as lost. */
  SWEEP_AFTER_MS: z.coerce.number().int().min(50).default(sweepDefaults.afterMs),
  /** How long a member holds a record in review unless the lease is prolonged. */
  REVIEW_LEASE_MS: z.coerce.number().int().min(50).default(reviewLeaseMsDefault),
  /** How long nothing changes in a run before its results are read and kept. */
  RESULTS_QUIET_MS: z.coerce.number().int().min(50).default(resultsQuietMsDefault),
  /** Records of one organization; no bound when left out. */
  RECORDS_MAX: z.coerce.number().int().min(0).optional(),
  ...databaseReserveConfig,
};

export const runRecordsConfig = { ...serviceConfig, ...runRecordsSettings };

/** Settings that are left out have their defaults. */
export type RunRecordsConfig = ServiceConfig &
  Partial<z.output<z.ZodObject<typeof runRecordsSettings>>>;

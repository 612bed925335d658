import {
  databaseReserveConfig,
  type ServiceConfig,
  serviceConfig,
  serviceUrls,
} from '@assay/runtime/config';
import { z } from 'zod';

/** Days for which traces are kept that nothing refers to, where nothing else is said. */
export const retentionDaysDefault = 30;

/** The settings of traces besides those of every service, and the addresses that it needs. */
export const tracesSettings = {
  /** Days from its last span to the deletion of a trace, where its project does not say. */
  TRACE_RETENTION_DAYS: z.coerce.number().int().min(0).max(36_500).default(retentionDaysDefault),
  /** Bytes of spans, in protobuf and not compressed, of one organization on a day of UTC. */
  TRACE_BYTES_PER_DAY_MAX: z.coerce.number().int().min(0).optional(),
  ...databaseReserveConfig,
};

export const tracesConfig = {
  ...serviceConfig,
  /** The processes of run-records and of testcases. */
  RUN_RECORDS_URL: serviceUrls,
  TESTCASES_URL: serviceUrls,
  ...tracesSettings,
};

/** Settings that are left out have their defaults. */
export type TracesConfig = ServiceConfig & {
  RUN_RECORDS_URL: string;
  TESTCASES_URL: string;
} & Partial<z.output<z.ZodObject<typeof tracesSettings>>>;

import { type ServiceConfig, serviceConfig } from '@assay/runtime/config';
import { z } from 'zod';

/** Days for which traces are kept that nothing refers to, where nothing else is said. */
export const retentionDaysDefault = 30;

export const tracesConfig = {
  ...serviceConfig,
  /** Days from its last span to the deletion of a trace. */
  TRACE_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(retentionDaysDefault),
};

/** The retention has a default. */
export type TracesConfig = ServiceConfig & { TRACE_RETENTION_DAYS?: number | undefined };

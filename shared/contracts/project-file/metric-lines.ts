import { z } from 'zod';
import { description, id, name, timestamp } from '../fields.ts';
import { metricConfig } from '../metrics/metric.ts';

export const metricLine = z.object({
  kind: z.literal('metric'),
  id: id(),
  name: name(),
  description: description().nullable(),
  /** The current version. */
  versionId: id(),
  config: metricConfig,
});

/** Its metric may have been deleted, and has no line then. */
export const metricVersionLine = z.object({
  kind: z.literal('metricVersion'),
  id: id(),
  metricId: id(),
  name: name(),
  createdByUserId: id().optional(),
  config: metricConfig,
});

export const metricGroupLine = z.object({
  kind: z.literal('metricGroup'),
  id: id(),
  name: name(),
  description: description(),
  metricIds: z.array(id()).max(1000),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

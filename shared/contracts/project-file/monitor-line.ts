import { z } from 'zod';
import { id, timestamp } from '../fields.ts';
import { monitoredMetricsMax, monitorFilter, monitorSettings } from '../traces/monitors.ts';

/** A monitor as it is set. Its metrics have lines, or their versions where they were deleted. */
export const monitorLine = z.object({
  kind: z.literal('monitor'),
  id: id(),
  metricIds: z.array(id()).min(1).max(monitoredMetricsMax),
  filter: monitorFilter,
  ...monitorSettings,
  createdAt: timestamp(),
  createdByUserId: id(),
});

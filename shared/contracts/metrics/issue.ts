import { z } from 'zod';

/** What is wrong with a metric, as the details of a 400 say it. */
export const metricIssue = z
  .object({
    path: z.string().meta({ description: 'The field, as a JSON Pointer.' }),
    message: z.string().meta({ description: 'A sentence for a person.' }),
    line: z.int().optional().meta({ description: 'Of a template or code, from 1.' }),
    column: z.int().optional().meta({ description: 'Of a template or code, from 1.' }),
  })
  .meta({ id: 'MetricIssue' });

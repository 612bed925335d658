import { z } from 'zod';

/** What is wrong with a metric, as the details of a 400 say it. */
export const metricIssue = z
  .object({
    path: z.string().meta({ description: 'The field, as a JSON Pointer.' }),
    message: z.string().meta({ description: 'A sentence for a person.' }),
    line: z.int().optional(),
    column: z.int().optional(),
  })
  .meta({ id: 'MetricIssue', description: 'Lines and columns are of templates and code, from 1.' });

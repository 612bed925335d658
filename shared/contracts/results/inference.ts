import { z } from 'zod';

export const verdict = z.enum(['better', 'worse', 'undecided']);
export type Verdict = z.infer<typeof verdict>;

export const interval = z
  .object({
    low: z.number().meta({ description: 'Its lower end.' }),
    high: z.number().meta({ description: 'Its upper end.' }),
    level: z.number().meta({ description: 'Its confidence, such as 0.95.' }),
  })
  .meta({ id: 'ConfidenceInterval', description: 'A confidence interval.' });

/** The confidence that a request asks for. */
export const confidenceLevel = (about: string) =>
  z.number().gt(0.5).lt(1).default(0.95).meta({ description: about });

/** Says that less of a metric is better; left out where more is. */
export const lowerIsBetter = z.literal(true).optional().meta({
  description: 'True of what answers take of the system: latency, tokens and cost.',
});

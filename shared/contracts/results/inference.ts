import { z } from 'zod';

export const verdict = z.enum(['better', 'worse', 'undecided']);
export type Verdict = z.infer<typeof verdict>;

/** A confidence interval; `level` is its confidence, such as 0.95. */
export const interval = z.object({ low: z.number(), high: z.number(), level: z.number() });

/** Says that less of a metric is better; left out where more is. */
export const lowerIsBetter = z.literal(true).optional().meta({
  description: 'True of what answers take of the system: latency, tokens and cost.',
});

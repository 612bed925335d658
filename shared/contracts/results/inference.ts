import { z } from 'zod';

export const verdict = z.enum(['better', 'worse', 'undecided']);
export type Verdict = z.infer<typeof verdict>;

/** A confidence interval; `level` is its confidence, such as 0.95. */
export const interval = z.object({ low: z.number(), high: z.number(), level: z.number() });

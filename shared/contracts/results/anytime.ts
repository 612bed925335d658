import { z } from 'zod';
import { interval, verdict } from './inference.ts';

/** The figures of a comparison that hold however often one looks while testcases are added. */
export const anytimeFigures = {
  anytimePValue: z.number().nullable().meta({
    description:
      'As `pValue`, and valid at every look: compare as often as you like while testcases are added to both runs.',
  }),
  anytimeAdjustedPValue: z
    .number()
    .nullable()
    .meta({ description: "Holm's correction over the metrics of this comparison." }),
  anytimeInterval: interval.nullable().meta({
    description:
      'Holds the difference at all looks together. Null where so few pairs bound nothing, or nothing varies.',
  }),
  anytimeMethod: z.string().meta({ description: 'How these were made.' }),
  anytimeVerdict: verdict.meta({
    description: 'By `anytimeAdjustedPValue` and the sign of the difference.',
  }),
};

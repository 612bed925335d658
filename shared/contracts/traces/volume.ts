import { z } from 'zod';
import { exampleInstant } from '../examples.ts';
import { count, timestamp } from '../fields.ts';

/** Stretches of time that traces are counted in. */
export const bucketsMax = 200;

const uncounted = 'null where it was not counted in time.';

export const traceVolume = z
  .object({
    from: timestamp().meta({ description: 'Where the time begins.' }),
    to: timestamp().meta({ description: 'Where it ends.' }),
    bucketMs: z.int().meta({
      description: 'The length of a stretch, in milliseconds; the last one ends at `to`.',
    }),
    isComplete: z.boolean().meta({ description: 'All stretches were counted.' }),
    data: z
      .array(
        z.object({
          from: timestamp().meta({ description: 'Where the stretch begins.' }),
          traces: count()
            .nullable()
            .meta({ description: `Traces that began in it; ${uncounted}` }),
          errors: count()
            .nullable()
            .meta({ description: `Those of them that have an error; ${uncounted}` }),
        }),
      )
      .meta({ description: 'The stretches, the oldest first.' }),
  })
  .meta({
    id: 'TraceVolume',
    description: 'How many traces began in each stretch of a time, the oldest first.',
    examples: [
      {
        from: exampleInstant,
        to: '2026-03-01T10:30:00.000Z',
        bucketMs: 3_600_000,
        isComplete: true,
        data: [{ from: exampleInstant, traces: 212, errors: 3 }],
      },
    ],
  });
export type TraceVolume = z.infer<typeof traceVolume>;

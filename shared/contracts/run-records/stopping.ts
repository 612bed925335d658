import { z } from 'zod';
import { count, id, reference, timestamp } from '../fields.ts';
import { confidenceLevel, verdict } from '../results/inference.ts';

/** When the judges of a run need not be asked about its other testcases. */
export const stoppingBody = {
  compareWith: reference().optional().meta({
    description: 'The run of the same testset with which `stopWhen` compares: the baseline.',
  }),
  stopWhen: z
    .object({
      level: confidenceLevel('The confidence at which the comparison counts as decided.'),
      futility: z.boolean().default(false).meta({
        description:
          'Stop also when the other testcases could not decide it, even if they differed as much as is still likely.',
      }),
      metricId: reference().optional().meta({
        description:
          'The metric that decides, one with a judge; may be left out if the run has only one such.',
      }),
    })
    .optional()
    .meta({
      description:
        'Judges are asked once all expected records are there, about testcases in a random order, until the comparison is decided.',
    }),
};

const decision = z
  .object({
    outcome: verdict.meta({ description: 'What the run is beside its baseline.' }),
    reason: z.enum(['decided', 'futile', 'all_judged', 'not_comparable']).meta({
      description:
        'Why no more looks are taken. `not_comparable`: the runs could not be compared any more, and all is judged.',
    }),
    at: timestamp().meta({ description: 'When it was decided.' }),
    pairs: count().meta({ description: 'Testcases that both runs had a score for.' }),
    judgementsSaved: count().meta({
      description: 'Scores for which no judge was asked; those that are made later do not count.',
    }),
  })
  .meta({ id: 'StoppingDecision' });

/** Of runs that may stop early. */
export const stoppingFields = {
  compareWith: id().optional().meta({ description: 'The run with which `stopWhen` compares.' }),
  stopWhen: z
    .object({
      level: z
        .number()
        .meta({ description: 'The confidence at which the comparison counts as decided.' }),
      futility: z
        .boolean()
        .meta({ description: 'Whether it stops also when nothing can be decided any more.' }),
      metricId: id(),
    })
    .optional()
    .meta({ id: 'StopWhen' }),
  decision: decision
    .nullable()
    .optional()
    .meta({ description: 'Null until it is decided, or all is judged.' }),
};

import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import { id, timestamp } from '../fields.ts';

/** A version of a metric as clients see it, with its prompt, code or evaluator. */
export const listedVersionOf = <Config extends z.ZodType>(config: Config) =>
  z
    .object({
      id: id(),
      metricId: id(),
      createdAt: timestamp(),
      createdByUserId: z
        .string()
        .nullable()
        .meta({ description: 'null for versions of earlier releases, which did not keep it.' }),
      changes: z.array(z.string()).meta({
        description:
          'The fields of `config` that differ from the version before, in the order of the alphabet; none in the first.',
      }),
      config: config.meta({
        id: 'MetricConfig',
        description: 'All that scores: a metric without its names.',
      }),
    })
    .meta({
      id: 'MetricVersion',
      description: 'One immutable definition of a metric.',
      examples: [
        {
          id: exampleIds.metricVersion,
          metricId: exampleIds.metric,
          createdAt: exampleInstant,
          createdByUserId: exampleIds.user,
          changes: ['builtin'],
          config: {
            evalType: 'heuristic',
            outputType: 'boolean',
            guidelines: '',
            builtin: { name: 'exact_match', options: { ignoreCase: true } },
          },
        },
      ],
    });

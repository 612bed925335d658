import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import { description, id, name, timestamp } from '../fields.ts';

/** The metrics of a group. */
export const metricIds = z.array(z.string().max(256)).max(100);

export const metricGroup = z
  .object({
    id: id(),
    projectId: id(),
    name: name().meta({ description: 'As the list of groups shows it.' }),
    description: description().meta({ description: 'What it is for, in words.' }),
    metricIds: z.array(id()).meta({ description: 'Its metrics, in their order.' }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({
    id: 'MetricGroup',
    description: 'Metrics that are used together.',
    examples: [
      {
        id: exampleIds.metricGroup,
        projectId: exampleIds.project,
        name: 'Release checks',
        description: '',
        metricIds: [exampleIds.metric],
        createdAt: exampleInstant,
        updatedAt: exampleInstant,
      },
    ],
  });

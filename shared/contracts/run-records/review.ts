import { z } from 'zod';
import { count, id } from '../fields.ts';
import { outputType } from '../metrics.ts';
import { previewFields } from '../preview.ts';
import { record } from './record.ts';

export const reviewItem = z
  .object({
    record: record.extend({ fields: previewFields }),
    metric: z.object({
      id: id(),
      metricVersionId: id(),
      name: z.string(),
      outputType,
      guidelines: z.string(),
      annotators: z.int(),
    }),
    assigneeUserIds: z.array(z.string()),
    given: count().meta({ description: 'Scores that members have given it already.' }),
  })
  .meta({
    id: 'ReviewItem',
    description:
      'A score that a person has to give. The record comes without its scores, so that nobody is led by what others, or a judge, said.',
  });

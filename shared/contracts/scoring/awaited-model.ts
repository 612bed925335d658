import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { failureCode } from '../run-records/score.ts';

/** A model whose provider is away, since when, and its next try. */
export const awaitedModel = z
  .object({
    model: z.string().meta({ description: 'The model that judgements wait for.' }),
    code: failureCode.meta({ description: 'Which fault its provider has.' }),
    message: z.string().meta({ description: 'The same in words.' }),
    since: timestamp().meta({ description: 'When the provider was first left alone.' }),
    nextProbeAt: timestamp().meta({ description: 'When it is asked next.' }),
  })
  .meta({
    id: 'AwaitedModel',
    description:
      'A model whose provider is away. Judgements wait for it, and none fails that was not asked five times.',
  });
export type AwaitedModel = z.infer<typeof awaitedModel>;

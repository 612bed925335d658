import { z } from 'zod';
import { count } from '../fields.ts';
import { partKeys, testcaseKey, where } from '../testcase-part.ts';

/** The part of its testset that a new run is about; all of it where nothing of this is given. */
export const runPartBody = {
  numTestcases: z.int().min(1).optional().meta({
    description:
      'How many testcases of the testset the run is about, whichever: from 1 to all of them. It cannot be given with `where` or `keys`.',
  }),
  where: where().optional(),
  keys: partKeys().optional().meta({
    description:
      "The keys of the run's testcases; with `where`, those of them for which it holds. A key that no testcase of the testset has is a 400.",
  }),
};

/** Of runs over a part of their testset. */
export const runPartFields = {
  numTestcases: count().optional().meta({
    description:
      'Of a run over a part of its testset: how many testcases it is about, fixed when it began.',
  }),
  numTestsetTestcases: count().optional().meta({
    description: 'Of a run over a part: the testcases that its testset had when it began.',
  }),
  where: where().optional(),
  keys: z
    .array(testcaseKey)
    .optional()
    .meta({ description: 'The keys of the testcases that the run was made for.' }),
};

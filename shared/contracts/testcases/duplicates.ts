import { z } from 'zod';
import { operation } from '../define.ts';
import { exampleIds } from '../examples.ts';
import { count, grouped, id } from '../fields.ts';
import { payload } from '../payload.ts';
import { previewQuery } from '../preview.ts';
import { testcaseKey } from '../testcase-part.ts';

/** Testcases that one search for duplicates reads, and their data in bytes. */
export const duplicatesReadMax = { testcases: 200_000, bytes: 128 * 1024 * 1024 };
/** Groups that a reply has, and testcases of each. */
export const duplicateGroupsMax = 100;
export const groupTestcasesMax = 10;

const duplicate = z.object({
  id: id(),
  key: testcaseKey.optional().meta({ description: 'The key of the testcase.' }),
  expected: payload('What is expected of its answer: it may differ among duplicates.'),
});

const duplicateGroup = z
  .object({
    inputs: payload('The inputs that these testcases have in common, as the first has them.'),
    count: count().meta({ description: 'How many testcases have these inputs.' }),
    testcases: z
      .array(duplicate)
      .meta({ description: `The oldest of them, at most ${groupTestcasesMax}.` }),
  })
  .meta({ id: 'DuplicateGroup', description: 'Testcases with the same inputs.' });

/** The testcases of a testset that ask the same. */
export const duplicateOperations = {
  listDuplicates: operation({
    method: 'GET',
    path: '/testsets/:testsetId/duplicates',
    expensive: true,
    summary: 'Find the testcases of a testset that have the same inputs',
    description: `Inputs are the same where they are equal as JSON; those over 64 KiB where their text is. Testcases without inputs are left out. One request looks at the oldest ${grouped(duplicatesReadMax.testcases)} testcases, or 128 MiB of data.`,
    query: z.object({ preview: previewQuery.preview }),
    reply: z.object({
      read: count().meta({ description: 'Testcases that were looked at.' }),
      isComplete: z.boolean().meta({ description: 'Whether these are all of the testset.' }),
      numGroups: count().meta({ description: 'Inputs that several testcases have.' }),
      numDuplicates: count().meta({
        description: 'Testcases that could be deleted, so that each inputs are there once.',
      }),
      groups: z.array(duplicateGroup).meta({
        description: `The largest first, at most ${duplicateGroupsMax}, and 20 MiB of data.`,
      }),
    }),
    status: 200,
    example: {
      reply: {
        read: 1319,
        isComplete: true,
        numGroups: 1,
        numDuplicates: 1,
        groups: [
          {
            inputs: { question: 'Where is my parcel?' },
            count: 2,
            testcases: [
              {
                id: exampleIds.testcase,
                key: 'parcel-lost',
                expected: { idealAnswer: 'Ask for the tracking number.' },
              },
            ],
          },
        ],
      },
    },
  }),
};

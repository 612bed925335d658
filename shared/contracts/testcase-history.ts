import { z } from 'zod';
import { list } from './define.ts';
import { exampleIds, exampleInstant } from './examples.ts';
import { id, instantParameter, referenceCharactersMax, text, timestamp } from './fields.ts';
import { payload } from './payload.ts';
import { testcaseKey } from './testcase-part.ts';

/** Fields that one change names. */
export const changedFieldsMax = 100;

const key = () => testcaseKey.optional().meta({ description: 'The key of the testcase then.' });

const changedBy = () => text(referenceCharactersMax).meta({ description: 'Who made the change.' });

export const testcaseVersionNumber = () =>
  z.int().min(1).meta({
    description:
      'The number of the version: 1 is the data that the testcase began with, and each change makes the next.',
  });

export const testcaseVersion = z
  .object({
    testcaseId: id(),
    version: testcaseVersionNumber(),
    key: key(),
    jsonData: payload('The data before the change, as it was sent.'),
    createdAt: timestamp().meta({ description: 'Since when the testcase had this data.' }),
    change: z.enum(['updated', 'deleted']).meta({ description: 'How this version ended.' }),
    changedAt: timestamp().meta({ description: 'When it ended.' }),
    changedByUserId: changedBy(),
  })
  .meta({
    id: 'TestcaseVersion',
    description: 'Data that a testcase had before a change.',
    examples: [
      {
        testcaseId: exampleIds.testcase,
        version: 1,
        key: 'parcel-lost',
        jsonData: {
          question: 'Where is my parcel?',
          idealAnswer: 'Ask for the tracking number.',
          topic: 'shipping',
        },
        createdAt: exampleInstant,
        change: 'updated',
        changedAt: exampleInstant,
        changedByUserId: exampleIds.user,
      },
    ],
  });

export const testsetChange = z
  .object({
    testcaseId: id(),
    key: key(),
    change: z.enum(['added', 'changed', 'deleted']).meta({
      description:
        'The difference between the two times: a testcase that came back after `since` is added.',
    }),
    changedAt: timestamp().meta({ description: 'When it was changed last before `until`.' }),
    changedByUserId: changedBy().nullable().meta({
      description: 'Who made that change; null for the creation of a testcase.',
    }),
    version: testcaseVersionNumber().nullable().meta({
      description: 'The version that has `before`: restore it to undo the change.',
    }),
    before: payload('The data at `since`.').nullable().meta({
      description:
        'The data at `since`; null where the testcase was not there, or the data is no longer kept. Of a testcase that was made and deleted between the two times, its last data.',
    }),
    after: payload('The data at `until`.').nullable().meta({
      description: 'The data at `until`; null where the testcase was not there.',
    }),
    fields: z.array(z.string()).meta({
      description: `JSON Pointers to the fields that differ, of a testcase that is changed: at most ${changedFieldsMax}. None where its key alone changed.`,
    }),
  })
  .meta({ id: 'TestsetChange', description: 'How one testcase differs between two times.' });

/** Lists of the changes of testcases. */
export const historyLists = {
  listTestcaseVersions: list({
    path: '/testcases/:testcaseId/versions',
    summary: 'List the data that a testcase had before its changes, newest first',
    description:
      'The testcase may have been deleted. The installation says how many versions are kept (`TESTCASE_VERSIONS_MAX`, 50): the oldest go first, and all go with the testset, or 30 days after the deletion of the testcase (`TESTCASE_DELETED_DAYS`). What the testcase has now is not in the list.',
    item: testcaseVersion,
  }),
  listTestsetChanges: list({
    path: '/testsets/:testsetId/changes',
    summary: 'List the testcases of a testset that differ between two times, last changed first',
    description:
      'A testcase is in the list once, with its data at both times; one that is equal at both is left out. One that was made and deleted between them is told as deleted. A page reads at most 2,000 changes or 20 MiB: it may be shorter than `limit`, or empty, and `nextCursor` leads on.',
    query: z.object({
      since: instantParameter('The earlier time; before the first testcase where it is left out.'),
      until: instantParameter('The later time; now where it is left out.'),
    }),
    item: testsetChange,
  }),
};

import { z } from 'zod';
import { countedList, event, operation, question, service } from './define.ts';
import { exampleIds } from './examples.ts';
import {
  count,
  downloadParameter,
  flagParameter,
  grouped,
  id,
  reference,
  referenceCharactersMax,
  success,
  text,
} from './fields.ts';
import { payload } from './payload.ts';
import { previewFields, previewQuery } from './preview.ts';
import { moveAuthorQuestion } from './project-file/authors.ts';
import { partExport, partRestore } from './project-file/operations.ts';
import { mentionsQuestion } from './run-records/mentions.ts';
import { historyLists, testcaseVersionNumber } from './testcase-history.ts';
import { keyCharactersMax, partKeysMax, testcaseKey, whereParameter } from './testcase-part.ts';
import { testcaseAnnotationOperations } from './testcases/annotations.ts';
import { duplicateOperations } from './testcases/duplicates.ts';

export { testcaseKey } from './testcase-part.ts';
export { type TestcaseAnnotation, testcaseAnnotationsMax } from './testcases/annotations.ts';
export {
  duplicateGroupsMax,
  duplicatesReadMax,
  groupTestcasesMax,
} from './testcases/duplicates.ts';

export const validationError = z
  .object({
    path: z.string().meta({ description: 'The place, as a JSON Pointer.' }),
    message: z.string().meta({ description: 'A sentence for a person.' }),
  })
  .meta({
    id: 'ValidationError',
    description: 'What does not fit, and where: a JSON Pointer that starts with /data or /score.',
  });

const exampleData = {
  question: 'Where is my parcel?',
  idealAnswer: 'Ask for the tracking number.',
  topic: 'shipping',
};
const exampleKey = 'parcel-lost';

const keysMax = 100;
/** Testcases that one request tags. */
const taggedMax = 1000;
const tags = () => z.array(text(256, 1)).max(20);

const key = () =>
  testcaseKey.optional().meta({
    description: "The client's own name of the testcase, unique in its testset.",
  });

export const testcase = z
  .object({
    id: id(),
    testsetId: id(),
    key: key(),
    jsonData: payload('The data, as it was sent.'),
    inputs: payload("The entries of jsonData whose keys are inputs in the testset's mapping."),
    expected: payload('The entries of jsonData whose keys are expected.'),
    validationErrors: z
      .array(validationError)
      .optional()
      .meta({ description: "Only where the data breaks the testset's schema." }),
  })
  .meta({
    id: 'Testcase',
    examples: [
      {
        id: exampleIds.testcase,
        testsetId: exampleIds.testset,
        key: exampleKey,
        jsonData: exampleData,
        inputs: { question: exampleData.question },
        expected: { idealAnswer: exampleData.idealAnswer },
      },
    ],
  });

const jsonData = payload('The data: an object.');

/** A testcase with its key, in a list or as an entry of an import. */
export const keyedData = z.object({ jsonData, key: key() });

/** The modes of an import: what becomes of an entry whose key is known, and of other testcases. */
export const importModes = ['create', 'upsert', 'sync'] as const;
export type ImportMode = (typeof importModes)[number];

/** Testcases that one request of a search or a check reads, at most. */
export const testcasesReadMax = 5000;

/** Testcases that a list counts, at most: in a tenth of the time that a million take. */
export const testcasesCountedMax = 100_000;

const readsSome = `A page of the filtered list reads at most ${grouped(testcasesReadMax)} testcases or 20 MiB: it may be shorter than \`limit\`, or empty, and \`nextCursor\` leads on.`;

const importDescription = [
  'An entry is a testcase: `{ jsonData, key? }` and no other member; every other object is the data itself. In CSV the column `_key` is the key; cells are apart by a comma, semicolon, tab or `|`, as the header line, or a line `sep=;` before it, says, and lines end with LF, CRLF or CR. A row of nothing but separators is skipped. A body in windows-1252 says so: `text/csv; charset=windows-1252`.',
  'With `mode`, the last line is `{ summary: { mode, created, updated, unchanged, deleted, refused, invalid, skipped, examples, warning? } }`, and an entry that is stored has `outcome` (`created`, `updated`, `unchanged`) and its key in its line; `status` is 201 or 200. `examples` has the first ten that were created, updated and deleted.',
  'With `upsert` and `sync` every entry needs a key, so that a repeat changes nothing; an Idempotency-Key has no effect. Data that is equal as JSON is unchanged, and nothing is written.',
  '`sync` deletes nothing if an entry was refused, the body breaks off, or a later sync of the testset has begun.',
].join(' ');

/** A testcases request may be this large: its reply repeats the data up to twice. */
const testcaseBytesMax = 4 * 1024 * 1024;
/** Testcases that another service creates at once. */
export const byKeyBytesMax = 16 * 1024 * 1024;

export const testcases = service({
  name: 'testcases',
  summary: 'Testcases, checked against the schema of their testset',
  operations: {
    listTestcases: countedList({
      path: '/testsets/:testsetId/testcases',
      summary: 'List the testcases of a testset, oldest first',
      about: `How many testcases the testset has: on the first page of a list without filters, up to ${grouped(testcasesCountedMax)}. Left out otherwise.`,
      query: z.object({
        ...previewQuery,
        invalid: flagParameter(
          `Only testcases that break the testset's current schema. ${readsSome}`,
        ),
        q: text(256, 1)
          .optional()
          .meta({
            description: `Only testcases whose data or key contains this text, in any case: in its JSON text, or in a string of it. ${readsSome}`,
          }),
        where: whereParameter().optional(),
        key: z
          .union([testcaseKey.transform((value) => [value]), z.array(testcaseKey).max(keysMax)])
          .optional()
          .meta({
            description: 'Only the testcases with these keys, repeatable.',
            override: {
              type: 'array',
              items: { type: 'string', minLength: 1, maxLength: keyCharactersMax },
              maxItems: keysMax,
            },
          }),
      }),
      item: testcase.extend({ fields: previewFields }),
    }),
    createTestcases: operation({
      method: 'POST',
      path: '/testsets/:testsetId/testcases',
      expensive: true,
      summary: 'Create 1 to 100 testcases, all or none',
      description:
        "A key that another testcase of the testset has, or another item, is a 409; `details.issues` has each item's place, and `details.testcaseId` the testcase.",
      body: z.object({
        items: z.array(keyedData).min(1).max(100).meta({ description: 'The testcases.' }),
      }),
      bodyBytesMax: testcaseBytesMax,
      reply: z.object({ items: z.array(testcase) }),
      status: 201,
      failures: ['CONFLICT'],
      example: {
        body: { items: [{ jsonData: exampleData, key: exampleKey }] },
        otherBodies: {
          'Several, without keys': {
            items: [
              { jsonData: exampleData },
              {
                jsonData: {
                  question: 'Can I pay by invoice?',
                  idealAnswer: 'Yes, within 14 days.',
                  topic: 'payment',
                },
              },
            ],
          },
        },
      },
    }),
    getTestcase: operation({
      method: 'GET',
      path: '/testcases/:testcaseId',
      summary: 'Get a testcase',
      reply: testcase,
      status: 200,
    }),
    getTestcaseData: operation({
      method: 'GET',
      path: '/testcases/:testcaseId/data',
      summary: "A testcase's data as the bytes that were sent, whole or in part",
      query: z.object({ download: downloadParameter() }),
      replyStreams: ['application/json'],
      servesRanges: true,
      download: true,
      status: 200,
    }),
    updateTestcase: operation({
      method: 'PUT',
      path: '/testcases/:testcaseId',
      summary: "Replace a testcase's data; the data before is kept as a version",
      description:
        'Without `key` the testcase keeps the key that it has. A key that another testcase of the testset has is a 409.',
      body: z.object({
        jsonData,
        key: testcaseKey.nullish().meta({
          description: 'The key from now on; null takes it away.',
        }),
      }),
      bodyBytesMax: testcaseBytesMax,
      reply: testcase,
      status: 200,
      failures: ['CONFLICT'],
      example: {
        body: { jsonData: { ...exampleData, idealAnswer: 'Ask for its tracking number.' } },
      },
    }),
    restoreTestcase: operation({
      method: 'POST',
      path: '/testcases/:testcaseId/restore',
      summary: 'Give a testcase the data of an earlier version again',
      description:
        'A change like any other: the data before it is kept. A testcase that was deleted comes back under its id and its key; where another testcase has the key by now, that is a 409. Of one that is there the key stays as it is. After 30 days (`TESTCASE_DELETED_DAYS`) a deleted testcase is removed for good, which is a 404.',
      body: z.object({ version: testcaseVersionNumber() }),
      reply: testcase,
      status: 200,
      failures: ['CONFLICT'],
      example: { body: { version: 1 } },
    }),
    ...historyLists,
    ...duplicateOperations,
    deleteTestcases: operation({
      method: 'POST',
      path: '/testcases/bulk-delete',
      expensive: true,
      summary: 'Delete testcases, each of which can be restored; unknown ids are ignored',
      body: z.object({
        ids: z.array(z.string().max(256)).max(10_000).meta({ description: 'The testcases.' }),
      }),
      reply: success,
      status: 200,
      example: { body: { ids: [exampleIds.testcase] } },
    }),
    tagTestcases: operation({
      method: 'POST',
      path: '/testsets/:testsetId/testcases/tags',
      expensive: true,
      summary: "Add tags to testcases, or take tags away, in the testset's field of tags",
      description:
        'The testset says which field has the tags (`tagsField`). One text there becomes a list. Each testcase that changes keeps the data before it as a version. Unknown ids, and testcases with another value in the field, are left alone.',
      body: z.object({
        ids: z
          .array(z.string().max(referenceCharactersMax))
          .min(1)
          .max(taggedMax)
          .meta({ description: 'The testcases.' }),
        add: tags().default([]).meta({ description: 'Tags that they have from now on.' }),
        remove: tags().default([]).meta({ description: 'Tags that they no longer have.' }),
      }),
      reply: z.object({ changed: count().meta({ description: 'Testcases that changed.' }) }),
      status: 200,
      example: {
        body: { ids: [exampleIds.testcase], add: ['regression'] },
        reply: { changed: 1 },
      },
    }),
    importTestcases: operation({
      method: 'POST',
      path: '/testsets/:testsetId/testcases/import',
      expensive: true,
      summary:
        'Create any number of testcases from NDJSON, CSV with a header line, or a JSON array, or bring the testset up to them by their keys; one response line per entry',
      description: importDescription,
      query: z.object({
        mode: z.enum(importModes).optional().meta({
          description:
            '`create` (the default): every entry is a new testcase. `upsert`: an entry whose key a testcase has replaces its data. `sync`: as upsert, and at the end the testcases that are not in the body are deleted in one step.',
        }),
        answers: z.enum(['all', 'summary']).default('all').meta({
          description:
            '`summary`: no line per entry, only the last line; blank lines come while the import is under way.',
        }),
        dryRun: flagParameter(
          'Checks and answers every entry as an import would, and stores nothing: the lines have no `id`. An Idempotency-Key is ignored.',
        ),
      }),
      streams: ['application/x-ndjson', 'text/csv', 'application/json'],
      replyStreams: ['application/x-ndjson'],
      status: 200,
      commitsIdempotencyKey: true,
      failures: ['CONFLICT'],
      example: { body: { jsonData: exampleData, key: exampleKey } },
    }),
    checkTestcases: operation({
      method: 'POST',
      path: '/testsets/:testsetId/check',
      expensive: true,
      summary: 'Tell which testcases another schema would make invalid; nothing is changed',
      body: z.object({
        jsonSchema: payload('The schema that the testcases are checked against.'),
        after: reference().optional().meta({ description: 'The `next` of the reply before.' }),
      }),
      reply: z.object({
        checked: count().meta({
          description: `Testcases that were read, oldest first: at most ${grouped(testcasesReadMax)}, or 20 MiB.`,
        }),
        invalid: count().meta({ description: 'How many of them break the given schema.' }),
        newlyInvalid: count().meta({
          description: "How many of these do not break the testset's current schema.",
        }),
        examples: z
          .array(z.object({ testcaseId: id(), validationErrors: z.array(validationError) }))
          .meta({ description: 'The first ten that would become invalid.' }),
        next: id().nullable().meta({
          description: 'The last testcase that was read, if there are more: send it as `after`.',
        }),
      }),
      status: 200,
      example: {
        body: {
          jsonSchema: { properties: { topic: { enum: ['shipping', 'payment'] } } },
        },
        reply: {
          checked: 1319,
          invalid: 14,
          newlyInvalid: 14,
          examples: [
            {
              testcaseId: exampleIds.testcase,
              validationErrors: [
                { path: '/data/topic', message: 'must be "shipping" or "payment"' },
              ],
            },
          ],
          next: null,
        },
      },
    }),
    exportTestcases: operation({
      method: 'GET',
      path: '/testsets/:testsetId/testcases/export',
      expensive: true,
      download: true,
      summary: 'Stream all testcases of a testset as NDJSON, CSV or a JSON array',
      query: z.object({
        format: z
          .enum(['ndjson', 'csv', 'json'])
          .default('ndjson')
          .meta({ description: 'The form of the file.' }),
      }),
      replyStreams: ['application/x-ndjson', 'text/csv', 'application/json'],
      status: 200,
    }),
    ...testcaseAnnotationOperations,
    createTestcasesByKey: operation({
      method: 'POST',
      path: '/internal/testcases-by-key',
      summary: 'Create testcases whose keys no other has in the testset; for the traces service',
      access: 'service',
      body: z.object({
        testsetId: z.string(),
        isDryRun: z.boolean(),
        items: z.array(z.object({ key: testcaseKey, jsonData })).max(100),
      }),
      bodyBytesMax: byKeyBytesMax,
      reply: z.object({
        items: z.array(
          z.object({
            /** Null where it is not created. */
            id: id().nullable(),
            created: z.boolean(),
            jsonData,
            validationErrors: z.array(validationError).optional(),
          }),
        ),
      }),
      status: 200,
    }),
    exportTestcasesPart: partExport('testcases'),
    restoreTestcasesPart: partRestore('testcases'),
  },
  questions: {
    mentions: mentionsQuestion,
    count: question({
      summary: 'The number of testcases in a testset',
      payload: z.object({ testsetId: z.string() }),
      reply: z.object({ count: z.number() }),
      /** A million are counted in half a second, on a busy machine in several. */
      timeoutMs: 10_000,
    }),
    part: question({
      summary: 'The ids of the testcases that a part of a testset has, oldest first, page by page',
      payload: z.object({
        testsetId: z.string(),
        /** As JSON text. */
        where: z.string().optional(),
        keys: z.array(z.string()).max(partKeysMax).optional(),
        /** The `next` of the reply before. */
        after: z.string().optional(),
        /** Only testcases that were made before this id. */
        before: z.string().optional(),
      }),
      reply: z.object({
        ids: z.array(z.string()),
        /** The last testcase that was looked at; null at the end. */
        next: z.string().nullable(),
        /** Those of `keys` that no testcase of the testset has. */
        unknownKeys: z.array(z.string()),
      }),
      timeoutMs: 10_000,
    }),
    existing: question({
      summary: 'Which of these ids belong to testcases of the testset',
      payload: z.object({ testsetId: z.string().nullable(), ids: z.array(z.string()).max(1000) }),
      reply: z.object({ ids: z.array(z.string()) }),
    }),
    metadataAt: question({
      summary: 'The value at a JSON Pointer in the metadata of these testcases, or null',
      payload: z.object({
        testsetId: z.string(),
        ids: z.array(z.string()).max(500),
        pointer: z.string(),
      }),
      /** Values as JSON text; in place of a long one, its hash. */
      reply: z.object({
        values: z.array(z.object({ id: z.string(), value: z.string().nullable() })),
      }),
      timeoutMs: 10_000,
    }),
    moveAuthor: moveAuthorQuestion,
    copy: question({
      summary: 'Copy all testcases of one testset under the id of another',
      payload: z.object({ fromTestsetId: z.string(), toTestsetId: z.string() }),
      reply: z.object({ count: z.number() }),
      timeoutMs: 120_000,
    }),
  },
  events: {
    testcasesDeleted: event({
      summary: 'Testcases were deleted one by one (a deleted testset is announced by catalog)',
      payload: z.object({ testcaseIds: z.array(z.string()) }),
    }),
  },
});

import { z } from 'zod';
import { opinionBody } from '../annotation-fields.ts';
import { list, operation, search } from '../define.ts';
import { exampleIds } from '../examples.ts';
import { count, deletedCount, downloadParameter, reference, success, text } from '../fields.ts';
import { previewQuery } from '../preview.ts';
import { mentionOperations } from './mentions.ts';
import {
  annotation,
  examplePassage,
  exampleRecord,
  passage,
  record,
  recordAssignment,
  recordBody,
  recordBytesMax,
  recordTag,
  recordWithStates,
  tagText,
} from './record.ts';
import { recordFilters } from './record-filters.ts';

const dataOf = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item) });

const filtersInWords =
  'Filters combine with AND. A page costs the same however large the run is: where no index answers the filters together, it looks at 2,000 records at most, and may then have fewer items than `limit`, or none, with a cursor to go on. That is so of several filters at once, of `breakdownBy`, of `hasAnnotations=false`, and of `min` and `max` of a float metric without `sort` by its values. A score whose value does not fit its metric neither passes nor fails. Where several members score a record, its value is that of the summary: the majority, lower median or mean of their scores, once all are given.';

/**
 * The operations on records, and on the tags, assignees and annotations that people put on them.
 */
export const recordOperations = {
  createRecord: operation({
    method: 'POST',
    path: '/runs/:runId/records',
    summary: 'Add a record; answered when it is durable',
    body: recordBody,
    bodyBytesMax: recordBytesMax,
    reply: record,
    status: 201,
    statusWhenThere: 200,
    commitsIdempotencyKey: true,
    example: {
      body: {
        inputs: exampleRecord.inputs,
        expected: exampleRecord.expected,
        outputs: exampleRecord.outputs,
        testcaseId: exampleIds.testcase,
      },
      otherBodies: {
        'With what it took, and a score': {
          inputs: exampleRecord.inputs,
          expected: exampleRecord.expected,
          outputs: exampleRecord.outputs,
          clientId: 'parcel-8',
          tags: ['nightly'],
          metrics: { latencyMs: 840, inputTokens: 412, outputTokens: 67, costUsd: 0.0012 },
          scores: [{ metricId: exampleIds.metric, score: { binaryScore: true } }],
        },
      },
    },
  }),
  createRecords: operation({
    method: 'POST',
    path: '/runs/:runId/records/bulk',
    expensive: true,
    summary:
      'Add any number of records, one a line; each is answered by a line of its own when it is durable',
    streams: ['application/x-ndjson'],
    replyStreams: ['application/x-ndjson'],
    status: 200,
    commitsIdempotencyKey: true,
    failures: ['CONFLICT'],
    example: {
      body: {
        clientId: 'parcel-7',
        inputs: exampleRecord.inputs,
        expected: exampleRecord.expected,
        outputs: exampleRecord.outputs,
      },
    },
  }),
  exportRecords: operation({
    method: 'GET',
    path: '/runs/:runId/records/export',
    expensive: true,
    download: true,
    summary:
      'All records of a run with their scores as NDJSON, CSV or Parquet, oldest first, streamed',
    query: z.object({
      format: z
        .enum(['ndjson', 'csv', 'parquet'])
        .default('ndjson')
        .meta({ description: 'The form of the file.' }),
    }),
    replyStreams: ['application/x-ndjson', 'text/csv', 'application/vnd.apache.parquet'],
    status: 200,
  }),
  listRecords: list({
    path: '/runs/:runId/records',
    expensive: true,
    summary: 'List the records of a run with all their scores, by filters, oldest first',
    description: filtersInWords,
    query: z.object({ ...recordFilters, ...previewQuery }),
    item: recordWithStates,
    example: { query: { metricVersionId: exampleIds.metricVersion, outcome: 'fail' } },
  }),
  searchRecords: search({
    path: '/runs/:runId/records/search',
    expensive: true,
    summary: 'Search the payloads of a run for a text, oldest record first',
    description:
      'Finds the text as people read it, in any case: escapes of JSON, such as `\\n`, `\\"` and `\\u00e9`, count as the characters that they stand for. It is looked for in the JSON text, and so in names of fields too. A text in another normal form of Unicode is not found. A page ends when `limit` records are found, or after 2 s, maybe without one; its cursor goes on from there.',
    query: z.object(previewQuery),
    body: {
      text: text(256, 1).meta({ description: 'What to look for.' }),
      fields: z
        .array(z.enum(['inputs', 'expected', 'outputs']))
        .min(1)
        .max(3)
        .optional()
        .meta({ description: 'The payloads to look in; all when left out.' }),
    },
    found: recordWithStates,
    progress: {
      searched: count().meta({
        description: 'Records that were looked in, those of the pages before included.',
      }),
      total: count().meta({ description: 'Records of the run.' }),
    },
    example: { body: { text: 'tracking number', fields: ['outputs'] } },
  }),
  getRecord: operation({
    method: 'GET',
    path: '/records/:recordId',
    summary: 'Get a record with its scores',
    query: z.object(previewQuery),
    reply: recordWithStates,
    status: 200,
  }),
  getRecordPayload: operation({
    method: 'GET',
    path: '/records/:recordId/payloads/:field',
    summary: "One of a record's payloads as the bytes that were sent, whole or in part",
    params: {
      field: z.enum(['inputs', 'expected', 'outputs']).meta({ description: 'Which of them.' }),
    },
    query: z.object({ download: downloadParameter() }),
    replyStreams: ['application/json'],
    servesRanges: true,
    download: true,
    status: 200,
  }),
  deleteRecord: operation({
    method: 'DELETE',
    path: '/records/:recordId',
    summary: 'Delete a record',
    reply: success,
    status: 200,
  }),

  listRecordTags: operation({
    method: 'GET',
    path: '/records/:recordId/tags',
    summary: 'The tags of a record',
    reply: dataOf(recordTag),
    status: 200,
  }),
  createRecordTag: operation({
    method: 'POST',
    path: '/records/:recordId/tags',
    summary: 'Tag a record',
    body: z.object({ text: tagText().meta({ description: 'The tag.' }) }),
    reply: recordTag,
    status: 201,
    statusWhenThere: 200,
    example: { body: { text: 'regression' } },
  }),
  deleteRecordTag: operation({
    method: 'DELETE',
    path: '/records/:recordId/tags/:text',
    summary: 'Take a tag off a record',
    params: { text: z.string().meta({ description: 'The tag.' }) },
    reply: deletedCount,
    status: 200,
  }),
  listRecordAssignees: operation({
    method: 'GET',
    path: '/records/:recordId/assignees',
    summary: 'Who a record is assigned to',
    reply: dataOf(recordAssignment),
    status: 200,
  }),
  createRecordAssignee: operation({
    method: 'POST',
    path: '/records/:recordId/assignees',
    summary: 'Assign a record to a member',
    body: z.object({ assigneeUserId: reference() }),
    reply: recordAssignment,
    status: 201,
    statusWhenThere: 200,
    example: { body: { assigneeUserId: exampleIds.user } },
  }),
  deleteRecordAssignee: operation({
    method: 'DELETE',
    path: '/records/:recordId/assignees/:assigneeUserId',
    summary: 'End an assignment',
    params: { assigneeUserId: z.string().meta({ description: 'The id of the member.' }) },
    reply: deletedCount,
    status: 200,
  }),
  listAnnotations: operation({
    method: 'GET',
    path: '/records/:recordId/annotations',
    summary: 'The annotations of a record, oldest first',
    reply: dataOf(annotation),
    status: 200,
  }),
  createAnnotation: operation({
    method: 'POST',
    path: '/records/:recordId/annotations',
    expensive: true,
    summary: 'Annotate a record or a passage of it: a rating, a comment, or both',
    body: z.object({
      ...opinionBody,
      spanId: text(256, 1).nullish(),
      passage: passage.nullish(),
      comparedRecordId: reference().nullish().meta({
        description: 'The record with which it was compared, of the same testcase.',
      }),
    }),
    reply: annotation,
    status: 201,
    example: { body: { rating: false, comment: 'Too short', passage: examplePassage } },
  }),
  updateAnnotation: operation({
    method: 'PATCH',
    path: '/records/:recordId/annotations/:recordAnnotationId',
    summary: 'Change the rating or the comment of an annotation',
    description: 'Open to its author.',
    body: z.object(opinionBody),
    reply: annotation,
    status: 200,
    failures: ['FORBIDDEN'],
    example: { body: { comment: 'Too short for a customer' } },
  }),
  deleteAnnotation: operation({
    method: 'DELETE',
    path: '/records/:recordId/annotations/:recordAnnotationId',
    summary: 'Delete an annotation of a record',
    description: 'Open to its author and to admins.',
    reply: success,
    status: 200,
    failures: ['FORBIDDEN'],
  }),
  ...mentionOperations,
};

import { z } from 'zod';
import { operation } from '../define.ts';
import { exampleIds } from '../examples.ts';
import { byName, id, memberName } from '../fields.ts';
import { payload } from '../payload.ts';
import { validationError } from '../testcases.ts';
import { traceId } from './ids.ts';

/** Traces of one request that become testcases or records. */
const tracesMax = 100;
const fieldsMax = 100;

const traceIds = z
  .array(traceId)
  .min(1)
  .max(tracesMax)
  .meta({ description: 'Traces of the organization, of any of its projects.' });

/** The part of a trace of which a record is made. */
export const traceSelection = z
  .string()
  .regex(/^(?:trace|last-llm|span:[\s\S]{1,256})$/, 'must be trace, last-llm or span:<name>')
  .meta({
    description:
      '`trace`: the input and the output of the whole. `last-llm`: those of its last call of a model. `span:<name>`: those of the first span of this name.',
  });

const sourceForm =
  /^(?:span:[\s\S]{1,256}?)?\/(?:input|output|inputMessages|outputMessages|metadata|tags|sessionId|userId)(?:\/(?:[^~/]|~[01])*)*$/;

const mapping = byName(
  memberName(256),
  z
    .string()
    .max(1000)
    .regex(sourceForm, 'must be a place in a trace, such as /input or span:retrieve/output/0'),
)
  .refine(
    (fields) => Object.keys(fields).length > 0 && Object.keys(fields).length <= fieldsMax,
    `must have 1 to ${fieldsMax} fields`,
  )
  .meta({
    description:
      'The fields of a testcase, each with a place in the trace: a JSON Pointer that begins with /input, /output, /inputMessages, /outputMessages, /metadata, /tags, /sessionId or /userId, after `span:<name>` for a span’s own. A field whose place is not there is left out.',
  });

/** The operations that make testcases and records of traces. */
export const fromTraces = {
  createTestcasesFromTraces: operation({
    method: 'POST',
    path: '/testsets/:testsetId/testcases/from-traces',
    expensive: true,
    summary: 'Make testcases of traces',
    description:
      "The trace's id is the testcase's key: a trace that has a testcase in the testset already gives that one, unchanged. The traces are kept beyond their retention.",
    body: z.object({
      traceIds,
      mapping,
      dryRun: z
        .boolean()
        .optional()
        .meta({ description: 'Answers what would be made, and makes nothing.' }),
    }),
    reply: z.object({
      items: z
        .array(
          z.object({
            traceId,
            id: id().nullable().meta({ description: 'The testcase; null where it is not made.' }),
            created: z.boolean().meta({ description: 'False where it was there already.' }),
            jsonData: payload('What the mapping makes of the trace.'),
            validationErrors: z.array(validationError).optional(),
          }),
        )
        .meta({ description: 'One for each trace, in the order asked.' }),
    }),
    status: 200,
    example: {
      body: {
        traceIds: [exampleIds.trace],
        mapping: { question: '/input', idealAnswer: '/output' },
        dryRun: true,
      },
    },
  }),
  createRecordsFromTraces: operation({
    method: 'POST',
    path: '/runs/:runId/records/from-traces',
    expensive: true,
    summary: 'Make records of traces, which are scored by the metrics of the run',
    description:
      'Inputs and outputs are the objects that the trace has. Any other value is `input` or `output` of an object, beside the `messages` of the call where there are some: `inputs.input` is then the last message of the user, and `outputs.output` that of the assistant. `expected` is empty; latency, tokens, cost, session, tags and metadata are those of the trace. The `otelLinkId` of the record is the id of the trace: one that has a record in the run already gives that one. The traces are kept beyond their retention.',
    body: z.object({ traceIds, select: traceSelection.default('trace') }),
    reply: z.object({
      items: z
        .array(
          z.object({
            traceId,
            recordId: id(),
            created: z.boolean().meta({ description: 'False where it was there already.' }),
          }),
        )
        .meta({ description: 'One for each trace, in the order asked.' }),
    }),
    status: 200,
    example: { body: { traceIds: [exampleIds.trace], select: 'last-llm' } },
  }),
};

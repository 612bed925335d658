import { z } from 'zod';
import { operation } from '../define.ts';
import { exampleIds, exampleInstant } from '../examples.ts';
import { grouped, id, name, reference, text, timestamp } from '../fields.ts';
import { labelText, run } from './run.ts';

/** Testcases of a candidate that a search compares with those of the runs that it finds. */
export const comparedTestcasesMax = 100_000;
/** Testcases of a candidate that is still to be made. */
const namedTestcasesMax = 10_000;
/** Runs that a search passes over before it ends without one. */
export const passedOverMax = 50;

/** Why the search for the newest run passes a run over. */
export const passOverReason = z.enum(['no_common_score', 'few_testcases', 'many_errors']).meta({
  description:
    '`no_common_score`: it has no counting score of a metric that the candidate has. `few_testcases`: it has records of less than nine in ten of the testcases that the candidate expects and that were there when it began. `many_errors`: more than one in ten of its records are errors.',
});
export type PassOverReason = z.infer<typeof passOverReason>;

const passedOver = z
  .object({
    runId: id(),
    name: name().optional(),
    createdAt: timestamp(),
    reason: passOverReason,
    message: z.string().meta({ description: 'A sentence for people.' }),
  })
  .meta({ id: 'PassedOverRun' });
export type PassedOverRun = z.infer<typeof passedOver>;

const candidate = z.object({
  runId: reference().optional().meta({ description: 'The run, where it is made already.' }),
  testsetId: reference().optional().meta({ description: 'The testset of a run to be made.' }),
  testcaseIds: z.array(reference()).min(1).max(namedTestcasesMax).optional().meta({
    description:
      'The testcases of a run to be made, or some of them; all of the testset when left out.',
  }),
  metricIds: z
    .array(reference())
    .max(100)
    .optional()
    .meta({ description: 'The metrics of a run to be made; any when left out.' }),
});

const description = [
  'Of the completed runs of the project with these properties, the newest is taken that can be compared with the candidate: it has a counting score of a metric of the candidate; it has a record of at least nine in ten of the testcases that the candidate expects and that were there when it began; and at most one in ten of its records is an error. `passedOver` tells the newer ones that were not taken, with the reason. The candidate itself is never taken.',
  `Without \`candidate\`, the newest completed run with a record is taken. With \`runId\`, that run is taken whatever it is, and \`warning\` tells why a search would pass it over. The candidate's ${grouped(comparedTestcasesMax)} oldest testcases count, and a search ends without a run when it has passed ${passedOverMax} over.`,
].join('\n\n');

/** The search for the run that a candidate is compared with: one rule for every client. */
export const newestRunOperations = {
  findNewestRun: operation({
    method: 'POST',
    path: '/projects/:projectId/runs/newest',
    expensive: true,
    summary: 'Find the newest run that a candidate can be compared with; nothing is changed',
    description,
    body: z.object({
      candidate: candidate.optional().meta({
        description: 'The run that is compared with the one that is sought: made, or to be made.',
      }),
      label: labelText.optional().meta({
        description: 'A label as `key:value` that the run has, such as `branch:main`.',
      }),
      name: text(256, 1).optional().meta({ description: 'The name of the run, whole.' }),
      systemVersionId: reference().optional(),
      testsetId: reference().optional().meta({
        description: "The testset of the run; the candidate's, where there is one.",
      }),
      runId: reference().optional().meta({
        description: 'A run that was chosen already; the other properties do not count.',
      }),
    }),
    reply: z.object({
      run: run.nullable(),
      passedOver: z.array(passedOver).meta({ description: 'The newest first.' }),
      warning: passedOver
        .optional()
        .meta({ description: 'Why a search would pass over the run that was chosen.' }),
    }),
    status: 200,
    example: {
      body: { candidate: { runId: exampleIds.run }, label: 'branch:main' },
      otherBodies: {
        'For a run that is still to be made': {
          candidate: { testsetId: exampleIds.testset, metricIds: [exampleIds.metric] },
          systemVersionId: exampleIds.systemVersion,
        },
      },
      reply: {
        run: null,
        passedOver: [
          {
            runId: exampleIds.run,
            name: 'Nightly',
            createdAt: exampleInstant,
            reason: 'many_errors',
            message: 'Passed over run "Nightly": 30 of its 100 records are errors.',
          },
        ],
      },
    },
  }),
};

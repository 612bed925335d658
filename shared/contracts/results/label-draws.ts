import { z } from 'zod';
import { operation } from '../define.ts';
import { exampleIds } from '../examples.ts';
import { count, id, reference } from '../fields.ts';
import {
  assigneesAtOnceMax,
  drawnAtOnceMax,
  drawnTestcasesMax,
} from '../run-records/label-draws.ts';
import { comparedRuns } from './comparison.ts';

/** Labels whose worth a draw tells beforehand. */
export const moreLabels = 20;

const labelDraw = z
  .object({
    baselineRunId: id(),
    candidateRunId: id(),
    metricId: id(),
    humanMetricId: id()
      .nullable()
      .meta({ description: 'By which people score; null as long as nothing is drawn.' }),
    paired: count().meta({ description: 'Testcases that the judge scored in both runs.' }),
    drawn: count().meta({ description: 'Testcases that are drawn, by all draws together.' }),
    labelled: count().meta({
      description: 'Drawn testcases whose records people have scored in both runs.',
    }),
    testcases: z
      .array(
        z.object({
          testcaseId: id(),
          changed: z.boolean().meta({
            description:
              "Whether the judge's value changed: of a boolean, it is drawn three times as often then.",
          }),
          probability: z.number().meta({
            description: 'With which it has been drawn; grows with every further draw.',
          }),
          baselineRecordId: id(),
          candidateRecordId: id(),
        }),
      )
      .meta({ description: 'In the order of the draw: those drawn last are at the end.' }),
    expected: z
      .object({
        labels: count().meta({ description: 'Labels that there are.' }),
        halfWidth: z.number().nullable().meta({
          description:
            'How far the interval of the calibrated difference reaches to each side; null below five labels.',
        }),
        halfWidthWith20More: z
          .number()
          .nullable()
          .meta({
            description: `The same with ${moreLabels} more labels, as far as the labels tell how far the judge errs. Below five labels, a judge is assumed that is wrong on 15 of 100 records, and on numbers by 15 % of the scale.`,
          }),
      })
      .meta({ description: 'What more labels would give, at the level 0.95.' }),
  })
  .meta({
    id: 'LabelDraw',
    description:
      'Testcases of two runs that were drawn for people to score, with known probabilities.',
  });
export type LabelDraw = z.infer<typeof labelDraw>;

const drawnFor = {
  ...comparedRuns,
  metricId: reference().meta({ description: 'A metric that a model judges.' }),
};

export const labelDrawOperations = {
  drawLabels: operation({
    method: 'POST',
    path: '/label-draws',
    expensive: true,
    summary: "Draw testcases of two runs for people to score, so that a judge's errors are known",
    description: [
      'Draws so many more of the testcases that the judge scored in both runs, and has people score the latest scored record of each side by `humanMetricId`. Testcases of a boolean metric whose value changed are drawn three times as often: they tell the most. The probabilities are kept, so that a comparison with `calibrateWith` weighs each label as it should.',
      'Every testcase has a permanent random number for each judge. A further draw goes on where the one before ended, and draws of other pairs of runs take the same testcases first, so that labels of a run serve all its comparisons. Where fewer testcases are left, all of them are drawn.',
    ].join('\n\n'),
    commitsIdempotencyKey: true,
    body: z.object({
      ...drawnFor,
      humanMetricId: reference().meta({
        description: 'A human metric of both runs, with the output type of the judge.',
      }),
      testcases: z
        .int()
        .min(1)
        .max(drawnAtOnceMax)
        .meta({
          description: `How many more; ${drawnTestcasesMax} in all.`,
        }),
      assigneeUserIds: z.array(reference()).max(assigneesAtOnceMax).default([]).meta({
        description: 'Members to whom the records are assigned; to nobody when left out.',
      }),
    }),
    reply: labelDraw,
    status: 200,
    failures: ['CONFLICT'],
    example: {
      body: {
        baselineRunId: exampleIds.run,
        candidateRunId: exampleIds.run,
        metricId: exampleIds.metric,
        humanMetricId: exampleIds.humanMetric,
        testcases: 20,
      },
    },
  }),
  getLabelDraw: operation({
    method: 'GET',
    path: '/label-draws',
    expensive: true,
    summary: 'The testcases of two runs that are drawn for people, and what more labels would give',
    query: z.object(drawnFor),
    reply: labelDraw,
    status: 200,
    example: {
      query: {
        baselineRunId: exampleIds.run,
        candidateRunId: exampleIds.run,
        metricId: exampleIds.metric,
      },
    },
  }),
};

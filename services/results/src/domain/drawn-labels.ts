import type { Identity } from '@assay/contracts/define';
import type { JudgedTestcase } from './calibration.ts';
import type { Dependencies } from './dependencies.ts';

/** A testcase whose records were drawn for people, with the probability of its label. */
export interface DrawnLabel {
  testcaseId: string;
  probability: number;
  /** Testcases of one class were drawn alike. */
  drawClass: string;
}

/** The runs, the judge and the human metric that draws are for. */
interface DrawnFor {
  runIds: string[];
  metricId: string;
  humanMetricId: string;
}

interface DrawnSide {
  probability: number;
  weight: number;
}

/**
 * The testcases that were drawn in all of these runs, by any draws of this judge and human metric. Of
 * a run, those of several draws have the greatest of their probabilities; of two runs, the least of
 * theirs, since random numbers are permanent (ADR 39).
 */
async function findDrawn(
  { streamLabelDraws }: Pick<Dependencies['runRecords'], 'streamLabelDraws'>,
  identity: Identity,
  { runIds, metricId, humanMetricId }: DrawnFor,
): Promise<DrawnLabel[]> {
  const drawnIn = new Map(runIds.map((id) => [id, new Map<string, DrawnSide>()]));
  for await (const draw of streamLabelDraws(identity, { runIds, metricId })) {
    if (draw.humanMetricId !== humanMetricId) continue;
    for (const runId of new Set([draw.baselineRunId, draw.candidateRunId]))
      for (const { testcaseId, probability, weight } of draw.testcases) {
        const drawn = drawnIn.get(runId);
        if (drawn && probability > (drawn.get(testcaseId)?.probability ?? 0))
          drawn.set(testcaseId, { probability, weight });
      }
  }
  const sides = runIds.map((id) => drawnIn.get(id)!);
  return [...sides[0]!.keys()].flatMap((testcaseId) => {
    const drawn = sides.flatMap((side) => side.get(testcaseId) ?? []);
    if (drawn.length < sides.length) return [];
    return [
      {
        testcaseId,
        probability: Math.min(...drawn.map(({ probability }) => probability)),
        drawClass: drawn.map(({ weight }) => weight).join('/'),
      },
    ];
  });
}

/** The probabilities of the labels of these testcases, those that were drawn in all of the runs. */
export async function findProbabilities(
  runRecords: Pick<Dependencies['runRecords'], 'streamLabelDraws'>,
  identity: Identity,
  { testcases, ...drawnFor }: DrawnFor & { testcases: readonly JudgedTestcase[] },
): Promise<Map<string, number>> {
  const drawn = await findDrawn(runRecords, identity, drawnFor);
  const labelled = new Set(
    testcases.filter(({ label }) => label !== undefined).map(({ testcaseId }) => testcaseId),
  );
  return labelProbabilities(drawn, (testcaseId) => labelled.has(testcaseId));
}

/**
 * The probabilities with which the labelled testcases were drawn and labelled. Of those that were
 * drawn, the labelled ones of each class count as taken by chance, since people go through records
 * in an order that has nothing to do with their answers: weighting classes (Oh and Scheuren,
 * Weighting adjustment for unit nonresponse, in Incomplete Data in Sample Surveys 2, 1983). Where
 * all are labelled, they are those of the draw.
 */
export function labelProbabilities(
  drawn: readonly DrawnLabel[],
  isLabelled: (testcaseId: string) => boolean,
): Map<string, number> {
  const counts = new Map<string, { drawn: number; labelled: number }>();
  for (const { drawClass, testcaseId } of drawn) {
    const known = counts.get(drawClass) ?? { drawn: 0, labelled: 0 };
    known.drawn += 1;
    if (isLabelled(testcaseId)) known.labelled += 1;
    counts.set(drawClass, known);
  }
  const labelled = drawn.filter(({ testcaseId }) => isLabelled(testcaseId));
  return new Map(
    labelled.map(({ testcaseId, drawClass, probability }) => {
      const { drawn, labelled } = counts.get(drawClass)!;
      return [testcaseId, (probability * labelled) / drawn];
    }),
  );
}

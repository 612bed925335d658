import type { Identity } from '@assay/contracts/define';
import type { Sides } from './comparison/sides.ts';
import type { Dependencies } from './dependencies.ts';

/** A testcase whose records were drawn for people, with the probability of its label. */
export interface DrawnLabel {
  testcaseId: string;
  probability: number;
  /** Testcases of one class were drawn alike. */
  drawClass: string;
}

interface DrawnSide {
  probability: number;
  weight: number;
}

/**
 * The testcases that were drawn in both runs of a comparison, by any draws of this judge and human
 * metric. Of a run, those of several draws have the greatest of their probabilities; of both runs,
 * the least of the two, since random numbers are permanent (ADR 39).
 */
export async function findDrawn(
  { streamLabelDraws }: Pick<Dependencies['runRecords'], 'streamLabelDraws'>,
  identity: Identity,
  {
    sides: { baseline, candidate },
    metricId,
    humanMetricId,
  }: { sides: Sides; metricId: string; humanMetricId: string },
): Promise<DrawnLabel[]> {
  const drawnIn = new Map(
    [baseline.id, candidate.id].map((id) => [id, new Map<string, DrawnSide>()]),
  );
  for await (const draw of streamLabelDraws(identity, { runIds: [...drawnIn.keys()], metricId })) {
    if (draw.humanMetricId !== humanMetricId) continue;
    for (const runId of new Set([draw.baselineRunId, draw.candidateRunId]))
      for (const { testcaseId, probability, weight } of draw.testcases) {
        const drawn = drawnIn.get(runId);
        if (drawn && probability > (drawn.get(testcaseId)?.probability ?? 0))
          drawn.set(testcaseId, { probability, weight });
      }
  }
  const [before, after] = [drawnIn.get(baseline.id)!, drawnIn.get(candidate.id)!];
  return [...before].flatMap(([testcaseId, ofBaseline]) => {
    const ofCandidate = after.get(testcaseId);
    if (!ofCandidate) return [];
    return [
      {
        testcaseId,
        probability: Math.min(ofBaseline.probability, ofCandidate.probability),
        drawClass: `${ofBaseline.weight}/${ofCandidate.weight}`,
      },
    ];
  });
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

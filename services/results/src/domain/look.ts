import type { Identity } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { Look } from '@assay/contracts/results';
import { toMetricPairs } from './comparison/compare-sides.ts';
import { comparedMetric, findSides, incomparable, type Sides } from './comparison/sides.ts';
import { commonTestcases, gatherSides, pairsOf, valuesOf } from './comparison/values.ts';
import type { Dependencies } from './dependencies.ts';

/** Looks at a comparison whose candidate is still judged (ADR 40). */
export function createLooks({
  runRecords,
  ask,
  look,
}: Pick<Dependencies, 'runRecords' | 'ask' | 'look'>) {
  /** The runs, or none where one was deleted. */
  async function sidesOf(
    identity: Identity,
    runs: { baselineRunId: string; candidateRunId: string },
  ): Promise<Sides | undefined> {
    try {
      return await findSides({ runRecords, ask }, identity, { ...runs, place: '/' });
    } catch (error) {
      if (error instanceof Failure && error.code === 'VALIDATION_ERROR') return undefined;
      throw error;
    }
  }

  return {
    async look(
      identity: Identity,
      {
        metricId,
        level,
        ...runs
      }: { baselineRunId: string; candidateRunId: string; metricId: string; level: number },
    ): Promise<Look> {
      const sides = await sidesOf(identity, runs);
      const metric = sides && comparedMetric(sides, metricId);
      if (!sides || !metric || incomparable(metric) !== undefined)
        return { outcome: 'not comparable' };
      const gathered = await gatherSides(runRecords, identity, {
        sides,
        metrics: [metric],
        repeats: 'mean',
        errors: 'worst',
      });
      const testcaseIds = commonTestcases(gathered);
      const pairs = toMetricPairs(pairsOf(testcaseIds, gathered, metric), {
        metric,
        level,
        groups: undefined,
      });
      let toCome = 0;
      for (const { baseline, candidate } of valuesOf(testcaseIds, gathered, metric))
        if (baseline && !candidate) toCome++;
      return {
        outcome: 'compared',
        pairs: pairs.baseline.length,
        ...(await look({ ...pairs, toCome })),
      };
    },
  };
}

import type { Identity } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { AwaitedModel } from '@assay/contracts/scoring';
import type { Dependencies } from '../dependencies.ts';

/**
 * The models of a run's judges whose providers are away; none where scoring does not answer, since
 * a run can be told without it.
 */
export async function waitingForOf(
  { ask }: Pick<Dependencies, 'ask'>,
  identity: Identity,
  metrics: Pick<MetricVersionOutline, 'evalModelName'>[],
): Promise<AwaitedModel[]> {
  const models = new Set(metrics.flatMap(({ evalModelName }) => evalModelName ?? []));
  if (models.size === 0) return [];
  try {
    return (await ask.scoring.waitingFor(identity, { models: [...models] })).data;
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

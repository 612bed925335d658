import type { Client } from '@assay/client/client';
import { percent, whole } from '@assay/client/figures';
import type { BodyOf } from '@assay/client/operations';
import type { Bodies } from './bodies.ts';
import type { ProjectChanges } from './changes.ts';

/** The scores of a changed or new metric for the records of a run. */
export interface MetricPreview {
  name: string;
  scored: number;
  failed: number;
  flipped: number;
  passRateBefore: number | null;
  passRateAfter: number | null;
  costUsd: number;
}

type NewPreview = BodyOf<'POST', '/projects/:projectId/metrics/preview'>;
type ChangePreview = BodyOf<'POST', '/metrics/:metricId/preview'>;

/** Scores records of a run with each metric that is new or gets a new version. Judges cost money. */
export async function previewMetrics({
  client,
  projectId,
  runId,
  bodies,
  changes,
}: {
  client: Client;
  projectId: string;
  runId: string;
  bodies: Bodies;
  changes: ProjectChanges;
}): Promise<MetricPreview[]> {
  const previews: MetricPreview[] = [];
  for (const { id, name, isNew, isNewVersion } of changes.metrics) {
    const own = bodies.metrics.find((metric) => metric.name === name);
    if (!own || (!isNew && !isNewVersion) || isScoredElsewhere(own.body)) continue;
    const { scored, failed, flipped, costUsd, before, after } = isNew
      ? await client.request('POST', '/projects/:projectId/metrics/preview', {
          params: { projectId },
          body: { metric: own.body, runId } as NewPreview,
        })
      : await client.request('POST', '/metrics/:metricId/preview', {
          params: { metricId: id! },
          body: { change: own.body, runId } as ChangePreview,
        });
    const [passRateBefore, passRateAfter] = [isNew ? null : before.passRate, after.passRate];
    previews.push({ name, scored, failed, flipped, passRateBefore, passRateAfter, costUsd });
  }
  return previews;
}

/** By people, or by clients: there is nothing to preview. */
const isScoredElsewhere = ({ evalType, builtin, code }: Record<string, unknown>): boolean =>
  evalType === 'human' || (evalType === 'heuristic' && !builtin && !code);

export function previewSentence({
  name,
  scored,
  failed,
  flipped,
  passRateBefore,
  passRateAfter,
  costUsd,
}: MetricPreview): string {
  const rate = (share: number | null) => (share === null ? '–' : percent(share));
  const rates =
    passRateBefore === null
      ? `${rate(passRateAfter)} pass`
      : `${rate(passRateAfter)} pass, before ${rate(passRateBefore)}`;
  return `Preview of "${name}": ${whole(scored)} records scored${failed > 0 ? `, ${whole(failed)} failed` : ''}; ${whole(flipped)} flip; ${rates}; it cost $${costUsd.toFixed(4)}.`;
}

import type { Client } from '@assay/client/client';
import type { BodyOf } from '@assay/client/operations';
import { statedScale } from '@assay/contracts/scale';
import { createOnce } from './create-once.ts';
import type { Scorers } from './scorers.ts';

type OwnMetric = NonNullable<ReturnType<Scorers['metricOf']>> & { name: string };

/** Makes the metric of a scorer of one's own, which nothing of the project is called like. */
export function makeOwnMetric(client: Client, projectId: string, metric: OwnMetric) {
  const params = { projectId };
  const body = {
    name: metric.name,
    description: 'Scored by the evaluations themselves.',
    evalType: 'heuristic',
    outputType: metric.outputType,
    ...statedScale(metric),
  } as BodyOf<'POST', '/projects/:projectId/metrics'>;
  return createOnce({
    path: `/projects/${projectId}/metrics`,
    name: metric.name,
    create: (idempotencyKey) =>
      client.request('POST', '/projects/:projectId/metrics', { params, body, idempotencyKey }),
    find: (metricId) => client.request('GET', '/metrics/:metricId', { params: { metricId } }),
    list: () => client.list('/projects/:projectId/metrics', { params }),
  });
}

import type { Asks, Identity } from '@assay/contracts/define';
import type { MetricVersion, metrics } from '@assay/contracts/metrics';

/** Metric versions remembered; they never change, so the bound is all that forgets. */
const knownMax = 2000;

export type KnownVersions = ReturnType<typeof createKnownVersions>;

/** Metric versions by id, asked for once. Those that are not there are left out. */
export function createKnownVersions(ask: { metrics: Asks<typeof metrics> }) {
  const known = new Map<string, MetricVersion>();

  return async ({ organizationId, ...identity }: Identity, ids: string[]): Promise<Map<string, MetricVersion>> => {
    const keyOf = (id: string) => `${organizationId}/${id}`;
    const unknown = ids.filter((id) => !known.has(keyOf(id)));
    const answers = await Promise.all(
      unknown.map((metricVersionId) => ask.metrics.version({ organizationId, ...identity }, { metricVersionId })),
    );
    if (known.size + answers.length > knownMax) known.clear();
    for (const { version } of answers) if (version) known.set(keyOf(version.metricVersionId), version);
    return new Map(ids.flatMap((id) => (known.has(keyOf(id)) ? [[id, known.get(keyOf(id))!] as const] : [])));
  };
}

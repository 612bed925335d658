import type { Asks, Identity } from '@assay/contracts/define';
import type { MetricVersion, metrics } from '@assay/contracts/metrics';
import { LRUCache } from 'lru-cache';

/** Metric versions remembered; they never change, so the bound is all that forgets. */
const knownMax = 2000;

export type KnownVersions = ReturnType<typeof createKnownVersions>;

/** Metric versions by id, asked for once. Those that are not there are left out. */
export function createKnownVersions(ask: { metrics: Asks<typeof metrics> }) {
  const known = new LRUCache<string, MetricVersion>({ max: knownMax });

  return async (
    { organizationId, ...identity }: Identity,
    ids: string[],
  ): Promise<Map<string, MetricVersion>> => {
    const keyOf = (id: string) => `${organizationId}/${id}`;
    const found = new Map(ids.map((id) => [id, known.get(keyOf(id))]));
    const unknown = ids.filter((id) => !found.get(id));
    const answers = await Promise.all(
      unknown.map((metricVersionId) =>
        ask.metrics.version({ organizationId, ...identity }, { metricVersionId }),
      ),
    );
    for (const { version } of answers) {
      if (!version) continue;
      known.set(keyOf(version.metricVersionId), version);
      found.set(version.metricVersionId, version);
    }
    return new Map(
      [...found].flatMap(([id, version]) => (version ? [[id, version] as const] : [])),
    );
  };
}

import { LookupFailure, unknownName } from '@assay/client/named';
import { isSystemMetricId } from '@assay/client/system-metrics';
import { CannotTell } from './failure.ts';
import type { Side as JudgedSide } from './runs.ts';

type Side = Pick<JudgedSide, 'role' | 'metrics'>;

export interface Selection {
  metricIds: string[];
  /** Metrics that only one of the runs has; none where metrics were named. */
  notCompared: { name: string; role: Side['role'] }[];
}

/**
 * The metrics that were named, by id or name; all that both runs have where none was. A name such as
 * `latency` that no metric has means that of the records of both runs.
 */
export function selectMetrics({
  wanted,
  baseline,
  candidate,
}: {
  wanted: string[];
  baseline: Side;
  candidate: Side;
}): Selection {
  const [ofBaseline, ofCandidate] = [namesById(baseline), namesById(candidate)];
  const shared = [...ofCandidate.keys()].filter((id) => ofBaseline.has(id));
  const namesOf = (id: string) => new Set([...ofBaseline.get(id)!, ...ofCandidate.get(id)!]);
  const isFound = (name: string) => shared.some((id) => id === name || namesOf(id).has(name));
  const measured = wanted.filter((name) => isSystemMetricId(name) && !isFound(name));
  if (shared.length === 0 && (wanted.length === 0 || measured.length < wanted.length))
    throw new CannotTell('The runs have no metric in common.');
  if (wanted.length === 0)
    return {
      metricIds: shared,
      notCompared: [...loneOf(baseline, ofCandidate), ...loneOf(candidate, ofBaseline)],
    };
  const metricIds = wanted.map((name) => {
    if (shared.includes(name) || measured.includes(name)) return name;
    const found = shared.filter((id) => namesOf(id).has(name));
    if (found.length > 1)
      throw new LookupFailure(
        `${found.length} metrics are called "${name}": give an id, ${found.join(' or ')}.`,
      );
    if (found.length === 0)
      throw none({ name, baseline, candidate, names: shared.map((id) => [...namesOf(id)][0]!) });
    return found[0]!;
  });
  return { metricIds: [...new Set(metricIds)], notCompared: [] };
}

/**
 * A metric that was scored anew stands in a summary once for each version, and may have been
 * renamed between.
 */
function namesById({ metrics }: Side): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const { metricId, name } of metrics)
    names.set(metricId, (names.get(metricId) ?? new Set()).add(name));
  return names;
}

const loneOf = ({ role, metrics }: Side, other: Map<string, unknown>): Selection['notCompared'] =>
  [...new Map(metrics.map(({ metricId, name }) => [metricId, name]))]
    .filter(([id]) => !other.has(id))
    .map(([, name]) => ({ name, role }));

function none({
  name,
  baseline,
  candidate,
  names,
}: {
  name: string;
  baseline: Side;
  candidate: Side;
  names: string[];
}): LookupFailure {
  const owner = [baseline, candidate].find(({ metrics }) =>
    metrics.some((metric) => metric.metricId === name || metric.name === name),
  );
  return owner
    ? new LookupFailure(
        `Only the ${owner.role} run has the metric "${name}"; both have ${names.map((other) => `"${other}"`).join(', ')}.`,
      )
    : unknownName({ kind: 'metric', wanted: name }, names);
}

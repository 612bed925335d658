import type { ItemOf } from '@assay/client/operations';
import { isNumeric } from '@assay/contracts/scale';
import { Link, useParams } from '@tanstack/react-router';
import { visible } from '../../text/format.ts';
import { tookOf } from '../../text/took.ts';
import { type MetricComparison, writeValue } from '../../text/verdicts.ts';
import styles from './pairs.module.css';

type PairItem = ItemOf<'/comparisons/pairs'>;
type Side = 'baseline' | 'candidate';
type PairRecord = NonNullable<PairItem['baseline']>;

/** All figures of a testcase in both runs: each metric, latency, tokens and cost, and the traces. */
export function PairFigures({
  pair: { baseline, candidate },
  metrics,
  names,
}: {
  pair: PairItem;
  metrics: MetricComparison[];
  names: Record<Side, string>;
}) {
  const figures = [
    ...metrics.map((metric) => ({
      name: metric.name,
      before: scoreOf(baseline, metric, metric.baselineMetricVersionId),
      after: scoreOf(candidate, metric, metric.candidateMetricVersionId),
    })),
    ...tookFigures(baseline, candidate),
  ].filter(({ before, after }) => before !== undefined || after !== undefined);
  const traced = ([baseline, candidate] as const).map((record) => record?.otelLinkId);
  return (
    <dl className={styles.facts} aria-label="All figures">
      {figures.map(({ name, before = '–', after = '–' }) => (
        <div key={name}>
          <dt>{visible(name)}</dt>
          <dd>{before === after ? before : `${before} → ${after}`}</dd>
        </div>
      ))}
      {traced.some(Boolean) && (
        <div>
          <dt>Traces</dt>
          <dd>
            {(['baseline', 'candidate'] as const).map((side, place) => {
              const linkId = traced[place];
              return linkId && <TraceLink key={side} linkId={linkId} name={names[side]} />;
            })}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** The latest score of a record by a version of a metric, for people. */
function scoreOf(
  record: PairRecord | null,
  metric: MetricComparison,
  metricVersionId: string,
): string | undefined {
  const value = record?.scores.findLast(
    ({ metricConfigId, score }) =>
      metricConfigId === metricVersionId && ['boolean', 'number'].includes(typeof score.value),
  )?.score.value;
  if (value === undefined) return undefined;
  if (isNumeric(metric.outputType)) return writeValue(metric, Number(value));
  return value === (metric.lowerIsBetter === true) ? '✗ fail' : '✓ pass';
}

function tookFigures(baseline: PairRecord | null, candidate: PairRecord | null) {
  const before = tookOf(baseline?.metrics ?? {});
  const after = tookOf(candidate?.metrics ?? {});
  const names = new Set([...before, ...after].map(({ name }) => name));
  const textOf = (took: typeof before, wanted: string) =>
    took.find(({ name }) => name === wanted)?.text;
  return [...names].map((name) => ({
    name,
    before: textOf(before, name),
    after: textOf(after, name),
  }));
}

/** The traces that carry the link of a record, or the one that has it as its id. */
function TraceLink({ linkId, name }: { linkId: string; name: string }) {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/compare' });
  return (
    <Link to="/projects/$projectId/traces" params={{ projectId }} search={{ linkId }}>
      {visible(name)}
    </Link>
  );
}

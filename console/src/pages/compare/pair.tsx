import type { ItemOf } from '@assay/client/operations';
import { lossOf } from '@assay/comparison/figures';
import { isNumeric } from '@assay/contracts/scale';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { JsonDifference, TextDifference } from '../../parts/difference/difference.tsx';
import { ModelText } from '../../parts/payload/model-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, formatShare, visible } from '../../text/format.ts';
import { readable, wholeOf } from '../../text/json.ts';
import { type MetricComparison, writeValue } from '../../text/verdicts.ts';
import { PairComments } from './pair-comments.tsx';
import { PairFigures } from './pair-figures.tsx';
import styles from './pairs.module.css';

export type PairItem = ItemOf<'/comparisons/pairs'>;
type Side = 'baseline' | 'candidate';
export type DifferenceKind = 'words' | 'lines' | 'json';
/** Which side is shown alone. */
export type SideChoice = Side | 'both';

interface PairProps {
  pair: PairItem;
  metric: MetricComparison;
  /** All metrics of the comparison. */
  metrics: MetricComparison[];
  kind: DifferenceKind;
  shown: SideChoice;
  names: Record<Side, string>;
  isCurrent: boolean;
  /** Says which answer is better, where people can. */
  preference: ReactNode;
  ref: Ref<HTMLElement>;
}

/** A testcase in both runs: inputs, expected, both answers, and their difference. */
export function Pair({
  pair,
  metric,
  metrics,
  kind,
  shown,
  names,
  isCurrent,
  preference,
  ref,
}: PairProps) {
  const { baseline, candidate } = pair;
  const either = candidate ?? baseline;
  if (!either) return null;
  const sides = (['baseline', 'candidate'] as const).filter(
    (side) => shown === 'both' || shown === side,
  );
  return (
    <article
      ref={ref}
      tabIndex={-1}
      aria-current={isCurrent}
      className={`${styles.pair} ${isCurrent ? styles.current : ''}`}
    >
      <header className={styles.pairHead}>
        <Change pair={pair} metric={metric} />
        <Tag recordId={either.id} runId={either.runId} />
      </header>
      <div className={styles.given}>
        <Text title="Inputs" text={readable(either.inputs)} />
        <Text title="Expected" text={readable(either.expected)} />
      </div>
      <div className={styles.sides}>
        {sides.map((side) => (
          <Answer key={side} title={names[side]} pair={pair} side={side} metric={metric} />
        ))}
      </div>
      <PairFigures pair={pair} metrics={metrics} names={names} />
      {baseline && candidate && preference}
      {baseline && candidate && !baseline.error && !candidate.error && (
        <Difference before={baseline.outputs} after={candidate.outputs} kind={kind} />
      )}
      {baseline && candidate && (
        <PairComments baselineId={baseline.id} candidateId={candidate.id} />
      )}
    </article>
  );
}

/** The change of the testcase, in a word and by its values. */
function Change({ pair, metric }: Pick<PairProps, 'pair' | 'metric'>) {
  const { baselineValue, candidateValue } = pair;
  const difference =
    baselineValue === null || candidateValue === null
      ? undefined
      : Number(candidateValue) - Number(baselineValue);
  const isBetter = difference !== undefined && lossOf(metric, difference) < 0;
  return (
    <>
      {difference !== undefined && difference !== 0 && (
        <span className={isBetter ? styles.improved : styles.regressed}>
          <span aria-hidden="true">{isBetter ? '▲' : '▼'}</span>{' '}
          {isBetter ? 'improved' : 'regressed'}
        </span>
      )}
      <span>
        {writePairValue(metric, baselineValue)} → {writePairValue(metric, candidateValue)}
      </span>
    </>
  );
}

function writePairValue(metric: MetricComparison, value: number | boolean | null): string {
  if (value === null) return 'no score';
  if (typeof value === 'boolean')
    return value === (metric.lowerIsBetter === true) ? '✗ fail' : '✓ pass';
  if (isNumeric(metric.outputType)) return writeValue(metric, value);
  return `${formatShare(value)} ${metric.lowerIsBetter ? 'fail' : 'pass'}`;
}

/** The tag by which people find testcases again that they want to talk about. */
const tagText = 'discuss';

function Tag({ recordId, runId }: { recordId: string; runId: string }) {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/compare' });
  const tag = useChange('POST', '/records/:recordId/tags', {
    refreshes: ['/records/:recordId/tags', '/runs/:runId/records'],
  });
  return (
    <span className={styles.tag}>
      {tag.error && <Problem error={tag.error} />}
      {tag.isSuccess ? (
        <span role="status">
          ✓ tagged{' '}
          <Link
            to="/projects/$projectId/runs/$runId"
            params={{ projectId, runId }}
            search={{ tags: [tagText] }}
            title="All records of the run with this tag"
          >
            “{tagText}”
          </Link>
        </span>
      ) : (
        <Button
          isBusy={tag.isPending}
          data-tag
          onClick={() => tag.mutate({ params: { recordId }, body: { text: tagText } })}
        >
          Tag “{tagText}”
        </Button>
      )}
    </span>
  );
}

function Answer({
  title,
  pair,
  side,
  metric,
}: {
  title: string;
  pair: PairItem;
  side: Side;
  metric: MetricComparison;
}) {
  const { [side]: record, numRecords } = pair;
  const { projectId } = useParams({ from: '/frame/projects/$projectId/compare' });
  if (!record)
    return (
      <div className={styles.side}>
        <h3>{title}</h3>
        <p className={styles.reason}>This run has no score of the testcase.</p>
      </div>
    );
  const versions = [metric.baselineMetricVersionId, metric.candidateMetricVersionId];
  const reasons = record.scores.flatMap(({ metricConfigId, score }) =>
    versions.includes(metricConfigId) && typeof score.reasoning === 'string'
      ? [score.reasoning]
      : [],
  );
  return (
    <div className={styles.side}>
      <h3>
        <Link
          to="/projects/$projectId/records/$recordId"
          params={{ projectId, recordId: record.id }}
        >
          {title}
        </Link>
      </h3>
      {numRecords[side] > 1 && (
        <p className={styles.reason}>
          The latest of{' '}
          <Link
            to="/projects/$projectId/runs/$runId"
            params={{ projectId, runId: record.runId }}
            search={{ testcaseId: pair.testcaseId }}
          >
            {countOf(numRecords[side], 'record')}
          </Link>
          .
        </p>
      )}
      {record.error ? (
        <p className={styles.failure}>
          Error of the system: {visible(`${record.error.name}: ${record.error.message}`)}
        </p>
      ) : (
        <ModelText className={styles.text} text={readable(record.outputs)} />
      )}
      {reasons.map((reason) => (
        <p key={reason} className={styles.reason}>
          {visible(reason)}
        </p>
      ))}
    </div>
  );
}

function Difference({
  before,
  after,
  kind,
}: {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  kind: DifferenceKind;
}) {
  const [whole, wholeAfter] = [wholeOf(before), wholeOf(after)];
  return (
    <div>
      <h3>What changed</h3>
      {kind === 'json' && whole && wholeAfter ? (
        <JsonDifference before={whole} after={wholeAfter} />
      ) : (
        <TextDifference
          before={readable(before)}
          after={readable(after)}
          by={kind === 'json' ? 'words' : kind}
        />
      )}
      {(!whole || !wholeAfter) && (
        <p className={styles.reason}>The beginnings are compared; each record has the whole.</p>
      )}
    </div>
  );
}

const Text = ({ title, text }: { title: string; text: string }) => (
  <div>
    <h3>{title}</h3>
    <ModelText className={styles.text} text={text} />
  </div>
);

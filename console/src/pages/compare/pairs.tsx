import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../api/list.ts';
import type { ItemOf, ReplyOf } from '../../api/operations.ts';
import { Button } from '../../parts/button.tsx';
import { JsonDifference, TextDifference } from '../../parts/difference/difference.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, visible } from '../../text/format.ts';
import { readable } from '../../text/json.ts';
import { type MetricComparison, verdicts, writeValue } from '../../text/verdicts.ts';
import styles from './pairs.module.css';

type Flip = ItemOf<'/comparisons/flips'>;
type DifferenceKind = 'words' | 'lines' | 'json';

/** How many pairs are shown at first, and how many more at each wish. */
const shownStep = 20;

/** The testcases whose value changed between the two runs: both answers, side by side. */
export function Pairs({
  comparison: { baselineRunId, candidateRunId },
  metric,
  names,
}: {
  comparison: ReplyOf<'POST', '/comparisons'>;
  metric: MetricComparison;
  names: (id: string) => string;
}) {
  const query = { baselineRunId, candidateRunId, metricId: metric.metricId };
  const list = useList('/comparisons/flips', { query });
  const [shown, setShown] = useState(shownStep);
  const [kind, setKind] = useState<DifferenceKind>('words');
  if (list.error) return <Problem error={list.error} retry={list.retry} />;
  const flips = Array.from({ length: Math.min(shown, list.rows) }, (_, row) => list.itemAt(row));
  return (
    <section className={styles.pairs} aria-label={`Testcases that changed by ${metric.name}`}>
      <header className={styles.head}>
        <h2>
          {metric.name}: {countOf(metric.regressed, 'testcase')} regressed, {metric.improved}{' '}
          improved
        </h2>
        <Choice
          label="Difference by"
          value={kind}
          onChange={({ target }) => setKind(target.value as DifferenceKind)}
        >
          <option value="words">Words</option>
          <option value="lines">Lines</option>
          <option value="json">JSON</option>
        </Choice>
      </header>
      {!list.isLoading && list.rows === 0 && (
        <Empty title="No testcase changed">Both runs have the same value everywhere.</Empty>
      )}
      {flips.map(
        (flip) =>
          flip && (
            <Pair key={flip.testcaseId} flip={flip} metric={metric} kind={kind} names={names} />
          ),
      )}
      {(shown < list.rows || !list.isComplete) && list.rows > 0 && (
        <Button
          onClick={() => {
            setShown(shown + shownStep);
            list.show(0, shown + shownStep);
          }}
        >
          Show more
        </Button>
      )}
    </section>
  );
}

function Pair({
  flip,
  metric,
  kind,
  names,
}: {
  flip: Flip;
  metric: MetricComparison;
  kind: DifferenceKind;
  names: (id: string) => string;
}) {
  const { baseline, candidate, direction } = flip;
  const verdict = direction === 'improved' ? verdicts.better : verdicts.worse;
  const before = readable(baseline.outputs);
  const after = readable(candidate.outputs);
  return (
    <article className={styles.pair}>
      <header className={styles.pairHead}>
        <span className={direction === 'improved' ? styles.improved : styles.regressed}>
          <span aria-hidden="true">{verdict.sign}</span> {direction}
        </span>
        <span>
          {writePairValue(metric, flip.baselineValue)} →{' '}
          {writePairValue(metric, flip.candidateValue)}
        </span>
      </header>
      <div className={styles.given}>
        <Text title="Inputs" text={readable(candidate.inputs)} />
        <Text title="Expected" text={readable(candidate.expected)} />
      </div>
      <div className={styles.sides}>
        <Side title={names(baseline.runId)} record={baseline} />
        <Side title={names(candidate.runId)} record={candidate} />
      </div>
      <div>
        <h3>What changed</h3>
        {kind === 'json' ? (
          <JsonDifference before={baseline.outputs} after={candidate.outputs} />
        ) : (
          <TextDifference before={before} after={after} by={kind} />
        )}
      </div>
    </article>
  );
}

function writePairValue(metric: MetricComparison, value: number | boolean): string {
  if (typeof value === 'boolean') return value ? '✓ pass' : '✗ fail';
  return writeValue(
    { outputType: metric.outputType === 'boolean' ? 'float' : metric.outputType },
    value,
  );
}

function Side({ title, record }: { title: string; record: Flip['baseline'] }) {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/compare' });
  const reasons = record.scores.flatMap(({ score }) =>
    typeof score.reasoning === 'string' ? [score.reasoning] : [],
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
      <p className={styles.text}>{visible(readable(record.outputs))}</p>
      {reasons.map((reason) => (
        <p key={reason} className={styles.reason}>
          {visible(reason)}
        </p>
      ))}
    </div>
  );
}

const Text = ({ title, text }: { title: string; text: string }) => (
  <div>
    <h3>{title}</h3>
    <p className={styles.text}>{visible(text)}</p>
  </div>
);

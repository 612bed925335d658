import type { ItemOf } from '@assay/client/operations';
import { isNumeric, type PassingRule } from '@assay/contracts/scale';
import { Link, useParams } from '@tanstack/react-router';
import type { Ref } from 'react';
import { TextDifference } from '../../parts/difference/difference.tsx';
import { countOf, formatShare, visible } from '../../text/format.ts';
import { inShort, readable } from '../../text/json.ts';
import { writeValue } from '../../text/verdicts.ts';
import styles from './testcases.module.css';

/** How answers are told apart, in the order in which a key goes through them. */
export const answerDifferences = ['words', 'lines', 'none'] as const;
export type AnswerDifference = (typeof answerDifferences)[number];

type ComparedTestcase = ItemOf<'/comparisons/testcases'>;
type Metric = Pick<PassingRule, 'outputType'> & {
  metricId: string;
  lowerIsBetter?: true | undefined;
};
type OfRun = ComparedTestcase['runs'][number];

/** A testcase: the inputs, and the score and the answer of each run. */
export function TestcaseRow({
  testcase: { runs },
  metric,
  places,
  against,
  difference,
  isCurrent,
  ref,
}: {
  testcase: ComparedTestcase;
  metric: Metric;
  /** The runs that are shown. */
  places: number[];
  /** The run from which the answers of the others are told apart. */
  against: number;
  difference: AnswerDifference;
  isCurrent: boolean;
  ref: Ref<HTMLTableRowElement>;
}) {
  const any = runs.find(({ record }) => record)?.record;
  const base = runs[against]?.record;
  return (
    <tr
      ref={ref}
      tabIndex={-1}
      aria-current={isCurrent}
      className={isCurrent ? styles.current : undefined}
    >
      <th scope="row">{any ? visible(inShort(any.inputs)) : '–'}</th>
      {places.map((place) => (
        <td key={place}>
          <Answer
            of={runs[place]!}
            metric={metric}
            base={place === against || difference === 'none' || base?.error ? null : base}
            by={difference === 'lines' ? 'lines' : 'words'}
          />
        </td>
      ))}
    </tr>
  );
}

/** The score and the answer of one run, the answer beside that of `base`. */
function Answer({
  of: { value, passes, record, numRecords },
  metric,
  base,
  by,
}: {
  of: OfRun;
  metric: Metric;
  base: OfRun['record'] | undefined;
  by: 'words' | 'lines';
}) {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/compare' });
  if (!record) return <span className={styles.none}>no score</span>;
  return (
    <>
      <p className={passes === null ? '' : passes ? styles.pass : styles.fail}>
        <Link
          to="/projects/$projectId/records/$recordId"
          params={{ projectId, recordId: record.id }}
        >
          {writeOutcome(metric, value, passes)}
        </Link>
        {numRecords > 1 && ` of ${countOf(numRecords, 'record')}`}
      </p>
      <div className={styles.answer}>
        {record.error ? (
          <p className={styles.fail}>
            Error of the system: {visible(`${record.error.name}: ${record.error.message}`)}
          </p>
        ) : base ? (
          <TextDifference
            before={readable(base.outputs)}
            after={readable(record.outputs)}
            by={by}
          />
        ) : (
          <p>{visible(readable(record.outputs))}</p>
        )}
      </div>
    </>
  );
}

/** A score with the word for its outcome, which is not told by colour alone. */
function writeOutcome(metric: Metric, value: OfRun['value'], passes: boolean | null): string {
  const outcome = passes === null ? '' : passes ? '✓ pass' : '✗ fail';
  if (value === null || typeof value === 'boolean') return outcome;
  const figure = isNumeric(metric.outputType) ? writeValue(metric, value) : formatShare(value);
  return [figure, outcome].filter(Boolean).join(' ');
}

import { isNumeric, type PassingRule } from '@assay/contracts/scale';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Markdown } from '../../parts/markdown.tsx';
import { Problem } from '../../parts/problem.tsx';
import { OutcomeMark } from '../../parts/score.tsx';
import { countOf, formatDollars, formatMean, formatShare } from '../../text/format.ts';
import { outcomeOf } from '../../text/scores.ts';
import { type Draft, passingRuleIn } from './draft.ts';
import styles from './metric.module.css';
import type { PreviewReply, PreviewState } from './use-preview.ts';

type Flip = PreviewReply['flips'][number];

/** The effect of the draft on existing records: rates before and after, and the flips. */
export function Preview({
  projectId,
  preview,
  nameOf,
}: {
  projectId: string;
  preview: PreviewState;
  /** Returns the name of a record. */
  nameOf: (recordId: string) => string;
}) {
  const { shown, error, isCurrent } = preview;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (shown) section.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  if (!shown) return error && <Problem error={error} />;
  const { reply, saved, draft } = shown;
  const [before, after] = [passingRuleIn(saved), passingRuleIn(draft)];
  const passedBefore = (flip: Flip) => outcomeOf(before, flip.before) === 'pass';
  const groups: [title: string, flips: Flip[]][] = [
    ['Passed, would fail', reply.flips.filter(passedBefore)],
    ['Failed, would pass', reply.flips.filter((flip) => !passedBefore(flip))],
  ];
  return (
    <section ref={section} className={styles.preview} aria-label="Preview">
      <h2>Preview</h2>
      {error && <Problem error={error} />}
      {!isCurrent && (
        <p className={styles.warning}>! The draft has changed since: preview it again.</p>
      )}
      <p role="status">{sentenceOf(reply)}</p>
      <dl className={styles.figures}>
        {reply.before.count > 0 && <Figures title="Before" of={reply.before} draft={saved} />}
        <Figures
          title={reply.before.count > 0 ? 'After' : 'Scores'}
          of={reply.after}
          draft={draft}
        />
        <div>
          <dt>Cost</dt>
          <dd>{formatDollars(reply.costUsd)}</dd>
        </div>
      </dl>
      {groups.map(
        ([title, flips]) =>
          flips.length > 0 && (
            <section key={title} aria-label={title}>
              <h3>
                {title} ({flips.length})
              </h3>
              <ul className={styles.flips}>
                {flips.map((flip) => (
                  <li key={flip.recordId}>
                    <RecordLink {...{ projectId, nameOf }} recordId={flip.recordId} />
                    <Value of={flip.before} rule={before} /> →{' '}
                    <Value of={flip.after} rule={after} />
                    <Markdown text={flip.reasoning} />
                  </li>
                ))}
              </ul>
            </section>
          ),
      )}
      {reply.failures.length > 0 && (
        <section aria-label="Failed">
          <h3>Could not be scored ({reply.failures.length})</h3>
          <ul className={styles.flips}>
            {reply.failures.map(({ recordId, code, message }) => (
              <li key={recordId}>
                <RecordLink {...{ projectId, nameOf, recordId }} /> <code>{code}</code> {message}
              </li>
            ))}
          </ul>
        </section>
      )}
      {reply.notApplicable && reply.notApplicable.length > 0 && (
        <section aria-label="Not applicable">
          <h3>Does not apply ({reply.notApplicable.length})</h3>
          <ul className={styles.flips}>
            {reply.notApplicable.map(({ recordId, reasoning }) => (
              <li key={recordId}>
                <RecordLink {...{ projectId, nameOf, recordId }} />
                <Markdown text={reasoning} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {reply.before.count === 0 && reply.scores.length > 0 && (
        <details>
          <summary>All scores ({reply.scores.length})</summary>
          <ul className={styles.flips}>
            {reply.scores.map(({ recordId, value, reasoning }) => (
              <li key={recordId}>
                <RecordLink {...{ projectId, nameOf, recordId }} />
                <Value of={value} rule={after} />
                <Markdown text={reasoning} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function sentenceOf({ scored, failed, flipped, before, notApplicable = [] }: PreviewReply): string {
  const failures = [
    failed > 0 ? ` ${countOf(failed, 'record')} could not be scored.` : '',
    notApplicable.length > 0
      ? ` The metric does not apply to ${countOf(notApplicable.length, 'record')}.`
      : '',
  ].join('');
  if (scored === 0) return `No record was scored.${failures}`;
  if (before.count === 0)
    return `${countOf(scored, 'record')} scored; the run has no earlier scores to compare with.${failures}`;
  const flips =
    flipped === 0
      ? 'none would pass or fail otherwise than now'
      : `${countOf(flipped, 'record')} would pass or fail otherwise than now`;
  return `Of ${countOf(scored, 'record')}, ${flips}.${failures}`;
}

const Figures = ({
  title,
  of: { passRate, mean },
  draft,
}: {
  title: string;
  of: PreviewReply['before'];
  draft: Draft;
}) => (
  <div>
    <dt>{title}</dt>
    <dd>
      {passRate === null ? '–' : `${formatShare(passRate)} pass`}
      {isNumeric(draft.outputType) && mean !== null && `, mean ${formatMean(mean)}`}
    </dd>
  </div>
);

const Value = ({ of: value, rule }: { of: boolean | number; rule: PassingRule }) => (
  <OutcomeMark outcome={outcomeOf(rule, value)} value={typeof value === 'number' ? value : null} />
);

const RecordLink = ({
  projectId,
  recordId,
  nameOf,
}: {
  projectId: string;
  recordId: string;
  nameOf: (recordId: string) => string;
}) => (
  <Link
    to="/projects/$projectId/records/$recordId"
    params={{ projectId, recordId }}
    className={styles.flipName}
  >
    {nameOf(recordId)}
  </Link>
);

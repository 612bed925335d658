import { writeJson } from '@assay/json/write';
import { useMemo } from 'react';
import { visible } from '../../text/format.ts';
import styles from './difference.module.css';
import { type JsonChange, jsonDifference } from './json-difference.ts';
import { textDifference } from './text-difference.ts';

/** Two texts in one, with what only one of them has marked: by words, or by lines. */
export function TextDifference({
  before,
  after,
  by,
}: {
  before: string;
  after: string;
  by?: 'words' | 'lines';
}) {
  const pieces = useMemo(() => textDifference(before, after, by), [before, after, by]);
  return (
    <p className={styles.text}>
      {pieces.map(({ text, side }, index) =>
        side === 'both' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: Pieces have no id, and do not move.
          <span key={index}>{visible(text)}</span>
        ) : side === 'before' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: As above.
          <del key={index}>{visible(text)}</del>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: As above.
          <ins key={index}>{visible(text)}</ins>
        ),
      )}
    </p>
  );
}

/** More differences than a person reads. */
const shownMax = 200;

/** The places at which two JSON values differ, each with what stands there on either side. */
export function JsonDifference({ before, after }: { before: unknown; after: unknown }) {
  const changes = useMemo(() => jsonDifference(before, after), [before, after]);
  if (changes.length === 0) return <p className={styles.same}>No difference.</p>;
  return (
    <dl className={styles.changes}>
      {changes.slice(0, shownMax).map((change) => (
        <div key={change.pointer}>
          <dt>
            <code>{visible(change.pointer || '/')}</code>
          </dt>
          <dd>
            <Sides change={change} />
          </dd>
        </div>
      ))}
      {changes.length > shownMax && (
        <p className={styles.same}>… and {changes.length - shownMax} more.</p>
      )}
    </dl>
  );
}

function Sides({ change }: { change: JsonChange }) {
  if (change.kind === 'changed' && isText(change.before) && isText(change.after))
    return <TextDifference before={change.before} after={change.after} />;
  return (
    <p className={styles.text}>
      {change.kind !== 'added' && <del>{visible(writeJson(change.before))}</del>}{' '}
      {change.kind !== 'removed' && <ins>{visible(writeJson(change.after))}</ins>}
    </p>
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';

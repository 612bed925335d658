import { useMemo } from 'react';
import { countOf, visible } from '../../text/format.ts';
import styles from './metric.module.css';
import type { Check } from './use-check.ts';

/** Longer prompts are cut: nobody reads more beside an editor. */
const shownCharacters = 50_000;

interface Piece {
  text: string;
  isData: boolean;
  at: number;
}

/** The pieces of a prompt: text of the template, and data of the record. */
function piecesOf(prompt: string, delimiter: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const [open, close] = [`<${delimiter}>`, `</${delimiter}>`];
  while (at < prompt.length) {
    const start = prompt.indexOf(open, at);
    if (start < 0) break;
    const end = prompt.indexOf(close, start);
    pieces.push({ text: prompt.slice(at, start), isData: false, at });
    const data = prompt.slice(start + open.length, end < 0 ? undefined : end);
    pieces.push({ text: data, isData: true, at: start });
    at = end < 0 ? prompt.length : end + close.length;
  }
  if (at < prompt.length) pieces.push({ text: prompt.slice(at), isData: false, at });
  return pieces;
}

/** The prompt that the judge would be sent for the record, whose data is marked. */
export function RenderedPrompt({ check }: { check: Check }) {
  const { prompt: rendered, isPromptOld, isChecking, warningAt } = check;
  const pieces = useMemo(
    () => (rendered ? piecesOf(rendered.prompt.slice(0, shownCharacters), rendered.delimiter) : []),
    [rendered],
  );
  const reason =
    warningAt('/promptTemplate') ?? 'There is no prompt before the problems are mended.';
  if (!rendered) return <p className={styles.hint}>{isChecking ? 'Rendering …' : reason}</p>;
  const left = rendered.prompt.length - shownCharacters;
  return (
    <div className={styles.prompt} aria-busy={isChecking}>
      {isPromptOld && !isChecking && (
        <p className={styles.warning}>! It is of the draft before. {reason}</p>
      )}
      <details>
        <summary>Instructions that come before it</summary>
        <p className={styles.promptText}>{visible(rendered.instructions)}</p>
      </details>
      <p className={styles.promptText}>
        {pieces.map(({ text, isData, at }) =>
          isData ? <mark key={at}>{visible(text)}</mark> : <span key={at}>{visible(text)}</span>,
        )}
      </p>
      {left > 0 && <p className={styles.hint}>… and {countOf(left, 'character')} more.</p>}
      <p className={styles.hint}>
        <mark>Marked</mark> is what came from the record: the judge is told that it is data.
      </p>
    </div>
  );
}

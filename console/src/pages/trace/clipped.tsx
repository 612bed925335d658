import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ModelText } from '../../parts/payload/model-text.tsx';
import { countOf, visible } from '../../text/format.ts';
import styles from './trace.module.css';

/** Characters of a text that are shown at first. */
const shownMax = 4000;

/** A text that a span says, with its beginning alone until a person wants the rest. */
export function Clipped({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, shownMax);
  return (
    <>
      {isCode ? (
        <pre className={styles.code}>{visible(shown)}</pre>
      ) : (
        <ModelText className={styles.text} text={shown} />
      )}
      {shown.length < text.length && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          Show all {countOf(text.length, 'character')}
        </Button>
      )}
    </>
  );
}

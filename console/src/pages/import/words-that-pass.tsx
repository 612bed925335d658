import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import styles from './import.module.css';

/** Says which scores of words pass, where a source has some. */
export function WordsThatPass({
  isAsked,
  words,
  setWords,
  readAgain,
}: {
  isAsked: boolean;
  words: string;
  setWords: (words: string) => void;
  readAgain: () => void;
}) {
  if (!isAsked) return null;
  return (
    <div className={styles.words}>
      <Field
        label="Words that pass"
        rows={3}
        value={words}
        onChange={({ target }) => setWords(target.value)}
        hint="A metric a line: tone=good,ok:bad has the words that pass, and after the colon those that do not."
      />
      <Button onClick={readAgain}>Read again</Button>
    </div>
  );
}

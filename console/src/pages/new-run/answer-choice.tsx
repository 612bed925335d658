import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import styles from './new-run.module.css';

/** Takes answers as a file, or as text that is pasted. */
export function AnswerChoice({ choose }: { choose: (file: File) => void }) {
  const take = (text: string) => {
    if (text.trim() !== '') choose(new File([text], 'Pasted answers'));
  };
  return (
    <form
      className={styles.choice}
      onSubmit={(event) => {
        event.preventDefault();
        take(`${new FormData(event.currentTarget).get('answers')}`);
      }}
    >
      <label className={styles.pick}>
        File with answers
        <input
          type="file"
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file) choose(file);
          }}
        />
      </label>
      <Field
        label="Or paste them"
        name="answers"
        rows={6}
        spellCheck={false}
        placeholder={'question,answer\nWhere is my parcel?,Please tell me its number.'}
        hint="CSV, cells of a spreadsheet, or JSON lines. A row finds its testcase by its key or its inputs, or by the order where there are as many rows as testcases. Each column of answers becomes a run."
        onPaste={(event) => {
          // Into an empty field, it is all there is.
          if (event.currentTarget.value === '') take(event.clipboardData.getData('text/plain'));
        }}
      />
      <div className={styles.foot}>
        <Button type="submit">Check</Button>
      </div>
    </form>
  );
}

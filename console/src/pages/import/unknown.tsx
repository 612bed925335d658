import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/field.tsx';
import styles from './import.module.css';
import type { FormatName } from './messages.ts';

/** Files that no reader recognized: a person names their format. */
export function Unknown({
  formats,
  read,
}: {
  formats: FormatName[];
  read: (format: string) => void;
}) {
  const [format, setFormat] = useState(formats[0]!.name);
  return (
    <form
      className={styles.import}
      onSubmit={(event) => {
        event.preventDefault();
        read(format);
      }}
    >
      <p role="alert" className={styles.problem}>
        It was not recognized what this is. Say which tool wrote it, or choose other files.
      </p>
      <FormatChoice formats={formats} format={format} choose={setFormat} />
      <div className={styles.foot}>
        <Button kind="main" type="submit">
          Read it
        </Button>
      </div>
    </form>
  );
}

export const FormatChoice = ({
  formats,
  format,
  choose,
}: {
  formats: FormatName[];
  format: string;
  choose: (format: string) => void;
}) => (
  <Choice label="Read it as" value={format} onChange={({ target }) => choose(target.value)}>
    {formats.map(({ name, title }) => (
      <option key={name} value={name}>
        {title}
      </option>
    ))}
  </Choice>
);

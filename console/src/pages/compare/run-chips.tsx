import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/field.tsx';
import styles from './compare.module.css';

/** Runs that are compared with the baseline. */
const candidatesMax = 7;

/** The runs that are compared with the baseline: each can be taken away, and others added. */
export function RunChips({
  candidates,
  names,
  options,
  change,
}: {
  candidates: string[];
  names: (id: string) => string;
  /** The runs that can be added. */
  options: ReactNode;
  change: (candidates: string[]) => void;
}) {
  return (
    <>
      {candidates.length > 1 && (
        <ul className={styles.chips} aria-label="Candidates">
          {candidates.map((id) => (
            <li key={id}>
              {names(id)}
              <Button
                aria-label={`Take ${names(id)} away`}
                onClick={() => change(candidates.filter((one) => one !== id))}
              >
                ✕
              </Button>
            </li>
          ))}
        </ul>
      )}
      {candidates.length > 0 && candidates.length < candidatesMax && (
        <Choice
          label="Add a run"
          value=""
          onChange={({ target }) => target.value && change([...candidates, target.value])}
        >
          {options}
        </Choice>
      )}
    </>
  );
}

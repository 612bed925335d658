import { Button } from '../../parts/button.tsx';
import { NameChoice } from '../../parts/name-choice/name-choice.tsx';
import styles from './compare.module.css';

/** Runs that are compared with the baseline. */
const candidatesMax = 7;

/** The runs that are compared with the baseline: each can be taken away, and others added. */
export function RunChips({
  projectId,
  baseline,
  candidates,
  testsetId,
  names,
  change,
}: {
  projectId: string;
  baseline: string | undefined;
  candidates: string[];
  /** Runs over it alone can be added. */
  testsetId: string | undefined;
  names: (id: string) => string;
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
        <NameChoice
          projectId={projectId}
          label="Add a run"
          kind="run"
          testsetId={testsetId}
          excluded={baseline === undefined ? candidates : [baseline, ...candidates]}
          value={undefined}
          choose={(id) => id && change([...candidates, id])}
        />
      )}
    </>
  );
}

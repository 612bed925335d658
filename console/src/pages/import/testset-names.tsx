import { Field } from '../../parts/field.tsx';
import { countOf, visible } from '../../text/format.ts';
import styles from './import.module.css';
import type { FoundTestset } from './overview.ts';

/** Testsets whose names can be changed: a form with more is none. */
const namedMax = 20;

/** The names under which testsets are stored. */
export function TestsetNames({
  testsets,
  names,
  setNames,
}: {
  testsets: FoundTestset[];
  /** In place of their own, by their `ref`. */
  names: Record<string, string>;
  setNames: (names: Record<string, string>) => void;
}) {
  if (testsets.length === 0 || testsets.length > namedMax) return null;
  return (
    <div className={styles.target}>
      {testsets.map(({ ref, name, testcases }) => (
        <Field
          key={ref}
          label={testsets.length === 1 ? 'Name of the testset' : `Testset ${visible(name)}`}
          value={names[ref] ?? name}
          maxLength={256}
          onChange={({ target }) => setNames({ ...names, [ref]: target.value })}
          hint={countOf(testcases, 'testcase')}
        />
      ))}
    </div>
  );
}

import { parseByValue } from '@assay/json/parse';
import { useMemo } from 'react';
import { JsonDifference, TextDifference } from '../../parts/difference/difference.tsx';
import { textOf } from '../../parts/payload/scan.ts';
import { useBytes } from '../../parts/payload/use-bytes.ts';
import { Problem } from '../../parts/problem.tsx';
import { formatBytes } from '../../text/format.ts';
import styles from './record.module.css';

/** Two payloads are compared up to this size, each: beyond it nobody reads the differences. */
const comparedBytes = 2 * 1024 * 1024;

/** The difference between outputs and expected: as texts where each is one, else as JSON. */
export function Difference({ outputs, expectedUrl }: { outputs: Uint8Array; expectedUrl: string }) {
  const { loaded, error, retry } = useBytes(expectedUrl);
  const expected = loaded?.isComplete ? loaded.bytes : undefined;
  const isSmall = Math.max(outputs.length, expected?.length ?? 0) <= comparedBytes;
  const sides = useMemo(
    () => (expected && isSmall ? [contentOf(expected), contentOf(outputs)] : undefined),
    [expected, outputs, isSmall],
  );
  if (error) return <Problem error={error} retry={retry} />;
  if (!isSmall)
    return (
      <p className={styles.hint}>Payloads over {formatBytes(comparedBytes)} are not compared.</p>
    );
  if (!sides) return <p className={styles.hint}>Reading …</p>;
  const [before, after] = sides;
  return (
    <div className={styles.difference}>
      {typeof before === 'string' && typeof after === 'string' ? (
        <TextDifference before={before} after={after} />
      ) : (
        <JsonDifference before={before} after={after} />
      )}
    </div>
  );
}

/** The only text of a payload, so that names of fields need not agree; else the whole of it. */
function contentOf(bytes: Uint8Array): unknown {
  const payload = parseByValue(textOf(bytes, { start: 0, end: bytes.length })) as object;
  const values = Object.values(payload);
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : payload;
}

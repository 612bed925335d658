import { useReading } from '../../api/query.ts';
import { JsonDifference } from '../../parts/difference/difference.tsx';
import { jsonDifference } from '../../parts/difference/json-difference.ts';
import { countOf } from '../../text/format.ts';
import styles from './compare.module.css';

/** How the configurations of the two systems' versions differ. */
export function WhatChanged({ baseline, candidate }: { baseline: string; candidate: string }) {
  const before = useConfigOf(baseline);
  const after = useConfigOf(candidate);
  if (!before || !after) return null;
  const changes = jsonDifference(before.config, after.config);
  return (
    <details className={styles.changed}>
      <summary>
        What changed: {before.name} → {after.name},{' '}
        {changes.length === 0 ? 'the same configuration' : countOf(changes.length, 'difference')}
      </summary>
      <JsonDifference before={before.config} after={after.config} />
    </details>
  );
}

/** The system version that a run evaluated; undefined where it names none. */
function useConfigOf(runId: string) {
  const run = useReading('/runs/:runId', { params: { runId } });
  const systemVersionId = run.data?.systemVersionId ?? '';
  const version = useReading('/systems/versions/:systemVersionId', {
    params: { systemVersionId },
    isEnabled: systemVersionId !== '',
  });
  return version.data;
}

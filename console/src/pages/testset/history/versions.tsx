import type { ReactNode } from 'react';
import { useMemberNames } from '../../../api/names.ts';
import { useReading } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { JsonDifference } from '../../../parts/difference/difference.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { Time } from '../../../parts/time.tsx';
import { formatCount } from '../../../text/format.ts';
import styles from '../testset.module.css';
import type { TestcaseVersion } from './change-words.ts';
import { useRestore } from './use-restore.ts';

/** Versions that are shown, newest first. */
const shownMax = 20;

/** The data that a testcase had before its changes, each with the way back to it. */
export function Versions({
  testcaseId,
  onRestored,
}: {
  testcaseId: string;
  onRestored: () => void;
}) {
  const params = { testcaseId };
  const versions = useReading('/testcases/:testcaseId/versions', {
    params,
    query: { limit: shownMax },
  });
  const current = useReading('/testcases/:testcaseId', { params });
  const memberName = useMemberNames();
  const { restore, isPending, error } = useRestore();
  const failed = [versions, current].find(({ error }) => error);
  if (failed) return <Problem error={failed.error!} retry={() => void failed.refetch()} />;
  if (!versions.data || !current.data) return null;
  const { data, hasMore } = versions.data;
  if (data.length === 0) return <p>This testcase has never been changed.</p>;
  return (
    <>
      {error && <Problem error={error} />}
      <ol className={styles.versions} aria-label="Earlier versions, newest first">
        {data.map((version, index) => (
          <li key={version.version}>
            <VersionHead version={version} memberName={memberName}>
              <Button
                isBusy={isPending}
                onClick={() => restore(testcaseId, version.version, onRestored)}
              >
                Restore<span className="for-screen-readers"> version {version.version}</span>
              </Button>
            </VersionHead>
            <JsonDifference
              before={version.jsonData}
              after={data[index - 1]?.jsonData ?? current.data.jsonData}
            />
          </li>
        ))}
      </ol>
      {hasMore && <p>The newest {formatCount(shownMax)} are shown.</p>}
    </>
  );
}

function VersionHead({
  version: { version, change, changedAt, changedByUserId },
  memberName,
  children,
}: {
  version: TestcaseVersion;
  memberName: (userId: string) => string;
  children: ReactNode;
}) {
  return (
    <div className={styles.versionHead}>
      <span>
        Version {version}, until {memberName(changedByUserId)} {change} it <Time at={changedAt} />
      </span>
      {children}
    </div>
  );
}

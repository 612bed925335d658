import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import styles from './run.module.css';
import { type CodeLanguage, codeOfRun } from './run-code.ts';
import type { RunReply } from './use-live-run.ts';

/** The lines by which a run gets its records. Those of an SDK need its testset. */
export function NoRecords({ projectId, run }: { projectId: string; run: RunReply }) {
  const { id: runId, testsetId, metricIds } = run;
  const testset = useReading('/testsets/:testsetId', {
    params: { testsetId: testsetId ?? '' },
    isEnabled: testsetId !== null,
  });
  const [chosen, setLanguage] = useState<CodeLanguage>('Python');
  const language = testsetId === null ? 'HTTP' : chosen;
  const languages = testsetId === null ? [] : (Object.keys(codeOfRun) as CodeLanguage[]);
  const code = codeOfRun[language]({
    projectId,
    runId,
    metricIds,
    testsetId: testsetId ?? '',
    inputs: testset.data?.fieldMapping.inputs ?? [],
  });
  return (
    <Empty
      title="No records yet"
      action={
        <div className={styles.code}>
          <fieldset className={styles.languages} hidden={languages.length === 0}>
            <legend className="for-screen-readers">Language</legend>
            {languages.map((one) => (
              <Button
                key={one}
                kind="quiet"
                aria-pressed={one === language}
                onClick={() => setLanguage(one)}
              >
                {one}
              </Button>
            ))}
          </fieldset>
          <Snippet code={code} />
          <p>
            <code>ASSAY_API_KEY</code> has{' '}
            <Link to="/settings/$section" params={{ section: 'keys' }}>
              an API key
            </Link>
            . {language !== 'HTTP' && 'Your system is called once for each testcase.'}
          </p>
        </div>
      }
    >
      A record is what the system did with one input. They appear here as they come in.
    </Empty>
  );
}

import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useReading } from '../../api/query.ts';
import { Id } from '../../parts/copy.tsx';
import { DropHere } from '../../parts/files/file-choice.tsx';
import { useDrop } from '../../parts/files/picked-files.ts';
import { Page } from '../../parts/frame/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { visible } from '../../text/format.ts';
import { Cases } from './cases.tsx';
import { Duplicates } from './duplicates/duplicates.tsx';
import { Hardest } from './hardest/hardest.tsx';
import { History } from './history/history.tsx';
import { Import } from './import/import.tsx';
import { Schema } from './schema.tsx';
import styles from './testset.module.css';
import { TestsetMenu } from './testset-menu.tsx';

const route = getRouteApi('/frame/projects/$projectId/testsets/$testsetId');

/** One testset: its testcases, their history, their schema, and the import of more of them. */
export function Testset() {
  const { projectId, testsetId } = route.useParams();
  const { tab = 'cases' } = route.useSearch();
  const navigate = route.useNavigate();
  const testset = useReading('/testsets/:testsetId', { params: { testsetId } });
  const [file, setFile] = useState<File>();
  const takeFile = (dropped: File) => {
    setFile(dropped);
    void navigate({ search: (before) => ({ ...before, tab: 'import' }) });
  };
  const isOver = useDrop(({ files: [first] }) => first && takeFile(first.file));
  const above = (
    <Link to="/projects/$projectId/testsets" params={{ projectId }}>
      Testsets
    </Link>
  );
  if (!testset.data)
    return (
      <Page title="Testset" above={above}>
        {testset.error && <Problem error={testset.error} retry={() => void testset.refetch()} />}
      </Page>
    );
  const { name, description } = testset.data;
  return (
    <Page
      title={visible(name)}
      kind="Testset"
      actions={<TestsetMenu projectId={projectId} testset={testset.data} />}
      above={
        <>
          {above} · <Id id={testsetId} />
        </>
      }
    >
      {description && <p>{visible(description)}</p>}
      <Tabs
        label="Parts of the testset"
        tabs={(['cases', 'hardest', 'duplicates', 'history', 'schema', 'import'] as const).map(
          (one) => ({
            text: tabNames[one],
            search: { tab: one === 'cases' ? undefined : one },
            isCurrent: tab === one,
          }),
        )}
      />
      <div className={styles.tab}>
        {tab === 'cases' && <Cases testset={testset.data} />}
        {tab === 'hardest' && <Hardest projectId={projectId} testsetId={testsetId} />}
        {tab === 'duplicates' && <Duplicates testsetId={testsetId} />}
        {tab === 'history' && <History testsetId={testsetId} />}
        {tab === 'schema' && <Schema testset={testset.data} key={testsetId} />}
        {/* An import goes on while one looks at the testcases. */}
        {(tab === 'import' || file) && (
          <div hidden={tab !== 'import'}>
            <Import testset={testset.data} file={file} setFile={setFile} />
          </div>
        )}
      </div>
      {isOver && <DropHere>Drop the file: its rows become testcases.</DropHere>}
    </Page>
  );
}

const tabNames = {
  cases: 'Testcases',
  hardest: 'Hardest',
  duplicates: 'Duplicates',
  history: 'History',
  schema: 'Schema',
  import: 'Import',
};

import { useState } from 'react';
import { useReading } from '../../../api/query.ts';
import { Empty } from '../../../parts/empty.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { ScrolledTable } from '../../../parts/scrolled-table.tsx';
import { countOf, formatCount } from '../../../text/format.ts';
import { DataDialog } from '../data-dialog.tsx';
import { DeleteTestcases } from '../delete-testcases.tsx';
import { type Duplicate, GroupRows } from './group-rows.tsx';

/** Characters of the inputs, and of the expected answer, that are shown. */
const previewCharacters = 300;

/** The testcases of a testset that have the same inputs: each can be looked at and deleted. */
export function Duplicates({ testsetId }: { testsetId: string }) {
  const reading = useReading('/testsets/:testsetId/duplicates', {
    params: { testsetId },
    query: { preview: previewCharacters },
  });
  const [opened, setOpened] = useState<Duplicate>();
  const [deleted, setDeleted] = useState<Duplicate>();
  if (reading.error) return <Problem error={reading.error} retry={() => void reading.refetch()} />;
  if (!reading.data) return <p role="status">Looking for testcases with the same inputs …</p>;
  const { read, isComplete, numGroups, numDuplicates, groups } = reading.data;
  const lookedAt = isComplete ? '' : ` The oldest ${formatCount(read)} testcases were looked at.`;
  return (
    <>
      {groups.length === 0 ? (
        <Empty title="No duplicates">No two testcases have the same inputs.{lookedAt}</Empty>
      ) : (
        <>
          <p>
            {countOf(numDuplicates, 'testcase')} could be deleted so that no inputs are asked twice.
            {groups.length < numGroups &&
              ` The largest ${formatCount(groups.length)} of ${formatCount(numGroups)} groups are shown.`}
            {lookedAt}
          </p>
          <ScrolledTable label="Testcases with the same inputs">
            <thead>
              <tr>
                <th scope="col">Inputs</th>
                <th scope="col">Testcases</th>
                <th scope="col">Expected</th>
                <th scope="col">
                  <span className="for-screen-readers">Actions</span>
                </th>
              </tr>
            </thead>
            {groups.map((group) => (
              <GroupRows
                key={group.testcases[0]!.id}
                group={group}
                open={setOpened}
                remove={setDeleted}
              />
            ))}
          </ScrolledTable>
        </>
      )}
      {opened && <DataDialog testcase={opened} onClose={() => setOpened(undefined)} />}
      {deleted && <DeleteTestcases ids={[deleted.id]} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../../api/list.ts';
import { useMemberNames } from '../../../api/names.ts';
import { Empty } from '../../../parts/empty.tsx';
import { Field } from '../../../parts/field.tsx';
import type { Column } from '../../../parts/grid/columns.ts';
import { Grid } from '../../../parts/grid/grid.tsx';
import { Time } from '../../../parts/time.tsx';
import { visible } from '../../../text/format.ts';
import { inShort } from '../../../text/json.ts';
import styles from '../testset.module.css';
import { changeWords, type TestsetChange } from './change-words.ts';
import { ChangedTestcase } from './changed-testcase.tsx';
import { dayBefore, endOfDay, startOfDay } from './days.ts';

const route = getRouteApi('/frame/projects/$projectId/testsets/$testsetId');

/** Days before today with which the history begins, until a day is chosen. */
const usualDays = 7;
/** Characters by which a testcase is known again in its row. */
const nameCharacters = 120;

/** The changes of a testset between two days. */
export function History({ testsetId }: { testsetId: string }) {
  const { from = dayBefore(usualDays), to } = route.useSearch();
  const navigate = route.useNavigate();
  const memberName = useMemberNames();
  const list = useList('/testsets/:testsetId/changes', {
    params: { testsetId },
    query: { since: startOfDay(from), ...(to ? { until: endOfDay(to) } : {}) },
  });
  const [opened, setOpened] = useState<TestsetChange>();
  const choose = (change: { from?: string; to?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <div className={styles.choices}>
        <Field
          label="From"
          type="date"
          value={from}
          max={to ?? dayBefore(0)}
          onChange={({ target }) => target.value && choose({ from: target.value })}
        />
        <Field
          label="To"
          type="date"
          value={to ?? dayBefore(0)}
          min={from}
          onChange={({ target }) => choose({ to: target.value || undefined })}
        />
      </div>
      <Grid
        name="testset changes"
        label="Changes"
        noun="change"
        list={list}
        idOf={({ testcaseId }) => testcaseId}
        nameOf={nameOf}
        open={setOpened}
        columns={columnsOf(memberName)}
        empty={
          <Empty title="Nothing changed">
            No testcase was added, changed or deleted between these two days.
          </Empty>
        }
      />
      {opened && <ChangedTestcase change={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function nameOf({ after, before, key = '' }: TestsetChange): string {
  const data = after ?? before;
  return (data ? inShort(data) : key).slice(0, nameCharacters);
}

const columnsOf = (memberName: (userId: string) => string): Column<TestsetChange>[] => [
  { id: 'testcase', name: 'Testcase', width: 260, cell: (change) => visible(nameOf(change)) },
  {
    id: 'change',
    name: 'Change',
    width: 120,
    cell: ({ change }) => (
      <span>
        <span aria-hidden="true">{changeWords[change].sign}</span> {changeWords[change].word}
      </span>
    ),
  },
  {
    id: 'fields',
    name: 'Fields',
    width: 200,
    cell: ({ fields }) => visible(fields.map((pointer) => pointer.slice(1)).join(', ')),
  },
  {
    id: 'when',
    name: 'Last change',
    width: 140,
    cell: ({ changedAt }) => <Time at={changedAt} />,
  },
  {
    id: 'who',
    name: 'By',
    width: 140,
    cell: ({ changedByUserId }) => (changedByUserId ? memberName(changedByUserId) : '–'),
  },
];

import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useList } from '../../api/list.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import type { Column } from '../../parts/grid/columns.ts';
import { Grid } from '../../parts/grid/grid.tsx';
import { useSelection } from '../../parts/grid/selection.ts';
import { Problem } from '../../parts/problem.tsx';
import { curl } from '../../text/commands.ts';
import { visible } from '../../text/format.ts';
import { inShort } from '../../text/json.ts';
import { caseLanguage, whereOf } from './case-language.ts';
import { CaseFilters, CaseTools, DeleteSelected } from './case-tools.tsx';
import { Cell } from './cell.tsx';
import { DataDialog } from './data-dialog.tsx';
import { type Field, fieldsOf, roles, type Testset } from './fields.ts';
import { NewTestcase } from './new-testcase.tsx';
import { PasteRows, usePastedRows } from './paste-rows.tsx';
import { TagSelected, tagsIn } from './tags.tsx';
import { dataOf, errorsByField, pointersOf, type TestcaseItem, valueIn } from './testcase.ts';
import styles from './testset.module.css';
import { type CellEditing, useCellEdit } from './use-cell-edit.ts';

const route = getRouteApi('/frame/projects/$projectId/testsets/$testsetId');

/** Characters of each value: as many as a cell can show. */
const previewCharacters = 200;

/** The testcases of a testset, a column a field. */
export function Cases({ testset }: { testset: Testset }) {
  const { invalid, q, where, testcase: linked } = route.useSearch();
  const navigate = route.useNavigate();
  const { tagsField } = testset;
  const fields = useMemo(() => fieldsOf(testset), [testset]);
  const list = useList('/testsets/:testsetId/testcases', {
    params: { testsetId: testset.id },
    query: {
      preview: previewCharacters,
      fields: pointersOf(fields),
      ...(invalid ? { invalid: 'true' } : {}),
      ...(q ? { q } : {}),
      ...(where ? { where: whereOf({ where }) } : {}),
    },
  });
  const selection = useSelection('testcases');
  const editing = useCellEdit();
  const [isCreating, setCreating] = useState(false);
  const [opened, setOpened] = useState<TestcaseItem>();
  const shown = opened ?? (linked === undefined ? undefined : { id: linked });
  const close = () => {
    setOpened(undefined);
    if (linked !== undefined)
      void navigate({ search: (before) => ({ ...before, testcase: undefined }), replace: true });
  };
  const [pasted, setPasted] = usePastedRows();
  const [first] = fields;
  const columns = [
    ...fields.map((field, index) =>
      fieldColumn(field, { fields, editing, isFirst: index === 0, tagsField }),
    ),
    dataColumn(setOpened),
    ...(list.loaded.some(({ key }) => key !== undefined) ? [keyColumn] : []),
  ];
  const isFiltered = invalid !== undefined || q !== undefined || where !== undefined;
  const language = caseLanguage({ fields, tagsField, tags: knownTags(list.loaded, tagsField) });
  return (
    <>
      <CaseFilters language={language} />
      {editing.error && <Problem error={editing.error} />}
      <Grid
        name={`testcases.${testset.id}`}
        label="Testcases"
        noun="testcase"
        list={list}
        selection={selection}
        actions={[
          ...(tagsField === undefined
            ? []
            : [
                {
                  text: 'Tag',
                  dialog: (close: () => void) => (
                    <TagSelected testsetId={testset.id} selection={selection} onClose={close} />
                  ),
                },
              ]),
          {
            text: 'Delete',
            isDangerous: true,
            dialog: (close) => <DeleteSelected selection={selection} onClose={close} />,
          },
        ]}
        idOf={({ id }) => id}
        nameOf={(testcase) => inShort(dataOf(testcase)).slice(0, 80)}
        open={(testcase) => (first ? void editing.begin(testcase.id, first) : setOpened(testcase))}
        density="middle"
        columns={first ? columns : columns.toReversed()}
        tools={
          <CaseTools
            testset={testset}
            create={() => setCreating(true)}
            paste={() => setPasted('')}
          />
        }
        empty={
          isFiltered ? (
            <Empty
              title="No such testcase"
              action={
                <ButtonLink to="." search={{}}>
                  Show all testcases
                </ButtonLink>
              }
            >
              {invalid
                ? 'No testcase here breaks the schema, as far as the filters let one see.'
                : where
                  ? 'No testcase has these values in its fields.'
                  : 'No testcase has this text in its data or key.'}
            </Empty>
          ) : (
            <NoTestcases testset={testset} create={() => setCreating(true)} />
          )
        }
      />
      {isCreating && (
        <NewTestcase testset={testset} fields={fields} onClose={() => setCreating(false)} />
      )}
      {shown && <DataDialog testcase={shown} onClose={close} />}
      {pasted !== undefined && (
        <PasteRows
          testset={testset}
          fields={fields}
          text={pasted}
          setText={setPasted}
          onClose={() => setPasted(undefined)}
        />
      )}
    </>
  );
}

/** The tags of the testcases that are in memory, to be proposed. */
function knownTags(testcases: TestcaseItem[], tagsField: string | undefined): string[] {
  if (tagsField === undefined) return [];
  const tags = testcases.flatMap((testcase) => {
    const value = valueIn(testcase, tagsField);
    return (value && tagsIn(value.text, value.isJson)) ?? [];
  });
  return [...new Set(tags)].sort();
}

function NoTestcases({ testset, create }: { testset: Testset; create: () => void }) {
  const example = Object.fromEntries(fieldsOf(testset).map(({ name }) => [name, '…']));
  return (
    <Empty
      title="No testcases yet"
      action={
        <div className={styles.ways}>
          <ButtonLink kind="main" to="." search={{ tab: 'import' }}>
            Import a file
          </ButtonLink>
          <Button onClick={create}>New testcase</Button>
        </div>
      }
      command={curl('POST', `/testsets/${testset.id}/testcases`, {
        items: [{ jsonData: example }],
      })}
    >
      A testcase is one question to a system, with what is expected of the answer. Import a file,
      paste rows of a spreadsheet, or write one.
    </Empty>
  );
}

function fieldColumn(
  field: Field,
  {
    fields,
    editing,
    isFirst,
    tagsField,
  }: { fields: Field[]; editing: CellEditing; isFirst: boolean; tagsField: string | undefined },
): Column<TestcaseItem> {
  const { name, role, isRequired, description } = field;
  return {
    id: `field ${name}`,
    name,
    width: isFirst ? 260 : 200,
    head: (
      <span title={visible(description) || undefined}>
        {visible(name)}
        {isRequired && <abbr title="required">*</abbr>} <small>{roles[role]}</small>
      </span>
    ),
    cell: (testcase) => {
      const errors = errorsByField(testcase, fields);
      return (
        <Cell
          testcase={testcase}
          field={field}
          fields={fields}
          editing={editing}
          isTags={name === tagsField}
          isInvalid={isFirst && errors.size > 0}
          errors={[...(errors.get(name) ?? []), ...((isFirst && errors.get(undefined)) || [])]}
        />
      );
    },
  };
}

/** The client's own names of testcases: few testsets that people write have them. */
const keyColumn: Column<TestcaseItem> = {
  id: 'key',
  name: 'Key',
  width: 120,
  cell: ({ key }) =>
    key === undefined ? (
      ''
    ) : (
      <code className={styles.key} title={visible(key)}>
        {visible(key)}
      </code>
    ),
};

/** The whole data: it may have fields without a column. */
const dataColumn = (open: (testcase: TestcaseItem) => void): Column<TestcaseItem> => ({
  id: 'data',
  name: 'Data',
  width: 90,
  cell: (testcase) => (
    <Button kind="quiet" tabIndex={-1} onClick={() => open(testcase)}>
      <code>{'{ }'}</code>
      <span className="for-screen-readers">Edit as JSON</span>
    </Button>
  ),
});

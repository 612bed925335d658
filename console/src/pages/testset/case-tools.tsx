import { getRouteApi } from '@tanstack/react-router';
import { useChange } from '../../api/query.ts';
import { urlOf } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { DownloadButton } from '../../parts/download-button.tsx';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import type { FilterLanguage } from '../../parts/filter/language.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import type { Selection } from '../../parts/grid/selection.ts';
import { Popover } from '../../parts/popover.tsx';
import { countOf } from '../../text/format.ts';
import type { CaseState } from './case-language.ts';
import type { Testset } from './fields.ts';
import styles from './testset.module.css';

const route = getRouteApi('/frame/projects/$projectId/testsets/$testsetId');

const formats = { csv: 'CSV', ndjson: 'JSON lines', json: 'JSON array' };

/** The actions on testcases, and the filter of the invalid ones beside them. */
export function CaseTools({
  testset,
  create,
  paste,
}: {
  testset: Testset;
  create: () => void;
  paste: () => void;
}) {
  const { invalid } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={invalid === 'true'}
          onChange={({ target }) =>
            void navigate({
              search: (before) => ({ ...before, invalid: target.checked ? 'true' : undefined }),
            })
          }
        />
        Invalid only
      </label>
      <Popover label="Export">
        <ul>
          {Object.entries(formats).map(([format, text]) => (
            <li key={format}>
              <DownloadButton
                url={urlOf('/testsets/:testsetId/testcases/export', {
                  params: { testsetId: testset.id },
                  query: { format },
                })}
              >
                {text}
              </DownloadButton>
            </li>
          ))}
        </ul>
      </Popover>
      <Button onClick={paste}>Paste rows</Button>
      <Button kind="main" onClick={create}>
        New testcase
      </Button>
    </>
  );
}

/** Which testcases are listed: by a text in their data, by fields, or those that break the schema. */
export function CaseFilters({ language }: { language: FilterLanguage<CaseState> }) {
  const { q, invalid, where } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <FilterBar<CaseState>
      label="Filter testcases"
      placeholder="Text in the data, field:value, or is:invalid"
      language={language}
      state={{ q, invalid, where }}
      change={(change, { isReplacing }) =>
        void navigate({ search: (before) => ({ ...before, ...change }), replace: isReplacing })
      }
      isTextFollowed
    />
  );
}

/** Asks whether the testcases that are selected are to be deleted. */
export function DeleteSelected({
  selection,
  onClose,
}: {
  selection: Selection;
  onClose: () => void;
}) {
  const remove = useChange('POST', '/testcases/bulk-delete', {
    refreshes: ['/testsets/:testsetId/testcases', '/testsets/:testsetId/changes'],
  });
  const count = countOf(selection.ids.size, 'testcase');
  return (
    <FormDialog
      title={`Delete ${count}`}
      button="Delete"
      isDangerous
      change={remove}
      onClose={onClose}
      submit={() =>
        remove.mutate(
          { body: { ids: [...selection.ids] } },
          {
            onSuccess: () => {
              selection.clear();
              onClose();
            },
          },
        )
      }
    >
      <p>
        Records that were made of them stay. They can be restored one by one in the history of the
        testset.
      </p>
    </FormDialog>
  );
}

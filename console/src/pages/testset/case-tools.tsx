import { getRouteApi } from '@tanstack/react-router';
import { urlOf } from '../../api/request.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { DownloadButton } from '../../parts/download-button.tsx';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import type { FilterLanguage } from '../../parts/filter/language.ts';
import type { Selection } from '../../parts/grid/selection.ts';
import { Popover } from '../../parts/popover.tsx';
import type { CaseState } from './case-language.ts';
import { DeleteTestcases } from './delete-testcases.tsx';
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
  const { projectId } = route.useParams();
  const { invalid, q, where } = route.useSearch();
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
      {/* A run is over the testcases with some data; it knows no text that they have. */}
      {!invalid && q === undefined && (
        <ButtonLink
          to="/projects/$projectId/runs/new"
          params={{ projectId }}
          search={{ testsetId: testset.id, where }}
        >
          New run
        </ButtonLink>
      )}
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
  return (
    <DeleteTestcases
      ids={[...selection.ids]}
      onDeleted={() => selection.clear()}
      onClose={onClose}
    />
  );
}

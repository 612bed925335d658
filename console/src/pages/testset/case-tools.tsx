import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useChange } from '../../api/query.ts';
import { urlOf } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import type { Selection } from '../../parts/grid/selection.ts';
import { Popover } from '../../parts/popover.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { countOf } from '../../text/format.ts';
import type { Testset } from './fields.ts';
import styles from './testset.module.css';

const route = getRouteApi('/frame/projects/$projectId/testsets/$testsetId');

const formats = { csv: 'CSV', ndjson: 'JSON lines', json: 'JSON array' };

/** The filters of the testcases, and the ways to more of them. */
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
      <TextFilter />
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
              <a
                href={urlOf('/testsets/:testsetId/testcases/export', {
                  params: { testsetId: testset.id },
                  query: { format },
                })}
                download
              >
                {text}
              </a>
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

/** How long a person pauses before the list is filtered, in ms. */
const pauseMs = 300;

function TextFilter() {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(q ?? '');
  useShortcuts({ filter: () => field.current?.focus() });
  // Back and forward change the filter, too.
  useEffect(() => setTyped(q ?? ''), [q]);
  useEffect(() => {
    if (typed === (q ?? '')) return;
    const timer = setTimeout(
      () =>
        void navigate({
          search: (before) => ({ ...before, q: typed || undefined }),
          replace: true,
        }),
      pauseMs,
    );
    return () => clearTimeout(timer);
  }, [typed, q, navigate]);
  return (
    <input
      ref={field}
      type="search"
      className={styles.search}
      aria-label="Text in the data"
      placeholder="Text in the data"
      maxLength={256}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
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
    refreshes: ['/testsets/:testsetId/testcases'],
  });
  const count = countOf(selection.ids.size, 'testcase');
  return (
    <Dialog title={`Delete ${count}`} onClose={onClose}>
      <p>Records that were made of them stay. The testcases cannot be had back.</p>
      {remove.error && <Problem error={remove.error} />}
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="danger"
          isBusy={remove.isPending}
          onClick={() =>
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
          Delete
        </Button>
      </Actions>
    </Dialog>
  );
}

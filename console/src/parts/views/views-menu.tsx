import { useLocation, useNavigate } from '@tanstack/react-router';
import { BookmarkPlus, Pencil, Trash2 } from 'lucide-react';
import { type MouseEvent, useState } from 'react';
import { useChange, useReading } from '../../api/query.ts';
import { visible } from '../../text/format.ts';
import { Button } from '../button.tsx';
import { HeldName } from '../held-name.tsx';
import { Popover } from '../popover.tsx';
import { DeleteDialog, RenameDialog } from '../thing-menu.tsx';
import { SaveViewDialog } from './save-view-dialog.tsx';
import { isViewOf, type SavedView, searchOfView, type ViewList } from './view-address.ts';
import { showViewColumns, viewColumnsOf } from './view-columns.ts';
import styles from './views.module.css';

/** As many as a person can see of a project. */
const viewsMax = 100;

interface ViewChange {
  kind: 'rename' | 'delete';
  view: SavedView;
}

/** The saved views of a list: opened, saved, renamed and deleted. */
export function ViewsMenu({
  projectId,
  list,
  grid,
}: {
  projectId: string;
  list: ViewList;
  /** The grid whose columns belong to the view. */
  grid?: string;
}) {
  const { search } = useLocation();
  const navigate = useNavigate();
  const [shown, setShown] = useState<'save' | ViewChange>();
  const read = useReading('/projects/:projectId/views', {
    params: { projectId },
    query: { limit: viewsMax },
  });
  const views = (read.data?.data ?? []).filter((view) => view.list === list);
  const current = currentOf(views, { search, columns: viewColumnsOf(grid) });
  const close = () => setShown(undefined);
  const open = (view: SavedView) => {
    if (grid !== undefined) showViewColumns(grid, view.columns);
    void navigate({ to: '.', search: searchOfView(view, search), resetScroll: false } as never);
  };
  return (
    <>
      <Popover
        kind="quiet"
        className={styles.button!}
        label={current ? visible(current.name) : 'Views'}
        title={current ? `Views: ${visible(current.name)}` : 'Views'}
      >
        {views.length === 0 && (
          <p className={styles.hint}>
            A view is this list under a name: its filters, order and columns.
          </p>
        )}
        {(['Mine', 'Shared with the project'] as const).map((group) => (
          <ViewGroup
            key={group}
            title={group}
            views={views.filter(({ isShared }) => isShared === (group !== 'Mine'))}
            current={current}
            open={open}
            show={setShown}
          />
        ))}
        <Button
          kind="quiet"
          className={styles.save}
          onClick={(event) => {
            closePanel(event);
            setShown('save');
          }}
        >
          <BookmarkPlus aria-hidden size={16} strokeWidth={1.75} />
          Save this view …
        </Button>
      </Popover>
      {shown === 'save' && (
        <SaveViewDialog {...{ projectId, list, grid, search }} onClose={close} />
      )}
      {shown && shown !== 'save' && (
        <ViewDialog kind={shown.kind} view={shown.view} onClose={close} />
      )}
    </>
  );
}

/** The view that the address shows; of two that differ by their columns, the one that has these. */
function currentOf(
  views: SavedView[],
  { search, columns }: { search: Record<string, unknown>; columns: SavedView['columns'] },
): SavedView | undefined {
  const shown = views.filter((view) => isViewOf(view, search));
  const text = JSON.stringify(columns);
  return shown.find((view) => JSON.stringify(view.columns) === text) ?? shown[0];
}

/** The panel would lie behind the dialog that its button opens, and in front of the list. */
const closePanel = ({ currentTarget }: MouseEvent<HTMLElement>) =>
  currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();

function ViewGroup({
  title,
  views,
  current,
  open,
  show,
}: {
  title: string;
  views: SavedView[];
  current: SavedView | undefined;
  open: (view: SavedView) => void;
  show: (change: ViewChange) => void;
}) {
  if (views.length === 0) return null;
  return (
    <section aria-label={title}>
      <p className={styles.title}>{title}</p>
      <ul className={styles.views}>
        {views
          .toSorted((one, other) => one.name.localeCompare(other.name))
          .map((view) => (
            <li key={view.id}>
              <Button
                kind="quiet"
                className={styles.name}
                aria-current={view === current || undefined}
                onClick={(event) => {
                  closePanel(event);
                  open(view);
                }}
              >
                <HeldName id={view.id}>{visible(view.name)}</HeldName>
              </Button>
              <Button
                kind="quiet"
                title={`Rename “${visible(view.name)}”`}
                aria-label={`Rename “${visible(view.name)}”`}
                onClick={(event) => {
                  closePanel(event);
                  show({ kind: 'rename', view });
                }}
              >
                <Pencil aria-hidden size={16} strokeWidth={1.75} />
              </Button>
              <Button
                kind="quiet"
                title={`Delete “${visible(view.name)}”`}
                aria-label={`Delete “${visible(view.name)}”`}
                onClick={(event) => {
                  closePanel(event);
                  show({ kind: 'delete', view });
                }}
              >
                <Trash2 aria-hidden size={16} strokeWidth={1.75} />
              </Button>
            </li>
          ))}
      </ul>
    </section>
  );
}

function ViewDialog({ kind, view, onClose }: ViewChange & { onClose: () => void }) {
  const params = { viewId: view.id };
  const change = useChange('PATCH', '/views/:viewId', {
    refreshes: ['/projects/:projectId/views'],
  });
  const thing = { id: view.id, name: view.name };
  if (kind === 'delete')
    return (
      <DeleteDialog
        noun="view"
        thing={thing}
        deletion={{
          path: '/views/:viewId',
          params,
          refreshes: ['/projects/:projectId/views'],
          consequence: view.isShared
            ? 'Nobody of the project has it any more. All that it lists stays.'
            : 'All that it lists stays.',
        }}
        onClose={onClose}
      />
    );
  return (
    <RenameDialog
      noun="view"
      thing={thing}
      renaming={{
        isPending: change.isPending,
        error: change.error,
        rename: ({ name }, onDone) =>
          change.mutate({ params, body: { name } }, { onSuccess: onDone }),
      }}
      onClose={onClose}
    />
  );
}

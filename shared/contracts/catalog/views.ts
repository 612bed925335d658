import { z } from 'zod';
import { list, operation } from '../define.ts';
import { exampleIds, exampleInstant } from '../examples.ts';
import { id, success, text, timestamp } from '../fields.ts';

/** The lists of the console that are saved. */
export const viewLists = ['runs', 'records', 'traces', 'comparisons'] as const;

/** Views that a person has in a project at most, and that a project shares. */
export const viewsMax = 50;

/** Longer than every address that a browser is sure to open. */
const queryCharactersMax = 8000;
const columnsMax = 200;
const bodyBytesMax = 64 * 1024;

/** The id of a column may be a JSON Pointer of a record. */
const columnIds = z.array(text(1100, 1)).max(columnsMax);

const viewColumns = z
  .object({
    order: columnIds.meta({ description: 'The ids of columns, the first at the left.' }),
    hidden: columnIds.meta({ description: 'The ids of columns that are not shown.' }),
    widths: z
      .array(
        z.object({
          id: text(1100, 1),
          pixels: z.number().int().min(1).max(10_000).meta({ description: 'Pixels of CSS.' }),
        }),
      )
      .max(columnsMax)
      .meta({ description: 'Of columns that are wider or narrower than usual.' }),
  })
  .meta({
    id: 'ViewColumns',
    description: 'The columns of a list, where they differ from the usual ones.',
  });

const viewList = z.enum(viewLists).meta({ description: 'The list that is shown.' });
const viewName = text(100, 1);
const query = text(queryCharactersMax).meta({
  description:
    'The query of the list’s address without the ids of its runs: filters, sort, added columns.',
});
const isShared = z.boolean().meta({
  description: 'True for a view of the project, false for one of its author alone.',
});

export const savedView = z
  .object({
    id: id(),
    projectId: id(),
    list: viewList,
    name: viewName,
    query,
    columns: viewColumns.nullable(),
    isShared,
    userId: z.string().meta({ description: 'The member whose it is, or who shared it.' }),
    createdAt: timestamp(),
  })
  .meta({ id: 'SavedView', description: 'A list under a name: its filters, sort and columns.' });

export type SavedView = z.infer<typeof savedView>;

const exampleBody = {
  list: 'runs' as const,
  name: 'Nightly, the best first',
  query: 'label=branch%3Amain&sort=mean',
  columns: null,
  isShared: true,
};

const access =
  'A view that is not shared is seen, changed and deleted by its author alone, admins included. A shared one belongs to the project, as its testsets do: every member may change and delete it.';

/** Lists that are kept under a name, of a person or of the project. */
export const viewOperations = {
  createView: operation({
    method: 'POST',
    path: '/projects/:projectId/views',
    summary: 'Save a view of a list',
    description: `${access} A person has ${viewsMax} in a project, and a project shares ${viewsMax}. Names are unique for each list, among one’s own and among those that are shared.`,
    body: z.object({
      list: viewList,
      name: viewName,
      query,
      columns: viewColumns.nullish(),
      isShared: isShared.optional().meta({
        description: 'True for a view of the project. Left out for one of the caller’s own.',
      }),
    }),
    bodyBytesMax,
    reply: savedView,
    status: 201,
    example: {
      body: exampleBody,
      reply: {
        id: exampleIds.view,
        projectId: exampleIds.project,
        ...exampleBody,
        userId: exampleIds.user,
        createdAt: exampleInstant,
      },
    },
  }),
  listViews: list({
    path: '/projects/:projectId/views',
    summary: 'List the views that are shared and the caller’s own, oldest first',
    query: z.object({ list: viewList.optional() }),
    item: savedView,
  }),
  updateView: operation({
    method: 'PATCH',
    path: '/views/:viewId',
    summary: 'Update a view',
    description: `${access} One that is shared no longer becomes the caller’s own.`,
    body: z.object({
      name: viewName.optional(),
      query: query.optional(),
      columns: viewColumns.nullish(),
      isShared: isShared.optional(),
    }),
    bodyBytesMax,
    reply: savedView,
    status: 200,
    example: { body: { name: 'Nightly' } },
  }),
  deleteView: operation({
    method: 'DELETE',
    path: '/views/:viewId',
    summary: 'Delete a view; the list that it shows stays as it is',
    reply: success,
    status: 200,
  }),
};

import { type catalog, type Project, type SavedView, viewsMax } from '@assay/contracts/catalog';
import type { Identity, Request } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { StoredView } from '../store/views.ts';
import type { Store } from '../store.ts';

type Operations = (typeof catalog)['operations'];
type ViewBody = Request<Operations['createView']>['body'];
type ViewChange = Request<Operations['updateView']>['body'];

interface Dependencies {
  store: Store;
  /** @throws NOT_FOUND */
  projectOf: (identity: Identity, projectId: string) => Promise<Project>;
  newId: () => string;
  now: () => Date;
}

/** Lists that are kept under a name: seen by one person, or shared with the project. */
export function createViews({ store, projectOf, newId, now }: Dependencies) {
  const { transaction, views } = store;

  async function viewOf({ organizationId, userId }: Identity, id: string): Promise<StoredView> {
    const view = await views.find(organizationId, { id, userId });
    if (!view) throw notFound('view', id);
    return view;
  }

  /** Inside the transaction that stores the view. */
  async function checkName(organizationId: string, view: StoredView): Promise<void> {
    const named = await views.findNamed(organizationId, view);
    if (named && named.id !== view.id)
      throw invalidAt('/name', 'is the name of another view of this list');
  }

  /** Inside the transaction that gives the view to its owner. */
  async function checkRoom(organizationId: string, view: StoredView): Promise<void> {
    if (!(await views.enter(organizationId, view))) throw notFound('project', view.projectId);
    if ((await views.count(organizationId, view)) >= viewsMax)
      throw invalidAt(
        '',
        view.ownerUserId === null
          ? `would be more than the ${viewsMax} views that a project shares`
          : `would be more than the ${viewsMax} views that a person has in a project`,
      );
  }

  return {
    async create(
      identity: Identity,
      projectId: string,
      { isShared = false, columns = null, ...body }: ViewBody,
    ): Promise<SavedView> {
      const { organizationId, userId } = identity;
      await projectOf(identity, projectId);
      const view: StoredView = {
        id: newId(),
        projectId,
        ...body,
        columns,
        ownerUserId: isShared ? null : userId,
        userId,
        createdAt: now(),
      };
      await transaction(async () => {
        await checkRoom(organizationId, view);
        await checkName(organizationId, view);
        await views.create(organizationId, view);
      });
      return toReply(view);
    },
    async list(
      identity: Identity,
      projectId: string,
      { list, page }: { list: SavedView['list'] | undefined; page: PageRequest },
    ): Promise<Page<SavedView>> {
      const { organizationId, userId } = identity;
      await projectOf(identity, projectId);
      const { items, next } = await views.list(organizationId, { projectId, userId, list, page });
      return { items: items.map(toReply), next };
    },
    update: (
      identity: Identity,
      id: string,
      { isShared, columns, ...change }: ViewChange,
    ): Promise<SavedView> =>
      transaction(async () => {
        const { organizationId, userId } = identity;
        const before = await viewOf(identity, id);
        const wasShared = before.ownerUserId === null;
        const isMoved = isShared !== undefined && isShared !== wasShared;
        const view: StoredView = {
          ...before,
          ...change,
          ...(columns === undefined ? {} : { columns }),
          ...(isMoved ? { ownerUserId: isShared ? null : userId, userId } : {}),
        };
        if (isMoved) await checkRoom(organizationId, view);
        else if (!(await views.enter(organizationId, view))) throw notFound('view', id);
        await checkName(organizationId, view);
        await views.replace(organizationId, view);
        return toReply(view);
      }),
    async delete({ organizationId, userId }: Identity, id: string) {
      if (!(await views.delete(organizationId, { id, userId }))) throw notFound('view', id);
      return { success: true as const };
    },
  };
}

const toReply = ({ ownerUserId, createdAt, ...view }: StoredView): SavedView => ({
  ...view,
  isShared: ownerUserId === null,
  createdAt: createdAt.toISOString(),
});

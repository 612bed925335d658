import type { SavedView } from '@assay/contracts/catalog';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Database } from '@assay/runtime/mongo/database';
import { findPage } from '@assay/runtime/mongo/page';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';

export interface StoredView extends Omit<SavedView, 'isShared' | 'createdAt'> {
  /** The one person who sees it; null where it is shared. */
  ownerUserId: string | null;
  createdAt: Date;
}

type ViewDocument = Omit<StoredView, 'id'> & { _id: string; organizationId: string };

/** Whose views they are: of one person, or with null of the project. */
export interface ViewOwner {
  projectId: string;
  ownerUserId: string | null;
}

/** The saved views of projects. A person finds the shared ones and their own. */
export function createViewStore(database: Database) {
  const views = database.collection<ViewDocument>('views');
  const projectLock = createProjectLock(database);
  const seenBy = (userId: string) => ({ ownerUserId: { $in: [null, userId] } });

  return {
    /**
     * Holds back others that add views to the same ones until the transaction ends. Returns false
     * when the project is gone.
     */
    enter: (organizationId: string, { projectId, ownerUserId }: ViewOwner): Promise<boolean> =>
      projectLock.enter(organizationId, projectId, `views of ${ownerUserId}`),
    async create(organizationId: string, { id, ...view }: StoredView): Promise<void> {
      await views.insertOne({ _id: id, organizationId, ...view });
    },
    count: (organizationId: string, { projectId, ownerUserId }: ViewOwner): Promise<number> =>
      views.countDocuments({ organizationId, projectId, ownerUserId }),
    /** Finds the view of one owner by the name that it has in its list. */
    async findNamed(
      organizationId: string,
      { projectId, ownerUserId, list, name }: ViewOwner & Pick<SavedView, 'list' | 'name'>,
    ): Promise<StoredView | undefined> {
      return toView(await views.findOne({ organizationId, projectId, ownerUserId, list, name }));
    },
    async find(
      organizationId: string,
      { id, userId }: { id: string; userId: string },
    ): Promise<StoredView | undefined> {
      return toView(await views.findOne({ _id: id, organizationId, ...seenBy(userId) }));
    },
    list(
      organizationId: string,
      {
        projectId,
        userId,
        list,
        page,
      }: {
        projectId: string;
        userId: string;
        list: SavedView['list'] | undefined;
        page: PageRequest;
      },
    ): Promise<Page<StoredView>> {
      return findPage(views, {
        filter: { organizationId, projectId, ...seenBy(userId), ...(list ? { list } : {}) },
        page,
        toItem: (document) => toView(document)!,
      });
    },
    async replace(organizationId: string, { id, ...view }: StoredView): Promise<void> {
      await views.replaceOne({ _id: id, organizationId }, { organizationId, ...view });
    },
    async delete(
      organizationId: string,
      { id, userId }: { id: string; userId: string },
    ): Promise<boolean> {
      const { deletedCount } = await views.deleteOne({
        _id: id,
        organizationId,
        ...seenBy(userId),
      });
      return deletedCount === 1;
    },
    async deleteOfProject(organizationId: string, projectId: string): Promise<void> {
      await views.deleteMany({ organizationId, projectId });
    },
  };
}

function toView(document: ViewDocument | null): StoredView | undefined {
  if (!document) return undefined;
  const { _id: id, organizationId: _organizationId, ...view } = document;
  return { id, ...view };
}

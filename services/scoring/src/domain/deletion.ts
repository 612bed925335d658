import type { Identity } from '@assay/contracts/define';
import type { Dependencies } from './dependencies.ts';

/** The answers of judges go with the project that they were kept for. */
export function createDeletion({ store, now }: Pick<Dependencies, 'store' | 'now'>) {
  return {
    forgetProject: ({ organizationId }: Identity, projectId: string): Promise<void> =>
      store.answers.forgetProject(organizationId, projectId, now()),

    /** Deletes everything of a deleted project. After an interruption it continues with the rest. */
    deleteAll: store.answers.deleteOfProject,
  };
}

import type { Identity } from '@assay/contracts/define';
import { conflict } from '@assay/contracts/failure';
import { createAnswerMemory } from './answer-memory.ts';
import type { Dependencies } from './dependencies.ts';

const knownMax = 10_000;
/** Spans come by the thousand in a second, and projects rarely come and go. */
const knownMs = 10_000;

export interface FoundProject {
  projectId: string;
  /** Its spans named none that is there. */
  isProjectGuessed: boolean;
}

export type Projects = ReturnType<typeof createProjects>;

/** The projects of spans, as catalog knows them; its answers are remembered for ten seconds. */
export function createProjects({ ask }: Pick<Dependencies, 'ask'>) {
  const answers = createAnswerMemory<string | null>({ max: knownMax, ttl: knownMs });

  const existing = (identity: Identity, projectId: string): Promise<string | null> =>
    answers.ask(`${identity.organizationId}/${projectId}`, async () => {
      const { found } = await ask.catalog.project(identity, { projectId });
      return found ? projectId : null;
    });

  const oldest = (identity: Identity): Promise<string | null> =>
    answers.ask(
      identity.organizationId,
      async () => (await ask.catalog.oldestProject(identity, {})).projectId,
    );

  return {
    isThere: async (identity: Identity, projectId: string): Promise<boolean> =>
      (await existing(identity, projectId)) !== null,

    /** Forgets the answers about a deleted project. */
    forget(organizationId: string, projectId: string): void {
      answers.forget(`${organizationId}/${projectId}`);
      answers.forget(organizationId);
    },

    /**
     * The first of the named projects that is there, else the organization's oldest: spans are not
     * lost by a wrong name.
     * @throws CONFLICT where the organization has no project.
     */
    async find(identity: Identity, named: (string | undefined)[]): Promise<FoundProject> {
      for (const projectId of named)
        if (projectId !== undefined && (await existing(identity, projectId)) !== null)
          return { projectId, isProjectGuessed: false };
      const projectId = await oldest(identity);
      if (projectId !== null) return { projectId, isProjectGuessed: true };
      answers.forget(identity.organizationId);
      throw conflict('The organization has no project: create one, and spans can be kept.');
    },
  };
}

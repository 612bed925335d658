import type { Identity } from '@assay/contracts/define';
import { conflict } from '@assay/contracts/failure';
import { createAnswerMemory } from './answer-memory.ts';
import type { Dependencies } from './dependencies.ts';

const knownMax = 10_000;
/** Spans come by the thousand in a second, and projects rarely come and go. */
const knownMs = 10_000;

export interface FoundProject {
  projectId: string;
  /** Days for which its traces are kept; undefined where the installation's rule holds. */
  retentionDays: number | undefined;
  /** Its spans named none that is there. */
  isProjectGuessed: boolean;
}

type KnownProject = Omit<FoundProject, 'isProjectGuessed'>;

export type Projects = ReturnType<typeof createProjects>;

/** The projects of spans, as catalog knows them; its answers are remembered for ten seconds. */
export function createProjects({ ask }: Pick<Dependencies, 'ask'>) {
  const answers = createAnswerMemory<KnownProject | null>({ max: knownMax, ttl: knownMs });

  const existing = (identity: Identity, projectId: string): Promise<KnownProject | null> =>
    answers.ask(`${identity.organizationId}/${projectId}`, async () => {
      const { found, traceRetentionDays } = await ask.catalog.project(identity, { projectId });
      return found ? { projectId, retentionDays: traceRetentionDays } : null;
    });

  const oldest = (identity: Identity): Promise<KnownProject | null> =>
    answers.ask(identity.organizationId, async () => {
      const { projectId } = await ask.catalog.oldestProject(identity, {});
      return projectId === null ? null : existing(identity, projectId);
    });

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
      for (const projectId of named) {
        const project = projectId === undefined ? null : await existing(identity, projectId);
        if (project) return { ...project, isProjectGuessed: false };
      }
      const project = await oldest(identity);
      if (project) return { ...project, isProjectGuessed: true };
      answers.forget(identity.organizationId);
      throw conflict('The organization has no project: create one, and spans can be kept.');
    },
  };
}

import { type Client, orUndefined } from '@assay/client/client';
import type { ReplyOf } from '@assay/client/operations';

type Kind = 'runs' | 'records' | 'testsets' | 'metrics' | 'systems';

/** Addresses of pages of the console. */
export interface ConsoleLinks {
  project(projectId: string): string;
  of(projectId: string | undefined, kind: Kind, id: string): string | undefined;
  comparison(
    projectId: string | undefined,
    runs: { baselineRunId: string; candidateRunId: string },
  ): string | undefined;
  /** The project of a run, which no operation tells: undefined where it is not found soon. */
  projectOfRun(runId: string): Promise<string | undefined>;
}

type RunPage = ReplyOf<'GET', '/projects/:projectId/runs'>;

/** Pages of runs that are read in search of a project. */
const pagesMax = 10;

export function createConsoleLinks(api: Client, consoleUrl: string): ConsoleLinks {
  const project = (projectId: string) => `${consoleUrl}/projects/${projectId}`;

  async function projectOfRun(runId: string): Promise<string | undefined> {
    let pages = 0;
    for await (const { id } of api.list('/projects')) {
      let cursor: string | null = null;
      do {
        if (++pages > pagesMax) return undefined;
        const page: RunPage | undefined = await runsOf(id, cursor);
        if (page?.data.some((run) => run.id === runId)) return id;
        // Ids grow with time, and the newest run comes first.
        cursor = page?.data.some((run) => run.id < runId) ? null : (page?.nextCursor ?? null);
      } while (cursor !== null);
    }
    return undefined;
  }

  /** Undefined where the project was deleted meanwhile. */
  const runsOf = (projectId: string, cursor: string | null) =>
    orUndefined(
      api.request('GET', '/projects/:projectId/runs', {
        params: { projectId },
        query: { limit: 100, ...(cursor === null ? {} : { cursor }) },
      }),
    );

  return {
    project,
    of: (projectId, kind, id) =>
      projectId === undefined ? undefined : `${project(projectId)}/${kind}/${id}`,
    comparison: (projectId, { baselineRunId, candidateRunId }) => {
      const query = new URLSearchParams({ baseline: baselineRunId, candidate: candidateRunId });
      return projectId === undefined ? undefined : `${project(projectId)}/compare?${query}`;
    },
    projectOfRun,
  };
}

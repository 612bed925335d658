import { type Client, orUndefined } from '@assay/client/client';

type Kind = 'runs' | 'records' | 'testsets' | 'metrics' | 'systems';

/** Addresses of pages of the console. */
export interface ConsoleLinks {
  project(projectId: string): string;
  of(projectId: string | undefined, kind: Kind, id: string): string | undefined;
  /** The project of a run, which no operation tells: undefined where it is not found soon. */
  projectOfRun(runId: string): Promise<string | undefined>;
}

/** Pages of runs that are read in search of a project. */
const pagesMax = 10;

export function createConsoleLinks(api: Client, consoleUrl: string): ConsoleLinks {
  const project = (projectId: string) => `${consoleUrl}/projects/${projectId}`;

  async function projectOfRun(runId: string): Promise<string | undefined> {
    let pages = 0;
    for await (const { id } of api.list<{ id: string }>('/projects')) {
      let cursor: string | null = null;
      do {
        if (++pages > pagesMax) return undefined;
        const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page: { data: { id: string }[]; nextCursor: string | null } | undefined =
          await runsOf(id, query);
        if (page?.data.some((run) => run.id === runId)) return id;
        // Ids grow with time, and the newest run comes first.
        cursor = page?.data.some((run) => run.id < runId) ? null : (page?.nextCursor ?? null);
      } while (cursor !== null);
    }
    return undefined;
  }

  /** Undefined where the project was deleted meanwhile. */
  const runsOf = (projectId: string, query: string) =>
    orUndefined(
      api.request<{ data: { id: string }[]; nextCursor: string | null }>(
        'GET',
        `/projects/${projectId}/runs?limit=100${query}`,
      ),
    );

  return {
    project,
    of: (projectId, kind, id) =>
      projectId === undefined ? undefined : `${project(projectId)}/${kind}/${id}`,
    projectOfRun,
  };
}

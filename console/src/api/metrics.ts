import { useAll } from './all.ts';

/** All metrics of a project; waits until it is known which. */
export const useMetrics = (projectId: string | undefined) =>
  useAll('/projects/:projectId/metrics', {
    params: { projectId: projectId ?? '' },
    isEnabled: projectId !== undefined,
  });

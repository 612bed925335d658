import type { Client } from './client.ts';
import type { BodyOf, ReplyOf } from './operations.ts';

export type Run = ReplyOf<'GET', '/runs/:runId'>;
type Question = BodyOf<'POST', '/projects/:projectId/runs/newest'>;

/** The run that others are compared with: made, or still to be made. */
export type Candidate = NonNullable<Question['candidate']>;

/** The run of this id, or one that is still to be made of these parts. */
export function candidateOf({
  ownRunId,
  testsetId,
  testcaseIds,
  metricIds,
}: {
  ownRunId: string | undefined;
  testsetId: string;
  testcaseIds?: string[] | undefined;
  metricIds?: string[] | undefined;
}): Candidate {
  if (ownRunId !== undefined) return { runId: ownRunId };
  return {
    testsetId,
    ...(metricIds ? { metricIds } : {}),
    ...(testcaseIds ? { testcaseIds } : {}),
  };
}

/** The properties of the run that is sought. */
export type NewestSearch = Pick<Question, 'label' | 'name' | 'systemVersionId'>;

/**
 * The newest completed run that can be compared with the candidate, and a sentence on each newer one
 * that cannot. The server has the rule, so that every client asks the same.
 */
export async function searchNewest(
  client: Client,
  {
    projectId,
    testsetId,
    wanted,
    candidate,
  }: {
    projectId: string;
    testsetId: string | undefined;
    wanted: NewestSearch;
    candidate: Candidate | undefined;
  },
): Promise<{ run: Run | null; passedOver: string[] }> {
  const { run, passedOver } = await client.request('POST', '/projects/:projectId/runs/newest', {
    params: { projectId },
    body: {
      ...wanted,
      ...(testsetId === undefined ? {} : { testsetId }),
      ...(candidate ? { candidate } : {}),
    },
  });
  return { run, passedOver: passedOver.map(({ message }) => message) };
}

/** Why a search would pass over a run that was chosen; undefined where it would not. */
export async function warningOfChoice(
  client: Client,
  { projectId }: { projectId: string },
  { run, candidate }: { run: Pick<Run, 'id'>; candidate: Candidate },
): Promise<string | undefined> {
  const { warning } = await client.request('POST', '/projects/:projectId/runs/newest', {
    params: { projectId },
    body: { runId: run.id, candidate },
  });
  return warning?.message;
}

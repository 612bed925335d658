import { findRun } from '@assay/client/find';
import { isId } from '@assay/client/named';
import type { ToolContext } from './tool.ts';

/**
 * The arguments of a tool with the id of their run where they have its name, `branch:NAME` or
 * `latest:NAME`.
 * @throws LookupFailure
 */
export async function withRunId<Arguments extends object>(
  given: Arguments,
  { api: client }: Pick<ToolContext, 'api'>,
): Promise<Arguments> {
  const wanted = 'runId' in given ? given.runId : undefined;
  if (typeof wanted !== 'string' || isId(wanted)) return given;
  const { id: runId } = await findRun({ client, wanted, project: undefined });
  return { ...given, runId };
}

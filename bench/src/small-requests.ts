import type { ArrivalResult, Generator } from './load.ts';
import { createRun, recordBody } from './records.ts';
import { getOf, postOf, throughGateway } from './requests.ts';
import type { Installation } from './setting.ts';

const perSecond = 100;

/** The effect of other load on a user. */
export interface SmallRequests {
  get: ArrivalResult;
  post: ArrivalResult;
}

/**
 * Reads of a run and records of 1 KB, a hundred a second of each: few, and at a constant rate, so
 * that each request that has to wait counts. For `durationMs`, or until `ended` does.
 */
export async function watchSmallRequests({
  generator,
  installation,
  durationMs,
  ended,
}: {
  generator: Generator;
  installation: Installation;
  durationMs: number;
  ended?: Promise<unknown>;
}): Promise<SmallRequests> {
  const runId = await createRun(installation.call);
  const door = throughGateway(installation);
  const [get, post] = await Promise.all([
    generator.openLoop({ ...getOf(door, `/runs/${runId}`), perSecond, durationMs }, ended),
    generator.openLoop(
      { ...postOf(door, `/runs/${runId}/records`, recordBody), perSecond, durationMs },
      ended,
    ),
  ]);
  return { get, post };
}

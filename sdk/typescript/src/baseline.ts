import { type Client, orUndefined } from '@assay/client/client';
import { findBaseline as findNamedBaseline } from '@assay/client/find';
import { LookupFailure, NoBaselineYet } from '@assay/client/named';
import { AssayError } from './failure.ts';
import type { Run } from './waiting.ts';

/** The run to compare with, and why it is that one. */
export interface Baseline {
  runId: string;
  /** 'run "Prompt 13", the baseline of the testset' */
  description: string;
  metricIds: string[];
}

/**
 * The baseline, or the sentence why there is none: a first run, or one of several on the testset of
 * which none is made the baseline.
 */
export type BaselineSearch =
  | { baseline: Baseline }
  | { baseline: undefined; whyNone: string; isFirst: boolean };

interface BaselineChoice {
  client: Client;
  projectId: string;
  testset: { id: string; baselineRunId: string | null };
  named: string | undefined;
  systemId: string | undefined;
  productionVersionId: string | undefined;
  isGate: boolean;
  ownRunId: string | undefined;
}

const noBaseline =
  'There is nothing to compare with: the testset has no baseline, and no other run of the production version is completed. Make a run the baseline of the testset, in the console.';

/**
 * Finds the run that a new one is compared with: the one that is named, else the testset's
 * baseline, else the newest completed run of the system's production version. Where no system is
 * known, it is the newest completed run on the testset; not for a gate, since small losses from run
 * to run would pass it one by one.
 * @throws AssayError where the name is near to another, or of a run elsewhere.
 */
export async function findBaseline(choice: BaselineChoice): Promise<BaselineSearch> {
  const { named, productionVersionId, isGate } = choice;
  if (named !== undefined) return findNamed({ ...choice, named });
  const ofTestset = await findOfTestset(choice);
  if (ofTestset) return { baseline: ofTestset };
  const newest = await newestOf(choice);
  const none = { baseline: undefined, whyNone: noBaseline };
  if (!newest) return { ...none, isFirst: true };
  if (productionVersionId === undefined && isGate) return { ...none, isFirst: false };
  const whose = productionVersionId === undefined ? 'on this testset' : 'of the production version';
  return { baseline: baselineOf(newest, `the newest completed run ${whose}`) };
}

async function findNamed({
  client,
  projectId,
  testset,
  named,
  systemId = null,
  ownRunId,
}: Omit<BaselineChoice, 'systemId'> & {
  named: string;
  systemId?: string | null | undefined;
}): Promise<BaselineSearch> {
  try {
    const run = await findNamedBaseline({
      client,
      wanted: named,
      project: projectId,
      testsetId: testset.id,
      systemId,
      ownRunId,
    });
    if (run.testsetId !== testset.id)
      throw new AssayError(`The baseline ${named} is not a run of this testset.`);
    return { baseline: baselineOf(run) };
  } catch (error) {
    if (error instanceof NoBaselineYet)
      return { baseline: undefined, whyNone: error.message, isFirst: true };
    if (error instanceof LookupFailure) throw new AssayError(error.message);
    throw error;
  }
}

async function findOfTestset({
  client,
  testset: { baselineRunId },
  ownRunId,
}: BaselineChoice): Promise<Baseline | undefined> {
  if (baselineRunId === null || baselineRunId === ownRunId) return undefined;
  const run = await readRun(client, baselineRunId);
  return run && baselineOf(run, 'the baseline of the testset');
}

/** The newest completed run on the testset; of the production version where a system is known. */
async function newestOf({
  client,
  projectId,
  testset,
  productionVersionId,
  ownRunId,
}: BaselineChoice): Promise<Run | undefined> {
  const query = {
    testsetId: testset.id,
    status: 'completed' as const,
    ...(productionVersionId === undefined ? {} : { systemVersionId: productionVersionId }),
  };
  for await (const run of client.list('/projects/:projectId/runs', {
    params: { projectId },
    query,
  }))
    if (run.id !== ownRunId && run.numRecords > 0) return run;
  return undefined;
}

const readRun = (client: Client, runId: string): Promise<Run | undefined> =>
  orUndefined(client.request('GET', '/runs/:runId', { params: { runId } }));

const baselineOf = (run: Run, why?: string): Baseline => ({
  runId: run.id,
  description: [runName(run), ...(why === undefined ? [] : [why])].join(', '),
  metricIds: run.metricIds,
});

const runName = ({ id, name }: Run): string =>
  name === undefined ? `run ${id}` : `run ${JSON.stringify(name)}`;

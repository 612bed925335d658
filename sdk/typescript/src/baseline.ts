import { type Client, orUndefined } from '@assay/client/client';
import { findBaseline as findNamedBaseline } from '@assay/client/find';
import { LookupFailure, NoBaselineYet } from '@assay/client/named';
import { candidateOf, searchNewest, warningOfChoice } from '@assay/client/newest-run';
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
 * which none is made the baseline, or can be compared.
 */
export type BaselineSearch = {
  /** Which runs were passed over, and why the run that was chosen would be. */
  told: string[];
} & ({ baseline: Baseline } | { baseline: undefined; whyNone: string; isFirst: boolean });

interface BaselineChoice {
  client: Client;
  projectId: string;
  testset: { id: string; baselineRunId: string | null };
  named: string | undefined;
  systemId: string | undefined;
  productionVersionId: string | undefined;
  isGate: boolean;
  /** The run to complete. */
  ownRunId: string | undefined;
  /** The metrics of the new run; undefined where some are still to be made. */
  metricIds: string[] | undefined;
  /** The testcases of a run that is still to be made, where these are not all of the testset. */
  testcaseIds: string[] | undefined;
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
  if (named !== undefined) return findNamed(choice, named);
  const ofTestset = await findOfTestset(choice);
  if (ofTestset) return ofTestset;
  const { run, passedOver } = await newestOf(choice);
  const none = { told: passedOver, baseline: undefined, whyNone: noBaseline };
  if (!run) return { ...none, isFirst: passedOver.length === 0 };
  if (productionVersionId === undefined && isGate) return { ...none, told: [], isFirst: false };
  const whose = productionVersionId === undefined ? 'on this testset' : 'of the production version';
  return { told: passedOver, baseline: baselineOf(run, `the newest completed run ${whose}`) };
}

async function findNamed(choice: BaselineChoice, wanted: string): Promise<BaselineSearch> {
  const { client, projectId, testset, systemId = null, ownRunId, metricIds, testcaseIds } = choice;
  const told: string[] = [];
  try {
    const run = await findNamedBaseline({
      client,
      wanted,
      project: projectId,
      testsetId: testset.id,
      systemId,
      ownRunId,
      metricIds,
      testcaseIds,
      tell: (sentence) => told.push(sentence),
    });
    if (run.testsetId !== testset.id)
      throw new AssayError(`The baseline ${wanted} is not a run of this testset.`);
    return { told, baseline: baselineOf(run) };
  } catch (error) {
    if (error instanceof NoBaselineYet)
      return { told, baseline: undefined, whyNone: error.message, isFirst: true };
    if (error instanceof LookupFailure) throw new AssayError(error.message);
    throw error;
  }
}

async function findOfTestset(choice: BaselineChoice): Promise<BaselineSearch | undefined> {
  const { client, projectId, testset, ownRunId } = choice;
  const { baselineRunId } = testset;
  if (baselineRunId === null || baselineRunId === ownRunId) return undefined;
  const run = await readRun(client, baselineRunId);
  if (!run) return undefined;
  const candidate = candidateOf({ ...choice, testsetId: testset.id });
  const warning = await warningOfChoice(client, { projectId }, { run, candidate });
  return {
    told: warning === undefined ? [] : [warning],
    baseline: baselineOf(run, 'the baseline of the testset'),
  };
}

/** The newest completed run on the testset; of the production version where a system is known. */
const newestOf = (choice: BaselineChoice) =>
  searchNewest(choice.client, {
    projectId: choice.projectId,
    testsetId: choice.testset.id,
    wanted:
      choice.productionVersionId === undefined
        ? {}
        : { systemVersionId: choice.productionVersionId },
    candidate: candidateOf({ ...choice, testsetId: choice.testset.id }),
  });

const readRun = (client: Client, runId: string): Promise<Run | undefined> =>
  orUndefined(client.request('GET', '/runs/:runId', { params: { runId } }));

const baselineOf = (run: Run, why?: string): Baseline => ({
  runId: run.id,
  description: [runName(run), ...(why === undefined ? [] : [why])].join(', '),
  metricIds: run.metricIds,
});

const runName = ({ id, name }: Run): string =>
  name === undefined ? `run ${id}` : `run ${JSON.stringify(name)}`;

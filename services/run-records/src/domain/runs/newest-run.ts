import type { Identity, Request } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import { grouped } from '@assay/contracts/fields';
import {
  comparedTestcasesMax,
  type PassedOverRun,
  type PassOverReason,
  passedOverMax,
  type Run,
  type runRecords,
} from '@assay/contracts/run-records';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import type { RunList } from './run-list.ts';
import { pagesOfPart } from './run-part.ts';
import type { Runs } from './runs.ts';

type Search = Request<(typeof runRecords)['operations']['findNewestRun']>['body'];

/** The run that others are compared with, as far as the rule asks for it. */
interface Candidate {
  runId: string | undefined;
  testsetId: string;
  /** Undefined: any metric will do. */
  metricIds: Set<string> | undefined;
  /** The testcases that it expects, oldest first; undefined as long as nobody can tell. */
  testcaseIds: string[] | undefined;
}

/** Runs of one page of the search, and pages, each of which looks at 1,000 runs at most. */
const pageRuns = 20;
const pagesMax = 50;
/** Ids in one question to the database. */
const batchIds = 10_000;
const coveredShareMin = 0.9;
const errorShareMax = 0.1;

/**
 * Finds the newest completed run that a candidate can be compared with (contract section 5, Runs):
 * the one rule of all who look for one.
 */
export function createNewestRun({
  store,
  ask,
  runs,
  runList,
}: Pick<Dependencies, 'store' | 'ask'> & { runs: Runs; runList: RunList }) {
  async function candidateOf(
    identity: Identity,
    projectId: string,
    { runId, testsetId, testcaseIds, metricIds }: NonNullable<Search['candidate']>,
  ): Promise<Candidate> {
    if (runId !== undefined) return candidateOfRun(identity, projectId, runId);
    if (testsetId === undefined)
      throw invalidAt('/candidate', 'must have `runId`, or `testsetId` for a run to be made');
    return {
      runId: undefined,
      testsetId,
      metricIds: metricIds && metricIds.length > 0 ? new Set(metricIds) : undefined,
      testcaseIds: testcaseIds
        ? [...new Set(testcaseIds)].sort()
        : await testcasesOf(identity, { testsetId }),
    };
  }

  async function candidateOfRun(
    identity: Identity,
    projectId: string,
    runId: string,
  ): Promise<Candidate> {
    const run = await runs.findRun(identity, runId);
    if (run?.projectId !== projectId)
      throw invalidAt('/candidate/runId', 'does not belong to this project');
    const { testsetId, part, metrics } = run;
    if (testsetId === null) throw invalidAt('/candidate/runId', 'is a run without a testset');
    const isNumbered = part && part.where === undefined && part.keys === undefined;
    return {
      runId,
      testsetId,
      metricIds: new Set(metrics.map(({ metricId }) => metricId)),
      // Only its records tell which testcases a run over so many is about.
      testcaseIds: isNumbered
        ? await recordedTestcases(identity, runId)
        : await testcasesOf(identity, {
            testsetId,
            where: part?.where,
            keys: part?.keys,
            before: runId,
          }),
    };
  }

  async function recordedTestcases({ organizationId }: Identity, runId: string) {
    const ids = await store.coverage.listTestcases(organizationId, runId, comparedTestcasesMax);
    return ids.length > 0 ? ids : undefined;
  }

  async function testcasesOf(
    identity: Identity,
    part: Parameters<typeof pagesOfPart>[2],
  ): Promise<string[]> {
    const found: string[] = [];
    for await (const { ids } of pagesOfPart(ask, identity, part)) {
      for (const id of ids) found.push(id);
      if (found.length >= comparedTestcasesMax) return found.slice(0, comparedTestcasesMax);
    }
    return found;
  }

  /** Why a run has too few of the testcases that were there when it began. */
  async function coverageFault(
    organizationId: string,
    runId: string,
    testcaseIds: string[],
  ): Promise<string | undefined> {
    const present = testcaseIds.filter((id) => id < runId);
    if (present.length === 0)
      return 'none of the testcases that are compared was there when it began';
    let covered = 0;
    for (let at = 0; at < present.length; at += batchIds)
      covered += await store.coverage.countTestcases(
        organizationId,
        runId,
        present.slice(at, at + batchIds),
      );
    if (covered >= coveredShareMin * present.length) return undefined;
    return `it has records of ${grouped(covered)} of the ${countOf(present.length, 'testcase')} that are compared`;
  }

  /** Why the rule passes a run over; undefined where it takes it. */
  async function fault(
    organizationId: string,
    { id, numRecords }: Run,
    { metricIds, testcaseIds }: Candidate,
  ): Promise<{ reason: PassOverReason; why: string } | undefined> {
    const errors = await store.coverage.countErrors(organizationId, { runId: id });
    if (errors > errorShareMax * numRecords)
      return {
        reason: 'many_errors',
        why: `${grouped(errors)} of its ${countOf(numRecords, 'record')} ${errors === 1 ? 'is an error' : 'are errors'}`,
      };
    const { metrics } = (await store.runs.find(organizationId, id)) ?? { metrics: [] };
    if (!(await store.coverage.hasValue(organizationId, id, versionsOf(metrics, metricIds))))
      return {
        reason: 'no_common_score',
        why: metricIds ? 'it has no score of a metric of the candidate' : 'it has no score',
      };
    const why = testcaseIds && (await coverageFault(organizationId, id, testcaseIds));
    if (why !== undefined) return { reason: 'few_testcases', why };
    return undefined;
  }

  async function search(
    identity: Identity,
    projectId: string,
    { wanted, candidate }: { wanted: Search; candidate: Candidate | undefined },
  ): Promise<{ run: Run | null; passedOver: PassedOverRun[] }> {
    const { label, name, systemVersionId, testsetId = candidate?.testsetId } = wanted;
    const filters = {
      status: 'completed' as const,
      label: label === undefined ? [] : [label],
      name,
      systemVersionId,
      testsetId,
    };
    const passedOver: PassedOverRun[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < pagesMax; pages++) {
      const page = await runList.list(identity, projectId, {
        filters,
        page: { limit: pageRuns, after },
      });
      for (const run of page.items) {
        const isEmpty = run.numRecords === 0 || run.expiredAt !== undefined;
        if (run.id === candidate?.runId || isEmpty) continue;
        // The list takes a part of a name.
        if (name !== undefined && run.name !== name) continue;
        const found = candidate && (await fault(identity.organizationId, run, candidate));
        if (!found) return { run, passedOver };
        passedOver.push(
          toPassedOver(run, found.reason, `Passed over ${titleOf(run)}: ${found.why}.`),
        );
        if (passedOver.length === passedOverMax) return { run: null, passedOver };
      }
      if (page.next === null) break;
      after = page.next;
    }
    return { run: null, passedOver };
  }

  async function chosen(
    identity: Identity,
    projectId: string,
    { runId, candidate }: { runId: string; candidate: Candidate | undefined },
  ) {
    const stored = await runs.findRun(identity, runId);
    if (stored?.projectId !== projectId)
      throw invalidAt('/runId', 'does not belong to this project');
    const run = await runs.get(identity, runId);
    const found = candidate && (await fault(identity.organizationId, run, candidate));
    if (!found) return { run, passedOver: [] };
    const message = `${sentenceStart(titleOf(run))} was chosen by hand or by its name. A search would pass it over: ${found.why}.`;
    return { run, passedOver: [], warning: toPassedOver(run, found.reason, message) };
  }

  return {
    async find(identity: Identity, projectId: string, body: Search) {
      const { found } = await ask.catalog.project(identity, { projectId });
      if (!found) throw notFound('project', projectId);
      const candidate = body.candidate && (await candidateOf(identity, projectId, body.candidate));
      return body.runId === undefined
        ? search(identity, projectId, { wanted: body, candidate })
        : chosen(identity, projectId, { runId: body.runId, candidate });
    },
  };
}

const versionsOf = (metrics: StoredRun['metrics'], metricIds: Set<string> | undefined): string[] =>
  metrics
    .filter(({ metricId }) => !metricIds || metricIds.has(metricId))
    .map(({ metricVersionId }) => metricVersionId);

const countOf = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun}` : `${grouped(count)} ${noun}s`;

const titleOf = ({ id, name }: Run): string =>
  name === undefined ? `run ${id}` : `run ${JSON.stringify(name)}`;

const sentenceStart = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`;

const toPassedOver = (
  { id, name, createdAt }: Run,
  reason: PassOverReason,
  message: string,
): PassedOverRun => ({
  runId: id,
  ...(name === undefined ? {} : { name }),
  createdAt,
  reason,
  message,
});

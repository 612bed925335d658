import { createHash } from 'node:crypto';
import type { Identity, StreamReply } from '@assay/contracts/define';
import type { Payload } from '@assay/contracts/payload';
import type { PreviewRequest } from '@assay/contracts/preview';
import { isProviderLimit } from '@assay/contracts/provider-limit';
import {
  type RatedRecord,
  type RecordInput,
  type RunOutline,
  runExpired,
  systemMetrics,
  unnamedError,
} from '@assay/contracts/run-records';
import { memberText } from '@assay/json-schema/member-text';
import { toLines } from '@assay/runtime/http/lines';
import { hashOfJson } from '@assay/runtime/json/hash';
import type { KeptResults } from '../../store/run-results.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { ScoredRecord } from '../../store/values.ts';
import { type ScoreKind, type ScoreStates, scoreKindsOf } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import { bytesOf } from '../records/payload-bytes.ts';
import { shown, withScores } from '../records/records.ts';
import { areCurrent } from './current-results.ts';

/**
 * Reads the input of the results service: values as streams of lines, records and reasons by their
 * ids.
 */
export function createResultsInput({ store }: Pick<Dependencies, 'store'>) {
  return {
    async readRuns(
      { organizationId }: Identity,
      {
        runIds,
        withExpired = false,
        withResults = false,
      }: {
        runIds: string[];
        withExpired?: boolean | undefined;
        withResults?: boolean | undefined;
      },
    ): Promise<{ runs: RunOutline[] }> {
      const found = await store.runs.findEach(
        runIds.map((id) => ({ organizationId, id })),
        { withExpired: true },
      );
      const runs = found.filter((run) => run !== undefined);
      const expired = runs.find((run) => run.expired)?.expired;
      if (expired && !withExpired) throw runExpired(expired.at.toISOString());
      const ids = runs.map(({ id }) => id);
      // First: results that are kept meanwhile know of more changes than the counts, and are not told.
      const kept = withResults
        ? await store.runResults.find(organizationId, ids)
        : new Map<string, KeptResults>();
      const counts = await store.runs.countsOf(organizationId, ids);
      const keptOf = ({ id, metrics }: StoredRun) => {
        const found = kept.get(id);
        const now = { changes: counts.get(id)!.changes, metricVersions: metrics.length };
        return found && areCurrent(found, now) ? { kept: found.results } : {};
      };
      return {
        runs: runs.map((run) => {
          const { id, name, projectId, testsetId, metrics, stopping, expired } = run;
          return {
            id,
            name,
            projectId,
            testsetId,
            metrics,
            changes: counts.get(id)!.changes,
            errored: counts.get(id)!.errored,
            numExpectedRecords: run.numExpectedRecords,
            repeats: run.repeats ?? 1,
            ...(expired ? { expired: JSON.parse(expired.results) } : keptOf(run)),
            ...(stopping ? { stopping: { isStopped: counts.get(id)!.stopped > 0 } } : {}),
          };
        }),
      };
    },

    ratings: (
      { organizationId }: Identity,
      {
        runId,
        ...wanted
      }: {
        runId: string;
        withVotes: boolean;
        withHashes?: boolean | undefined;
        withMetrics?: boolean | undefined;
      },
    ): StreamReply =>
      lines(mapped(store.values.listScored(organizationId, runId, wanted), toRatedRecord)),

    inputs: (
      { organizationId }: Identity,
      { runId, pointer }: { runId: string; pointer: string },
    ): StreamReply =>
      lines(
        mapped(
          store.values.listInputs(organizationId, runId),
          async ({ id, testcaseId, inputs }): Promise<RecordInput> => ({
            recordId: id,
            testcaseId,
            text: memberText(await bytesOf(inputs), pointer) ?? null,
          }),
        ),
      ),

    tags: ({ organizationId }: Identity, { runId }: { runId: string }): StreamReply =>
      lines(store.values.listTags(organizationId, runId)),

    async readRecords(
      { organizationId }: Identity,
      {
        runId,
        recordIds,
        previews,
      }: { runId: string; recordIds: string[]; previews?: PreviewRequest | undefined },
    ) {
      const { found, remaining } = await store.records.findSome(organizationId, runId, {
        ids: recordIds,
        areWhole: previews === undefined,
      });
      const records = [];
      for (const record of found) records.push(await shown(withScores(record), previews));
      return { records, remaining };
    },

    /** Hashes that do not depend on the order of keys, nor on the space between them. */
    async readContents(
      { organizationId }: Identity,
      { runId, recordIds }: { runId: string; recordIds: string[] },
    ) {
      const contents = [];
      for await (const { id, inputs, expected } of store.values.listContents(
        organizationId,
        runId,
        recordIds,
      ))
        contents.push({
          recordId: id,
          inputs: await hashOf(inputs),
          expected: await hashOf(expected),
        });
      return { contents };
    },

    async readReasons(
      { organizationId }: Identity,
      {
        runId,
        metricVersionId,
        recordIds,
      }: { runId: string; metricVersionId: string; recordIds: string[] },
    ) {
      const reasons = [];
      for await (const { id, ...states } of store.review.listReasons(
        organizationId,
        runId,
        recordIds,
      ))
        reasons.push({ recordId: id, reasoning: reasoningOf(states, metricVersionId) });
      return { reasons };
    },

    async readJudgeCosts(
      { organizationId }: Identity,
      { runId, metricVersionId }: { runId: string; metricVersionId: string },
    ) {
      return { judges: await store.values.sumJudgeCosts(organizationId, runId, metricVersionId) };
    },

    async findAnswer({ organizationId }: Identity, keyId: string) {
      return { answer: (await store.answers.find(organizationId, keyId)) ?? null };
    },
    rememberAnswer: (
      { organizationId }: Identity,
      { keyId, ...answer }: { keyId: string; bodyHash: string; text: string },
    ) => store.answers.keepFirst(organizationId, keyId, answer),
  };
}

const lines = (values: AsyncIterable<unknown>): StreamReply => ({
  contentType: 'application/x-ndjson',
  stream: toLines(values),
});

async function* mapped<From, To>(
  items: AsyncIterable<From>,
  change: (item: From) => To | Promise<To>,
): AsyncGenerator<To> {
  for await (const item of items) yield await change(item);
}

function toRatedRecord({
  id,
  testcaseId,
  awaited,
  scores,
  failures,
  judged,
  contentHash,
  metrics = {},
  error,
  errored = [],
}: ScoredRecord): RatedRecord {
  const ratings: RatedRecord['ratings'] = [];
  for (const { metricVersionId, userId, source, value, isPending } of scores)
    if (value !== null && !isPending) ratings.push({ metricVersionId, userId, source, value });
  for (const { id: metricVersionId, field } of systemMetrics) {
    const value = metrics[field];
    if (value !== undefined)
      ratings.push({ metricVersionId, userId: 'system', source: 'heuristic', value });
  }
  const kinds = scoreKindsOf({ awaited, scores });
  const versionsOf = (wanted: ScoreKind): string[] =>
    [...kinds].flatMap(([metricVersionId, kind]) => (kind === wanted ? [metricVersionId] : []));
  const [invalid, notApplicable] = [versionsOf('invalid'), versionsOf('notApplicable')];
  return {
    id,
    testcaseId,
    ratings,
    awaited,
    failed: failures.map(({ metricVersionId }) => metricVersionId),
    ...(invalid.length > 0 ? { invalid } : {}),
    ...(notApplicable.length > 0 ? { notApplicable } : {}),
    ...(error
      ? {
          error: {
            name: error.name ?? unnamedError,
            isByLimit: isProviderLimit(error),
            versions: errored,
          },
        }
      : {}),
    ...(judged
      ? {
          judged: judged.map(({ metricVersionId, judgements }) => ({
            metricVersionId,
            votes: judgements.map(({ votes }) => votes),
            ...(judgements.some(({ isCached }) => isCached)
              ? { cached: judgements.map(({ isCached = false }) => isCached) }
              : {}),
          })),
        }
      : {}),
    ...(contentHash ? { contentHash } : {}),
  };
}

/** The judge's reason for its newest judgement; null if it gave none. */
function reasoningOf(
  { judged, scores }: Pick<ScoreStates, 'judged' | 'scores'>,
  metricVersionId: string,
): string | null {
  const judgement = judged
    ?.find((history) => history.metricVersionId === metricVersionId)
    ?.judgements.at(-1);
  if (judgement) return judgement.reasoning;
  const score = scores.find(
    (score) => score.metricVersionId === metricVersionId && score.source === 'ai',
  );
  const reasoning: unknown = score && JSON.parse(score.text).reasoning;
  return typeof reasoning === 'string' ? reasoning : null;
}

/** A payload of up to so many bytes is compared as the value that it is, a larger one as sent. */
const parsedBytesMax = 256 * 1024;

async function hashOf(payload: Payload): Promise<string> {
  const bytes = await bytesOf(payload);
  return bytes.length > parsedBytesMax
    ? createHash('sha256').update(bytes).digest('base64url')
    : hashOfJson(Buffer.from(bytes).toString());
}

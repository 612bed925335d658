import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import {
  type AuthorMove,
  type ExportedPart,
  type Line,
  type LineToWrite,
  lineFormat,
  lineSchemas,
  sweptAway,
} from '@assay/contracts/project-file';
import { pairJudgementsMax } from '@assay/contracts/scoring';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import type { StoredComparison, StoredJudgement } from '../store/pairwise.ts';
import type { AddOutcome } from '../store/pairwise-part.ts';
import type { Dependencies } from './dependencies.ts';
import { type Order, preferredSide, type StoredAnswer } from './pairwise/answers.ts';

const { pairwiseComparison, pairJudgement } = lineSchemas;
const schemas = { pairwiseComparison, pairJudgement };
const write = createLineWriter(schemas);
const read = createLineReader({ schemas, ...lineFormat });

/** Hands out the pairwise comparisons of a project, and takes those of one that is being imported. */
export function createProjectPart({ store }: Pick<Dependencies, 'store'>) {
  /** Each comparison, and its pairs after it. */
  async function* comparisonsOf(
    { organizationId }: Identity,
    projectId: string,
  ): AsyncGenerator<LineToWrite<'pairwiseComparison' | 'pairJudgement'>> {
    for await (const comparison of store.parts.listComparisons(organizationId, projectId)) {
      yield comparisonLineOf(comparison);
      for await (const pair of store.parts.listJudgements(organizationId, comparison.id))
        yield judgementLineOf(comparison, pair);
    }
  }

  async function restoreJudgements(
    organizationId: string,
    projectId: string,
    lines: Line<'pairJudgement'>[],
  ): Promise<void> {
    if (lines.length === 0) return;
    const found = await store.parts.arrivingComparisons(
      organizationId,
      projectId,
      lines.map(({ comparisonId }) => comparisonId),
    );
    if (!found) throw sweptAway();
    const pairs = lines.map((line) => toJudgement(found.get(line.comparisonId)!, line));
    checkOutcome(await store.parts.addJudgements(organizationId, projectId, pairs));
  }

  return {
    async exportPart(identity: Identity, { of: projectId }: ExportedPart) {
      return linesReply(write(comparisonsOf(identity, projectId)));
    },

    /** Lines of one request: comparisons go first. */
    async restorePart(
      { organizationId }: Identity,
      projectId: string,
      stream: AsyncIterable<Uint8Array>,
    ) {
      const comparisons: StoredComparison[] = [];
      const judgements: Line<'pairJudgement'>[] = [];
      for await (const line of read(stream)) {
        if (line.kind === 'pairJudgement') judgements.push(line);
        else comparisons.push(toComparison(projectId, line));
      }
      if (comparisons.length > 0)
        checkOutcome(await store.parts.addComparisons(organizationId, projectId, comparisons));
      await restoreJudgements(organizationId, projectId, judgements);
      return { lines: comparisons.length + judgements.length };
    },

    async revealPart({ organizationId }: Identity, projectId: string) {
      await store.parts.reveal(organizationId, projectId);
      return {};
    },

    async moveAuthor({ organizationId }: Identity, move: AuthorMove) {
      await store.parts.moveAuthor(organizationId, move);
      return { next: null };
    },
  };
}

function checkOutcome(outcome: AddOutcome): void {
  if (outcome === 'gone') throw sweptAway();
  if (outcome === 'full')
    throw invalidAt(
      '/comparisonId',
      `is of a comparison with more than ${pairJudgementsMax} pairs`,
    );
}

const comparisonLineOf = ({
  projectId: _projectId,
  createdAt,
  spentNanoUsd,
  ...comparison
}: StoredComparison): LineToWrite<'pairwiseComparison'> => ({
  kind: 'pairwiseComparison',
  ...comparison,
  createdAt: createdAt.toISOString(),
  costNanoUsd: spentNanoUsd,
});

const judgementLineOf = (
  { runIds }: StoredComparison,
  { runs, recordIds, ...pair }: StoredJudgement,
): LineToWrite<'pairJudgement'> => ({
  kind: 'pairJudgement',
  ...pair,
  baselineRunId: runIds[runs[0]]!,
  candidateRunId: runIds[runs[1]]!,
  baselineRecordId: recordIds[0],
  candidateRecordId: recordIds[1],
});

const toComparison = (
  projectId: string,
  { kind: _kind, createdAt, costNanoUsd, ...comparison }: Line<'pairwiseComparison'>,
): StoredComparison => ({
  ...comparison,
  projectId,
  createdAt: new Date(createdAt),
  spentNanoUsd: costNanoUsd,
  expected: 0,
  judged: 0,
  failed: 0,
  round: 0,
  results: null,
});

/** The state and the outcome follow from the answers. */
function toJudgement(
  { runIds }: StoredComparison,
  { id, comparisonId, testcaseId, forward: one, backward: other, ...pair }: Line<'pairJudgement'>,
): StoredJudgement {
  const runs: [number, number] = [
    runIds.indexOf(pair.baselineRunId),
    runIds.indexOf(pair.candidateRunId),
  ];
  if (runs[0] < 0 || runs[1] <= runs[0])
    throw invalidAt(
      '/candidateRunId',
      'and baselineRunId must be runs of the comparison, the baseline first',
    );
  const [forward, backward] = [toAnswer('forward', one), toAnswer('backward', other)];
  const isFailed = forward.prefers === 'nobody' || backward.prefers === 'nobody';
  const isSame = forward.prefers === backward.prefers;
  return {
    id,
    comparisonId,
    testcaseId,
    runs,
    recordIds: [pair.baselineRecordId, pair.candidateRecordId],
    state: isFailed ? 'failed' : 'judged',
    outcome: isFailed ? 'failed' : isSame ? (forward.prefers as 'tie') : 'contradiction',
    forward,
    backward,
  };
}

/** No judge is asked, and paid, because a project was imported: an open question has failed. */
const notAsked = {
  preferred: null,
  reasoning: null,
  votes: [],
  nanoUsd: 0,
  failure: {
    code: 'budget_exhausted' as const,
    message: 'It was still open when the project was exported. A retry asks the judge.',
  },
};

function toAnswer(order: Order, answer: Line<'pairJudgement'>[Order]): StoredAnswer {
  const { preferred, ...rest } = answer ?? notAsked;
  return {
    prefers: preferred === null ? 'nobody' : preferredSide(order, preferred),
    preferred,
    ...rest,
  };
}

import type { Identity } from '@assay/contracts/define';
import type { PairwiseEstimate } from '@assay/contracts/scoring';
import type { Dependencies } from '../dependencies.ts';
import type { Plan } from './plan.ts';
import { warningsOf } from './plan.ts';

/** Testcases whose prompts are rendered. */
const renderedMax = 3;
/** Tokens of an answer with its reasoning, about. */
const answerTokens = 200;
/** Of English text; other languages and code have fewer characters a token. */
const charactersPerToken = 4;

/** Estimates the cost of a comparison before anything is asked. */
export function createEstimate({
  store,
  comparedRuns,
  renderQuestion,
  judges,
}: Pick<Dependencies, 'store' | 'comparedRuns' | 'renderQuestion' | 'judges'>) {
  /** The cost of one pair by the earlier comparison of this metric version, or else by its prompts. */
  async function pairUsd(
    identity: Identity,
    runIds: string[],
    { metric, testcases, hasPrice }: Plan,
  ): Promise<number | null> {
    if (!hasPrice) return null;
    const { organizationId } = identity;
    const earlier = await store.pairwise.findJudged(organizationId, metric.metricVersionId);
    if (earlier && earlier.spentNanoUsd > 0)
      return earlier.spentNanoUsd / 1e9 / (earlier.judged + earlier.failed);
    const { evalModelName, votes } = metric.judge!;
    const price = judges.priceOf(evalModelName)!;
    const lengths = [];
    for (const { recordIds } of testcases.slice(0, renderedMax)) {
      const [first, second] = await Promise.all(
        [0, 1].map(async (run) => {
          const wanted = { runId: runIds[run]!, recordIds: [recordIds[run]!] };
          return (await comparedRuns.readRecords(identity, wanted)).records[0];
        }),
      );
      if (!first || !second) continue;
      const rendered = await renderQuestion({
        organizationId,
        metric,
        inputs: first.inputs,
        expected: first.expected,
        outputs: first.outputs,
        secondOutputs: second.outputs,
      });
      if (rendered.ok) lengths.push(rendered.instructions.length + rendered.prompt.length);
    }
    if (lengths.length === 0) return null;
    const promptTokens =
      lengths.reduce((sum, length) => sum + length, 0) / lengths.length / charactersPerToken;
    const questionUsd =
      (promptTokens * price.inputUsdPerMillion + answerTokens * price.outputUsdPerMillion) / 1e6;
    return 2 * votes * questionUsd;
  }

  return async (identity: Identity, runIds: string[], plan: Plan): Promise<PairwiseEstimate> => {
    const { metric, testcases, runPairs, hasPrice } = plan;
    const pairs = testcases.length * runPairs.length;
    const each = await pairUsd(identity, runIds, plan);
    return {
      testcases: testcases.length,
      runPairs: runPairs.length,
      pairs,
      questions: pairs * 2 * metric.judge!.votes,
      costUsd: each === null ? null : each * pairs,
      ...warningsOf({
        testcases: testcases.length,
        differing: testcases.filter(({ differs }) => differs).length,
        model: metric.judge!.evalModelName,
        hasPrice,
      }),
    };
  };
}

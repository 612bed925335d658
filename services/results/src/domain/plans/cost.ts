import type { Identity } from '@assay/contracts/define';
import type { MetricVersion } from '@assay/contracts/metrics';
import type { JudgeCosts } from '@assay/contracts/run-records';
import type { Dependencies } from '../dependencies.ts';

/** The cost of one score, null where it is not known, and the sentence that says whence. */
export interface ScoreCost {
  costUsd: number | null;
  assumptions: string[];
}

/**
 * Tokens of a vote where no pilot shows them: the instructions and a record of some hundred words
 * beside the metric's own text, and a short reason.
 */
const assumedInputTokens = 700;
const assumedOutputTokens = 100;
const charactersPerToken = 4;

/**
 * The cost of one score: that of the same model in the pilot, else the tokens of the pilot, or
 * assumed ones, at the model's price.
 */
export async function findScoreCost(
  { runRecords, ask }: Pick<Dependencies, 'runRecords' | 'ask'>,
  identity: Identity,
  { evalType, judge, version, pilot }: CostedMetric,
): Promise<ScoreCost> {
  if (evalType === 'human') return { costUsd: null, assumptions: [] };
  if (!judge) return { costUsd: 0, assumptions: [] };
  const { evalModelName: model, votes } = judge;
  const judges = pilot
    ? (
        await runRecords.readJudgeCosts(identity, {
          runId: pilot.runId,
          metricVersionId: pilot.metricVersionId,
        })
      ).judges
    : [];
  const charged = judges.find((each) => each.model === model && each.priced.votes > 0);
  if (charged) {
    const costUsd = (charged.priced.costUsd / charged.priced.votes) * votes;
    return { costUsd, assumptions: [`${eachScore(costUsd, votes)}, as in the pilot.`] };
  }
  const price = await priceOf(ask, identity, model);
  if (!price)
    return {
      costUsd: null,
      assumptions: [`The price of the judge's model, ${model}, is not known.`],
    };
  const tokens = tokensOf(judges) ?? assumedTokens(version);
  const costUsd =
    (votes *
      (tokens.input * price.inputUsdPerMillion + tokens.output * price.outputUsdPerMillion)) /
    1e6;
  const whence = tokens.isMeasured ? 'took in the pilot' : 'is assumed to take';
  return {
    costUsd,
    assumptions: [
      `${eachScore(costUsd, votes)}: a vote ${whence} ${Math.round(tokens.input)} tokens of input and ${Math.round(tokens.output)} of output, at the price of ${model}.`,
    ],
  };
}

interface CostedMetric {
  evalType: MetricVersion['evalType'];
  judge: MetricVersion['judge'];
  version: MetricVersion;
  /** A run that a version of the metric was scored in. */
  pilot: { runId: string; metricVersionId: string } | undefined;
}

const eachScore = (costUsd: number, votes: number): string =>
  `A score costs $${Number(costUsd.toPrecision(3))}${votes > 1 ? ` with its ${votes} votes` : ''}`;

interface Tokens {
  input: number;
  output: number;
  isMeasured: boolean;
}

/** Of a vote, by the model that gave the most scores. */
function tokensOf([judge]: JudgeCosts[]): Tokens | undefined {
  if (!judge || judge.votes === 0 || judge.inputTokens === 0) return undefined;
  return {
    input: judge.inputTokens / judge.votes,
    output: judge.outputTokens / judge.votes,
    isMeasured: true,
  };
}

const assumedTokens = ({ guidelines, judge }: MetricVersion): Tokens => ({
  input:
    assumedInputTokens + (guidelines.length + judge!.promptTemplate.length) / charactersPerToken,
  output: assumedOutputTokens,
  isMeasured: false,
});

/** Undefined without a price, and if the scoring service does not answer: the plan can do without. */
async function priceOf(ask: Dependencies['ask'], identity: Identity, model: string) {
  try {
    return (await ask.scoring.judge(identity, { model })).price ?? undefined;
  } catch {
    return undefined;
  }
}

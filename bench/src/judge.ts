import type { Setting } from './setting.ts';

/** The calls that the judge saw since it last reported them, by its own clock. */
export interface Calls {
  answered: number;
  underWay: number;
  underWayMax: number;
  firstAtMs: number;
  lastAnswerAtMs: number;
}

export const judgeConcurrency = 64;

/** The cost of one answer: 400 tokens in and 20 out, in millionths of a US dollar. */
export const microUsdPerCall = 500;

/** A metric that this judge scores. */
export const judgedMetric = {
  name: 'Asks for the number',
  evalType: 'ai',
  outputType: 'boolean',
  guidelines: 'The answer asks for the tracking number.',
  promptTemplate: '{{ inputs.question }}\n\n{{ outputs.response }}',
  evalModelName: 'compatible/bench',
};

/** Starts a judge that answers after `answerMs`, or never, and the scoring service anew with it. */
export async function startJudge(setting: Setting, { answerMs }: { answerMs?: number }) {
  const { restart } = await setting.installation();
  const judge = await setting.start({
    file: 'bench/dist/judge-program.js',
    environment: answerMs === undefined ? {} : { ANSWER_MS: String(answerMs) },
  });
  await restart('scoring', {
    COMPATIBLE_BASE_URL: `${judge.url}/v1`,
    JUDGE_CONCURRENCY: String(judgeConcurrency),
    JUDGE_TIMEOUT_MS: '280000',
    JUDGE_PRICES: JSON.stringify({
      [judgedMetric.evalModelName]: { inputUsdPerMillion: 1, outputUsdPerMillion: 5 },
    }),
  });
  return {
    calls: async (): Promise<Calls> => (await fetch(`${judge.url}/calls`)).json() as Promise<Calls>,
    stop: async () => {
      await restart('scoring');
      await judge.stop();
    },
  };
}

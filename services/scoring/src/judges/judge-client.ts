import type { LanguageModelV3GenerateResult, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { ScoreFailureCode } from '@assay/contracts/run-records';
import { callsOfVoteMax } from '@assay/contracts/scoring';
import type { AnySchemaObject } from 'ajv';
import type { ParsedAnswer, ReadAnswer } from './answer.ts';
import type { Parameter } from './fault.ts';
import { providers } from './providers.ts';
import {
  type CallOptions,
  createRetryingCall,
  type Dependencies as RetryDependencies,
  type Target,
} from './retrying-call.ts';
import { createMeter, type Usage } from './usage.ts';

export interface Question {
  instructions: string;
  prompt: string;
  /**
   * Of an object. Providers are sent it without the bounds of numbers, which are checked all the
   * same.
   */
  schema: AnySchemaObject;
  /** null: the provider's own default. */
  temperature: number | null;
  seed: number | null;
}

/**
 * `attempts` counts the calls that were made, repairs included. `temperature` is the one that was
 * used. `notes` list the deviations from the question.
 */
export type JudgeReply =
  | {
      ok: true;
      answer: unknown;
      temperature: number | null;
      usage: Usage;
      attempts: number;
      notes: string[];
    }
  | { ok: false; code: ScoreFailureCode; message: string; usage: Usage; attempts: number };

const repairsMax = callsOfVoteMax - 1;
/** Characters of an answer that are shown to the judge again. */
const repairedCharactersMax = 20_000;

/**
 * Asks a model for one answer that fits the schema. An answer that does not fit is shown to the
 * model with its fault, at most twice. These repairs go on until `closing`, because the first
 * answer is already paid for.
 */
export function createJudgeClient({
  readAnswer,
  ...retrying
}: RetryDependencies & { readAnswer: ReadAnswer }) {
  const tryUntilAnswered = createRetryingCall(retrying);

  return async (
    target: Target,
    question: Question,
    { number, signal, closing }: CallOptions & { closing: AbortSignal },
  ): Promise<JudgeReply> => {
    const meter = createMeter(target.price);
    const leftOut = new Set<Parameter>();
    const temperature = takenTemperature(target, question);
    const messages = firstMessages(question);
    const { provider, model, without } = target;
    const request = {
      provider,
      model,
      without,
      schema: question.schema,
      seed: question.seed,
      temperature,
      messages,
    };
    let attempts = 0;
    const onCall = () => void attempts++;
    const failed = (code: ScoreFailureCode, message: string): JudgeReply => ({
      ok: false,
      code,
      message,
      usage: meter.usage(),
      attempts,
    });

    for (let repairs = 0; ; repairs++) {
      const tried = await tryUntilAnswered(target, request, {
        number,
        signal: repairs === 0 ? signal : closing,
        onCall,
      });
      if ('code' in tried) return failed(tried.code, tried.message);
      meter.add(tried.result.usage);
      for (const parameter of [...without, ...warnedOf(tried.result)]) leftOut.add(parameter);
      const read = await readAnswer(tried.result, question.schema);
      if (read.ok) {
        const used = leftOut.has('temperature') ? null : temperature;
        const notes = [
          ...notesOf(question, { used, leftOut }),
          ...(meter.isComplete() ? [] : ['the provider told no credible token counts']),
        ];
        return {
          ok: true,
          answer: read.answer,
          temperature: used,
          usage: meter.usage(),
          attempts,
          notes,
        };
      }
      if (repairs === repairsMax)
        return failed(
          'invalid_answer',
          `The judge's answer was asked for ${repairs + 1} times. ${read.wrong}`,
        );
      messages.push(...repairOf(read));
    }
  };
}

const takenTemperature = ({ provider }: Target, { temperature }: Question): number | null =>
  temperature === null ? null : Math.min(temperature, providers[provider].temperatureMax);

const firstMessages = ({ instructions, prompt }: Question): LanguageModelV3Prompt => [
  { role: 'system', content: instructions },
  { role: 'user', content: [{ type: 'text', text: prompt }] },
];

/**
 * Shows the judge its answer and the fault in it. Some models reject an empty message, others two
 * messages in a row of the same role.
 */
const repairOf = ({ text, wrong }: Extract<ParsedAnswer, { ok: false }>): LanguageModelV3Prompt => [
  {
    role: 'assistant',
    content: [{ type: 'text', text: text.trim().slice(0, repairedCharactersMax) || '(no answer)' }],
  },
  {
    role: 'user',
    content: [
      {
        type: 'text',
        text: `Your answer cannot be used. ${wrong} Answer again, with only the JSON object that was asked for.`,
      },
    ],
  },
];

/** Returns the parameters that the provider's library left out by itself. */
const warnedOf = ({ warnings }: LanguageModelV3GenerateResult): Parameter[] =>
  (['temperature', 'seed'] as const).filter((name) =>
    warnings.some((warning) => warning.type === 'unsupported' && warning.feature === name),
  );

function notesOf(
  { temperature, seed }: Question,
  { used, leftOut }: { used: number | null; leftOut: Set<Parameter> },
): string[] {
  const wasAsked: Record<Parameter, boolean> = {
    temperature: temperature !== null,
    seed: seed !== null,
    schema: true,
    system: true,
  };
  const notes = [...leftOut]
    .filter((name) => wasAsked[name])
    .map((name) =>
      name === 'system'
        ? 'the instructions stood in the message of the prompt: the model takes no system message'
        : `${name} was left out: the model does not take it`,
    );
  return used === null || used === temperature
    ? notes
    : [...notes, `temperature was lowered to ${used}, the highest that is taken`];
}

import { hasMoreLevels } from '@assay/json/value';
import { z } from 'zod';
import type { Line } from './child.ts';
import { sandboxLimits } from './limits.ts';

/**
 * The outcome of running code, for a check or an evaluation. A `value` of null says that the metric
 * does not apply to the record. Each message continues a sentence, for instance after "Line 3: ".
 */
export type Outcome =
  | { ok: true; value: unknown; reasoning: string | undefined }
  | { ok: false; code: 'code_error' | 'timeout'; message: string; line?: number; column?: number };

const place = z.int().min(1).optional().catch(undefined);

/** As `Answer` of request.ts; a process with users' code in it may have written anything. */
const answer = z.union([
  z.object({
    ok: z.literal(true),
    value: z.unknown().optional(),
    reasoning: z.string().optional(),
  }),
  z.object({
    ok: z.literal(false),
    message: z.string(),
    line: place,
    column: place,
    memory: z.boolean().optional(),
    broken: z.boolean().optional(),
  }),
]);

/** The outcome that a child's line tells of, and whether the child must not be used again. */
export function readAnswer({ line, memoryBytesMax }: { line: Line; memoryBytesMax: number }): {
  outcome: Outcome;
  isSpent: boolean;
} {
  if ('missing' in line) return { outcome: codeError(missing[line.missing]), isSpent: true };
  const read = answer.safeParse(parse(line.text)).data;
  if (!read)
    return { outcome: codeError('the code wrote its answer itself, and not well'), isSpent: true };
  if (read.ok) return { outcome: accept(read), isSpent: false };
  const { memory, broken, message, ...place } = read;
  const text = memory
    ? `the code took more than ${Math.floor(memoryBytesMax / 1024 / 1024)} MB`
    : message;
  return { outcome: { ...codeError(text), ...place }, isSpent: broken ?? false };
}

const missing = {
  ended: 'the code ended its process before it answered',
  'too long': `the value and its reasoning have more than ${sandboxLimits.answerCharactersMax} characters as JSON`,
};

function accept({ value, reasoning }: { value?: unknown; reasoning?: string }): Outcome {
  if (typeof value === 'number' && !Number.isFinite(value))
    return codeError('evaluate returned a number that is too large');
  if (hasMoreLevels(value, sandboxLimits.valueDepthMax))
    return codeError(
      `evaluate returned a value of more than ${sandboxLimits.valueDepthMax} levels`,
    );
  return { ok: true, value, reasoning };
}

const codeError = (message: string) => ({
  ok: false as const,
  code: 'code_error' as const,
  message: message.slice(0, sandboxLimits.messageCharactersMax),
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

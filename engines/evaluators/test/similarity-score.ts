import { evaluate } from '../evaluate.ts';

const unusedChecker = { check: async () => [], validate: async () => [] };

/**
 * What an evaluator of texts gives for one output and what was expected; the message where it gives
 * nothing.
 */
export async function score(name: string, output: unknown, expected: unknown) {
  const result = await evaluate({
    builtin: { name },
    outputType: 'float',
    outputs: { o: output },
    expected: { e: expected },
    schemaChecker: unusedChecker,
  });
  return result.ok ? result.value : result.message;
}

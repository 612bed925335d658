import type { RenderLimits } from '../limits.ts';

/** Why a template cannot be rendered: a sentence for its author. */
export class RenderFailure extends Error {}

export type RenderState = ReturnType<typeof createRenderState>;

/**
 * Creates the state of rendering one prompt: the steps and characters spent against its limits, and
 * the current place in the template.
 */
export function createRenderState(limits: RenderLimits) {
  let steps = 0;
  let characters = 0;
  const fail = (message: string): never => {
    throw new RenderFailure(message);
  };
  return {
    limits,
    fail,
    /** The offset of the name or operator that is being evaluated. */
    at: undefined as number | undefined,
    /**
     * Whether the expression that is being evaluated has read something that can hold text of the
     * record.
     */
    readsRecord: false,
    depth: 0,
    step(count = 1): void {
      steps += count;
      if (steps > limits.stepsMax)
        fail(
          `The template takes more than ${formatCount(limits.stepsMax)} steps: expressions, rounds of loops, and items of lists.`,
        );
    },
    /** To be called before the texts are made. */
    characters(count: number): void {
      characters += count;
      if (characters > limits.workCharactersMax)
        fail(
          `The template makes and searches texts of more than ${formatCount(limits.workCharactersMax)} characters together.`,
        );
    },
  };
}

export const formatCount = (count: number): string => count.toLocaleString('en-US');

import type { Finding } from './attributes.ts';
import { aiSdk } from './families/ai-sdk.ts';
import { genAi, genAiDetails } from './families/gen-ai.ts';
import { genAiEarlier } from './families/gen-ai-earlier.ts';
import { langfuse } from './families/langfuse.ts';
import { openInference } from './families/open-inference.ts';
import { others } from './families/others.ts';
import { scorecard } from './families/scorecard.ts';
import { traceloop, traceloopRequests } from './families/traceloop.ts';
import type { Family } from './family.ts';

/** All families, in the order in which they are asked: the first that says something counts. */
export const families: readonly Family[] = [
  scorecard,
  genAi,
  genAiDetails,
  aiSdk,
  openInference,
  traceloop,
  traceloopRequests,
  genAiEarlier,
  langfuse,
  ...others,
];

/** Asks the families in their order; the first that says something counts. */
export function firstSaid<Value>(
  ask: (family: Family) => Finding<Value> | undefined,
): Finding<Value> | undefined {
  for (const family of families) {
    const found = ask(family);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The version of the whole mapping of spans. Raise it with every change of this package after which
 * a trace that came before would have another head: its heads are then made anew.
 */
export const mappingVersion = 3;

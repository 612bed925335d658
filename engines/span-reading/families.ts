import { aiSdk } from './families/ai-sdk.ts';
import { genAi, genAiDetails } from './families/gen-ai.ts';
import { genAiEarlier } from './families/gen-ai-earlier.ts';
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
  ...others,
];

/**
 * The version of the whole mapping of spans. Raise it with every change of this package after which
 * a trace that came before would have another head: its heads are then made anew.
 */
export const mappingVersion = 2;

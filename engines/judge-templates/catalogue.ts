import type { JudgeTemplate } from './template.ts';
import { answerRelevance } from './templates/answer-relevance.ts';
import { correctness } from './templates/correctness.ts';
import { faithfulness } from './templates/faithfulness.ts';
import { instructionFollowing } from './templates/instruction-following.ts';
import { jsonAgreement } from './templates/json-agreement.ts';
import { refusal } from './templates/refusal.ts';
import { tone } from './templates/tone.ts';
import { toxicity } from './templates/toxicity.ts';

/** The ready-made judges by name. A name that was released stays. */
export const catalogue: ReadonlyMap<string, JudgeTemplate> = new Map([
  ['faithfulness', faithfulness],
  ['answer_relevance', answerRelevance],
  ['correctness', correctness],
  ['instruction_following', instructionFollowing],
  ['toxicity', toxicity],
  ['refusal', refusal],
  ['tone', tone],
  ['json_agreement', jsonAgreement],
]);

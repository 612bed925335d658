import type { Family } from '../family.ts';
import { messagesAt } from './messages-at.ts';

/** Calls of models as the SDKs of Scorecard send them. */
export const scorecard: Family = {
  inputMessages: messagesAt('user', 'gen_ai.prompt.messages'),
  outputMessages: messagesAt('assistant', 'gen_ai.completion.choices'),
};

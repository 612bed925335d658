import type { ItemOf } from '@assay/client/operations';

type FailureCode = ItemOf<'/runs/:runId/failures'>['code'];

/** Why a score could not be made, and what to do about it: as docs/errors.md says it. */
export const failureAdvice: Record<FailureCode, { text: string; advice: string }> = {
  no_provider: {
    text: 'No provider for this judge',
    advice: 'Configure the provider, or name a model of one that is configured. Then retry.',
  },
  provider_error: {
    text: 'The provider failed',
    advice: 'The message says why: a wrong key, no such model. Retry when that is mended.',
  },
  rate_limited: {
    text: 'The provider refused for too many requests',
    advice: 'Retry later, perhaps with fewer requests at once.',
  },
  invalid_answer: {
    text: 'The judge did not keep to the form',
    advice: 'Make the prompt clearer, or choose another model.',
  },
  template_error: {
    text: 'The prompt could not be rendered',
    advice: 'Compare the template with the fields of the record; the message has the place.',
  },
  code_error: {
    text: 'The evaluator could not compute a value',
    advice: "Compare the metric's options with the fields of the record.",
  },
  timeout: {
    text: 'The score took too long',
    advice: 'Retry. Where it happens again, make the evaluator or the data smaller.',
  },
  budget_exhausted: {
    text: 'The budget is spent',
    advice: 'Raise the budget of the run; scoring then goes on.',
  },
};

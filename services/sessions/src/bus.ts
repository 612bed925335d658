import type { Answers } from '@assay/contracts/define';
import type { sessions } from '@assay/contracts/sessions';

/** No other service asks this one. */
export const createAnswers = (): Answers<typeof sessions> => ({});

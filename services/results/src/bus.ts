import type { Answers } from '@assay/contracts/define';
import type { results } from '@assay/contracts/results';

export const createAnswers = (): Answers<typeof results> => ({});

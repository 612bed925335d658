import type { Answers } from '@assay/contracts/define';
import type { transfers } from '@assay/contracts/transfers';

export const createAnswers = (): Answers<typeof transfers> => ({});

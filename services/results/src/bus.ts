import type { Answers } from '@assay/contracts/define';
import type { results } from '@assay/contracts/results';
import type { Domain } from './domain.ts';

export const createAnswers = ({ looks }: Domain): Answers<typeof results> => ({
  look: (identity, look) => looks.look(identity, look),
});

import { decidingFigures } from '@assay/comparison/figures';
import { verdictSentence } from '@assay/comparison/sentence';
import type { Comparison } from '@assay/contracts/results';

const candidate = 'the candidate';

/** The comparison with the result of each metric, and of errors, in a sentence. */
export const withSentences = (comparison: Comparison): Comparison => ({
  ...comparison,
  metrics: comparison.metrics.map((metric) => {
    const { decidedBy } = decidingFigures(metric);
    return {
      ...metric,
      ...(decidedBy === 'scores' ? {} : { decidedBy }),
      sentence: verdictSentence(metric, candidate),
    };
  }),
  errors: {
    ...comparison.errors,
    sentence: verdictSentence(comparison.errors, candidate),
  },
});

import type { Voice } from '@assay/comparison/gate/limits';

/** How the gate names the candidate and its options. */
export const voice: Voice = {
  candidate: 'the candidate',
  options: {
    minPassRate: '--min-pass-rate',
    minPasses: '--min-passes',
    maxRegression: '--max-regression',
    maxErrors: '--max-errors',
    allowMissing: '--allow-missing',
  },
};

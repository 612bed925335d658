import { z } from 'zod';
import { job, service } from './define.ts';

export const scoring = service({
  name: 'scoring',
  summary: 'Makes the scores of metrics that the service evaluates',
  jobs: {
    scoreRecords: job({
      summary: 'Score what is still pending of these records of one run',
      payload: z.object({ runId: z.string(), recordIds: z.array(z.string()).min(1).max(500) }),
      attempts: 6,
      finishMs: 10_000,
    }),
  },
});

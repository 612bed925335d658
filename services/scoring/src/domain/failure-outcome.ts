import type { Judgement } from '@assay/contracts/run-records';

export type FailureOutcome = Extract<Judgement['outcome'], { kind: 'failure' }>;

/** Characters of a message that the contract takes. */
const messageCharactersMax = 2000;

/** Returns the outcome of a judgement that failed for good. A long message is cut. */
export const failureOutcome = ({
  message,
  costUsd,
  ...rest
}: Omit<FailureOutcome, 'kind'>): FailureOutcome => ({
  kind: 'failure',
  ...rest,
  message: message.slice(0, messageCharactersMax),
  ...(costUsd === undefined ? {} : { costUsd }),
});

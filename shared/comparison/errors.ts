import { whole } from '@assay/client/figures';
import type { ReplyOf } from '@assay/client/operations';
import { countOf, figure } from './figures.ts';

/** How often the system of a run failed, as its summary tells. */
export type RunErrors = ReplyOf<'GET', '/runs/:runId/summary'>['errors'];

/** The records of a run on which its system failed. */
export const erroredRecords = ({ distribution }: Pick<RunErrors, 'distribution'>): number =>
  distribution.find(({ value }) => value === true || value === 1)?.count ?? 0;

/** What is said of a run without a single answer. */
export const everyCallFailedSentence = 'Every call of the system failed.';

/** Whether a run has records, and its system failed on each: then it tells nothing of the system. */
export const hasOnlyErrors = (errors: Pick<RunErrors, 'distribution' | 'records'>): boolean =>
  errors.records > 0 && erroredRecords(errors) === errors.records;

/** "the system failed on 4 of 12 records"; undefined where it never did. */
export function failuresInWords(errors: RunErrors): string | undefined {
  const count = erroredRecords(errors);
  if (count === 0) return undefined;
  return `the system failed on ${whole(count)} of ${countOf(errors.records, 'record')}`;
}

/** The errors of a run that has nothing to be compared with: "33.3 % of 12 testcases". */
export const errorsRate = ({ mean, count }: RunErrors): string =>
  `${figure('boolean', mean)} of ${countOf(count, 'testcase')}`;

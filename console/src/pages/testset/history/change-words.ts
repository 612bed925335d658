import type { ItemOf } from '@assay/client/operations';

export type TestsetChange = ItemOf<'/testsets/:testsetId/changes'>;
export type TestcaseVersion = ItemOf<'/testcases/:testcaseId/versions'>;

/** How a testcase differs between two times, as a sign and a word. */
export const changeWords: Record<TestsetChange['change'], { sign: string; word: string }> = {
  added: { sign: '+', word: 'Added' },
  changed: { sign: '~', word: 'Changed' },
  deleted: { sign: '−', word: 'Deleted' },
};

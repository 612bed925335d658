import { conflict, type Failure } from '@assay/contracts/failure';

const taken = 'is the key of another testcase of this testset';

/** A key that another testcase has; `place` is where the request has it, or names what has it. */
export const keyTaken = ({
  testcaseId,
  place = '/key',
}: {
  testcaseId?: string;
  place?: string;
} = {}): Failure =>
  conflict(`The key ${taken}.`, {
    details: {
      issues: [{ path: place, message: place === '/key' ? taken : `has a key that ${taken}` }],
      ...(testcaseId === undefined ? {} : { testcaseId }),
    },
  });

/** A key that an entry of the same import has. */
export const repeatedKey = (index: number): Failure =>
  conflict(`The key is that of the entry ${index} of this import, too.`, {
    details: { issues: [{ path: '/key', message: `is the key of the entry ${index}, too` }] },
  });

/** Items of one request whose keys another testcase has, or an item before. */
export const keysTaken = (items: { at: number; testcaseId: string | undefined }[]): Failure =>
  conflict(describe(items), {
    details: {
      issues: items.map(({ at, testcaseId }) => ({
        path: `/items/${at}/key`,
        message: testcaseId === undefined ? 'is the key of another item, too' : taken,
      })),
      ...(items[0]!.testcaseId === undefined ? {} : { testcaseId: items[0]!.testcaseId }),
    },
  });

function describe([first, ...others]: { at: number; testcaseId: string | undefined }[]): string {
  const message = first!.testcaseId === undefined ? 'is the key of another item, too' : taken;
  const sentence = `/items/${first!.at}/key ${message}`;
  return others.length === 0 ? `${sentence}.` : `${sentence} (and ${others.length} more).`;
}

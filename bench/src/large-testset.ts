import { type LoadResult, lineNumber } from './load.ts';
import { say } from './report.ts';
import { linesTo, throughGateway } from './requests.ts';
import { toText } from './rounds.ts';
import type { Setting } from './setting.ts';
import { createTestset, testcaseOf } from './testcases.ts';
import { type Transfer, transfer } from './transfer.ts';

export const largeTestsetCount = 1_000_000;
const warmUpCount = 20_000;

/**
 * Fills the testset that the questions about large testsets share. Returns the measurements of its
 * import, in a service that has imported a small testset before.
 */
export async function createLargeTestset(
  setting: Setting,
): Promise<Transfer<LoadResult> & { testsetId: string }> {
  const installation = await setting.installation();
  const line = JSON.stringify(testcaseOf(lineNumber));
  const importInto = (testsetId: string, count: number) => {
    const request = linesTo(
      throughGateway(installation),
      `/testsets/${testsetId}/testcases/import`,
    );
    return setting.generator.upload({
      ...request,
      lines: [line],
      bodiesAtOnce: 1,
      until: { count },
    });
  };
  await installation.restart('testcases');
  const small = await createTestset(installation.call);
  await importInto(small.testsetId, warmUpCount);
  const { testsetId } = await createTestset(installation.call);
  say(`  ${largeTestsetCount.toLocaleString('en-US')} testcases in one body …`);
  const imported = await transfer(installation, 'testcases', () =>
    importInto(testsetId, largeTestsetCount),
  );
  say(`  ${toText(imported.value)}`);
  if (imported.value.accepted !== largeTestsetCount)
    throw new Error(`Of ${largeTestsetCount} testcases ${imported.value.accepted} were taken.`);
  return { ...imported, testsetId };
}

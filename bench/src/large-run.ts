import { type LoadResult, lineNumber } from './load.ts';
import { createRun, recordBody } from './records.ts';
import { say } from './report.ts';
import { linesTo, throughGateway } from './requests.ts';
import { toText } from './rounds.ts';
import type { Setting } from './setting.ts';
import { type Transfer, transfer } from './transfer.ts';

export const largeRunCount = 1_000_000;
/** One in ten records has the common tag, ten of all have the rare one. */
export const [commonTag, rareTag] = ['common', 'rare'];
const rareCount = 10;
const warmUpCount = 20_000;

/**
 * Each record has its own number, so that compression has as much work as with records of people.
 */
const numberedBody = {
  inputs: { ...recordBody.inputs, parcel: lineNumber },
  expected: { ...recordBody.expected, parcel: lineNumber },
  outputs: { ...recordBody.outputs, parcel: lineNumber },
};

/**
 * Fills the run that the questions about large runs share with records of 1 KB. Returns the
 * measurements of their upload in one body, in a service that has had no more than a small body
 * before.
 */
export async function createLargeRun(
  setting: Setting,
): Promise<Transfer<LoadResult> & { runId: string }> {
  const installation = await setting.installation();
  const { call } = installation;
  const lines = Array.from({ length: 10 }, (_, index) =>
    JSON.stringify({ ...numberedBody, ...(index === 0 ? { tags: [commonTag] } : {}) }),
  );
  const uploadTo = (runId: string, count: number) => {
    const request = linesTo(throughGateway(installation), `/runs/${runId}/records/bulk`);
    return setting.generator.upload({ ...request, lines, bodiesAtOnce: 1, until: { count } });
  };
  await installation.restart('run-records');
  await uploadTo(await createRun(call), warmUpCount);
  const runId = await createRun(call);
  await createRare(setting, runId, rareCount / 2);
  say(`  ${largeRunCount.toLocaleString('en-US')} records in one body …`);
  const uploaded = await transfer(installation, 'run-records', () =>
    uploadTo(runId, largeRunCount - rareCount),
  );
  say(`  ${toText(uploaded.value)}`);
  await createRare(setting, runId, rareCount / 2);
  const { numRecords } = await call('GET', `/runs/${runId}`);
  const { accepted } = uploaded.value;
  if (numRecords !== largeRunCount || accepted !== largeRunCount - rareCount)
    throw new Error(
      `Of ${largeRunCount} records ${accepted} were answered and ${numRecords} are counted.`,
    );
  return { ...uploaded, runId };
}

/**
 * Records with the rare tag; of the large run half before all others and half behind them, so that
 * only an index finds them soon.
 */
export async function createRare(setting: Setting, runId: string, count: number): Promise<void> {
  const { call } = await setting.installation();
  for (let number = 0; number < count; number++)
    await call('POST', `/runs/${runId}/records`, { ...recordBody, tags: [rareTag] });
}

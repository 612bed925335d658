import { type Memory, memoryDuring, memoryOf } from './processes.ts';
import { mebibytesText, type Row, say } from './report.ts';
import type { Installation } from './setting.ts';
import { memoryRow } from './sides.ts';

/** The memory that a transfer may take at most, independent of its size. */
const growthBytesMax = 100 * 1024 ** 2;

/** The result of a long transfer, and the memory of the processes that it goes through. */
export interface Transfer<Value> {
  value: Value;
  resting: Memory<string>;
  most: Memory<string>;
}

/** Does a long transfer while the gateway and a service are watched. */
export async function transfer<Value>(
  installation: Installation,
  service: string,
  work: () => Promise<Value>,
): Promise<Transfer<Value>> {
  const pids = {
    gateway: installation.programOf('gateway').pid,
    [service]: installation.programOf(service).pid,
  };
  const resting = await memoryOf(pids);
  const { most, value } = await memoryDuring(pids, work);
  say(
    `  ${Object.keys(pids)
      .map((name) => `${name} ${mebibytesText(resting[name]!)} → ${mebibytesText(most[name]!)}`)
      .join(', ')}`,
  );
  return { value, resting, most };
}

/** Returns the rows of the memory that a transfer took. */
export const memoryRows = (
  question: string,
  { resting, most }: Omit<Transfer<unknown>, 'value'>,
): Row[] =>
  Object.keys(resting).map((name) => {
    const measure = `  the most memory of ${name} meanwhile; baseline: before`;
    return memoryRow({
      question,
      measure,
      resting: resting[name]!,
      most: most[name]!,
      growthBytesMax,
    });
  });

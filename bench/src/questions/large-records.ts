import { largeBodies } from '../large-records.ts';
import { memoryDuring, memoryOf } from '../processes.ts';
import { createRun, recordBody } from '../records.ts';
import { mebibytesText, type Row, say } from '../report.ts';
import { behindGateway, type Door, postOf, postTextOf, throughGateway } from '../requests.ts';
import { alternate, errorsOf } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { memoryRow, timeRow } from '../sides.ts';

const requestsEach = 4;
const warmUpMs = 1000;
const growthBytesMax = 60_000_000;

/**
 * Question 5: a record of 15 MiB through the gateway against the service itself, and how much of it
 * the gateway holds in memory.
 */
export async function askLargeRecords(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { generator } = setting;
  const path = `/runs/${await createRun(installation.call)}/records`;
  const body = largeBodies.chat();
  const post = (door: Door, connections: number) => () =>
    generator.closedLoop({
      ...postTextOf(door, path, body),
      connections,
      until: { count: connections * requestsEach },
    });
  const gateway = throughGateway(installation);
  await generator.closedLoop({
    ...postOf(gateway, path, recordBody),
    connections: 8,
    until: { durationMs: warmUpMs },
  });

  const pids = { gateway: installation.programOf('gateway').pid };
  const resting = await memoryOf(pids);
  const rows: Row[] = [];
  for (const atOnce of [1, 8]) {
    const { most, value } = await memoryDuring(pids, post(gateway, atOnce));
    say(
      `  ${atOnce} at once: the gateway had ${mebibytesText(most.gateway)}, ${mebibytesText(resting.gateway)} before`,
    );
    const measure = `the gateway's memory with ${atOnce} of them at once; baseline: before the first`;
    const row = memoryRow({
      question: '5',
      measure,
      resting: resting.gateway,
      most: most.gateway,
      growthBytesMax,
    });
    rows.push({ ...row, errors: errorsOf([value]) });
  }
  const measured = await alternate({
    direct: post(behindGateway(setting, installation, 'run-records'), 1),
    through: post(gateway, 1),
  });
  const measure = 'a record of 15 MiB through the gateway; baseline: the service itself';
  return [
    timeRow({
      question: '5',
      measure,
      ours: measured.through,
      baseline: measured.direct,
      figure: 'p50Ms',
      ratioMax: 1.2,
    }),
    ...rows,
  ];
}

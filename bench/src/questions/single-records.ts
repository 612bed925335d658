import { startLaptop } from '../laptop.ts';
import type { TimedResult } from '../load.ts';
import { createRun, recordBody } from '../records.ts';
import type { Row } from '../report.ts';
import { bare, type Door, postOf, throughGateway } from '../requests.ts';
import { alternate } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { processorRows, rateRow, timeRow } from '../sides.ts';

const connections = 50;
const durationMs = 1500;

/**
 * Question 1: single records through the gateway against a bare Fastify with `insertOne`, in
 * separate processes and in the laptop's one.
 */
export async function askSingleRecords(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const baseline = await setting.shared(startRecordsBaseline);
  const laptop = await startLaptop(setting);
  const post = (door: Door, runId: string) => {
    const request = postOf(door, `/runs/${runId}/records`, recordBody);
    return () => setting.generator.closedLoop({ ...request, connections, until: { durationMs } });
  };
  const measured = await alternate({
    baseline: post(bare(baseline), '1'),
    processes: post(throughGateway(installation), await createRun(installation.call)),
    laptop: post(throughGateway(laptop), await createRun(laptop.call)),
  });
  await laptop.stop();
  return [
    ...compare('the gateway and services as processes', measured.processes, measured.baseline),
    ...compare("the laptop's one process", measured.laptop, measured.baseline),
  ];
}

/** Also the baseline of bulk creation. */
export async function startRecordsBaseline(setting: Setting) {
  const { mongodbUri } = await setting.servers();
  return setting.start({
    file: 'bench/dist/baseline/records.js',
    environment: { MONGODB_URI: mongodbUri },
  });
}

function compare(name: string, ours: TimedResult[], baseline: TimedResult[]): Row[] {
  const sides = { question: '1', ours, baseline };
  return [
    rateRow({ ...sides, measure: `single records, ${name}`, ratioMin: 2 }),
    timeRow({ ...sides, measure: '  p50', figure: 'p50Ms' }),
    timeRow({ ...sides, measure: '  p99', figure: 'p99Ms', ratioMax: 1 }),
    ...processorRows(sides),
  ];
}

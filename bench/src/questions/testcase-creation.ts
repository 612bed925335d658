import type { Row } from '../report.ts';
import { bare, type Door, postOf, throughGateway } from '../requests.ts';
import { alternate } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { processorRows, rateRow, timeRow } from '../sides.ts';
import { createTestset, testcasesBody } from '../testcases.ts';

const connections = 50;
const durationMs = 1500;
const items = 100;

/**
 * Question 9: a hundred testcases a request, against a bare Fastify with the same schema and one
 * `insertMany`.
 */
export async function askTestcaseCreation(setting: Setting): Promise<Row[]> {
  const { mongodbUri } = await setting.servers();
  const installation = await setting.installation();
  const baseline = await setting.start({
    file: 'bench/dist/baseline/testcases.js',
    environment: { MONGODB_URI: mongodbUri },
  });
  const post = (door: Door, testsetId: string) => {
    const request = postOf(door, `/testsets/${testsetId}/testcases`, testcasesBody(items));
    return () => setting.generator.closedLoop({ ...request, connections, until: { durationMs } });
  };
  const measured = await alternate({
    baseline: post(bare(baseline), '1'),
    ours: post(throughGateway(installation), (await createTestset(installation.call)).testsetId),
  });
  await baseline.stop();
  const sides = { question: '9', ...measured };
  return [
    rateRow({ ...sides, measure: 'testcases, 100 a request', ratioMin: 0.8, items }),
    timeRow({ ...sides, measure: '  p50 of a request', figure: 'p50Ms' }),
    ...processorRows(sides),
  ];
}
